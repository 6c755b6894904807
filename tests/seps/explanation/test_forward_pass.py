import copy
import dataclasses
import pickle
from typing import Any

import numpy as np
import pytest
import torch
import torch.nn.functional as F
from hypothesis import given, settings

from seps import AlignmentExplanation, BranchExplanation, Explanation, ScoringEngine, explain
from tests.helpers.examples import number_of_examples
from tests.helpers.models.cases import Case, cases, one_pair


def record_of(case: Case, **options: Any) -> tuple[Explanation, Any, dict[str, Any]]:
    model, inputs = case.build()
    return explain(model, **one_pair(inputs, 0, 0), **options), model, inputs


def alignments_of(record: Explanation) -> list[AlignmentExplanation]:
    return [a for a in (record.sparse_alignment, record.dense_alignment) if a is not None]


def branches_of(record: Explanation) -> list[BranchExplanation]:
    return [b for b in (record.sparse, record.dense) if b is not None]


@given(cases)
@settings(max_examples=number_of_examples(100))
def test_terms_add_up_to_the_similarity_and_masks_equal_those_of_training_mode(case: Case) -> None:
    model, inputs = case.build()
    with torch.no_grad():
        similarity = model(**inputs)
        _, masks = model.train()(**inputs)
    model.eval()
    for image in range(case.images):
        for caption in range(case.captions):
            record = explain(model, **one_pair(inputs, image, caption))
            assert abs(sum(record.terms.values()) - record.similarity) < 1e-5
            assert abs(record.similarity - float(similarity[image, caption])) < 1e-5
            kept = [branch.kept for branch in branches_of(record)]
            if case.paper:
                for mask, expected in zip(masks, kept, strict=False):  # without dual aggregation only D_s
                    assert (mask[caption, image].numpy() == expected).all()
                assert len(masks) == (2 if case.dense_words and case.dual else 1)
            else:
                assert (masks[caption, image].numpy() == np.stack(kept).sum(axis=0)).all()


@given(cases)
@settings(max_examples=number_of_examples(100))
def test_tokens_rebuilt_from_the_weights_are_the_models(case: Case) -> None:
    model, inputs = case.build()
    pair = one_pair(inputs, 0, 0)
    record = explain(model, **pair)
    with torch.no_grad():
        image = model.encode_images(pair["img_embs"][None])
        match = model.match(image, pair["cap_embs"], pair.get("dense_cap_embs"))
    texts = [pair["cap_embs"], pair.get("dense_cap_embs")]
    for alignment, tokens, words in zip(alignments_of(record), match.tokens, texts, strict=False):
        rebuilt = torch.tensor(alignment.token_weights) @ image.patches[0]
        if image.cls is not None:
            rebuilt[0] = image.cls[0, 0]
        torch.testing.assert_close(F.normalize(rebuilt, dim=-1), tokens[0], atol=1e-4, rtol=0)
        assert words is not None
        cosines = tokens[0] @ F.normalize(words, dim=-1).T
        torch.testing.assert_close(torch.tensor(alignment.cosines), cosines, atol=1e-5, rtol=0)
        # The terms follow from the matrix.
        assert abs(float(alignment.matrix.max(axis=1).mean()) - alignment.patch_to_word) < 1e-5
        assert abs(float(alignment.matrix.max(axis=0).mean()) - alignment.word_to_patch) < 1e-5


@given(cases)
@settings(max_examples=number_of_examples(100))
def test_weights_lie_where_they_should_and_word_maps_are_those_of_the_token_met(case: Case) -> None:
    record, model, _ = record_of(case)
    n, keep = case.side**2, max(1, int(np.ceil(case.side**2 * case.sparse_ratio)))
    for branch in branches_of(record):
        assert branch.kept.sum() == keep
        assert sorted(branch.rank) == list(range(n))
        assert (branch.rank[branch.kept] < keep).all()
        assert (np.diff(branch.score[np.argsort(branch.rank)]) <= 0).all()
        assert branch.parts.keys() == branch.coefficients.keys()
        total = sum(branch.coefficients[name] * part for name, part in branch.parts.items())
        np.testing.assert_allclose(total, branch.score, atol=1e-9)
        assert (branch.extra_weights[branch.kept] == 0).all()
        assert branch.extra_weights.sum() == pytest.approx(1.0 if keep < n else 0.0)
        if branch.aggregation_weights is not None:
            assert branch.aggregation_weights.shape == (model.num_tokens, n)
            assert (branch.aggregation_weights[:, ~branch.kept] == 0).all()
            assert (branch.aggregation_weights >= 0).all()
            np.testing.assert_allclose(branch.aggregation_weights.sum(axis=1), 1.0, atol=1e-5)
    if record.dense is not None:
        assert (record.dense.aggregation_weights is None) == (case.paper and not case.dual)
    for alignment in alignments_of(record):
        for word, token in enumerate(alignment.best_token):
            assert alignment.matrix[token, word] == alignment.matrix[:, word].max()
            word_map = alignment.word_maps[word]
            if alignment.tokens[token] == "[CLS]":
                assert (word_map == 0).all()
                continue
            weights = alignment.token_weights[token]
            if weights.sum() > 0:  # nothing dropped, no extra token
                np.testing.assert_allclose(word_map, weights / weights.sum(), atol=1e-6)
                assert word_map.sum() == pytest.approx(1.0, abs=1e-5)
        for token, word in enumerate(alignment.best_word):
            assert alignment.matrix[token, word] == alignment.matrix[token].max()


def test_the_leaky_relu_stands_between_cosines_and_matrix() -> None:
    for paper, slope in ((False, 0.1), (True, 1.0)):
        alignment = record_of(Case(paper=paper))[0].sparse_alignment
        assert (alignment.cosines < 0).any()
        np.testing.assert_allclose(alignment.matrix, alignment.cosines * np.where(alignment.cosines < 0, slope, 1))


def test_the_record_cannot_be_changed() -> None:
    record, _, _ = record_of(Case(dense_words=9, paper=False), dense_words=None)
    assert record.dense is not None
    for part in (record, record.sparse, record.dense, record.sparse_alignment):
        for field in dataclasses.fields(part):
            with pytest.raises(dataclasses.FrozenInstanceError):
                setattr(part, field.name, None)
            value = getattr(part, field.name)
            if isinstance(value, np.ndarray) and value.size:
                with pytest.raises(ValueError, match="read-only"):
                    value.flat[0] = 0
                with pytest.raises(ValueError, match="cannot set WRITEABLE"):
                    value.setflags(write=True)
    with pytest.raises(TypeError, match="read-only"):
        record.sparse.parts["s_st"] = record.sparse.score  # type: ignore[index]


def test_copies_and_pickles_are_the_record_again() -> None:
    record, _, _ = record_of(Case(dense_words=9))
    again = pickle.loads(pickle.dumps(copy.deepcopy(record)))
    assert again.terms == record.terms
    np.testing.assert_array_equal(again.sparse.parts["s_p"], record.sparse.parts["s_p"])
    assert dataclasses.asdict(record)["sparse"]["coefficients"] == dict(record.sparse.coefficients)


def test_a_generator_draws_the_decision() -> None:
    model, inputs = Case(side=6, dense_words=9).build(use_gumbel_softmax=True)
    pair = one_pair(inputs, 0, 0)
    first, again, other = (explain(model, **pair, generator=torch.Generator().manual_seed(s)) for s in (1, 1, 2))
    assert (first.sparse.kept == again.sparse.kept).all()
    assert (first.sparse.kept != other.sparse.kept).any()
    assert abs(sum(first.terms.values()) - first.similarity) < 1e-6
    single = {key: value[:1] for key, value in inputs.items()}
    with torch.no_grad():
        similarity, masks = model.train()(**single, generator=torch.Generator().manual_seed(1))
    assert (masks[0][0, 0].numpy() == first.sparse.kept).all()
    assert float(similarity) == pytest.approx(first.similarity, abs=1e-6)


@given(cases)
@settings(max_examples=number_of_examples(50))
def test_an_image_of_an_index_is_explained_as_its_embeddings_are(case: Case) -> None:
    model, inputs = case.build()
    images = ScoringEngine(model).encode_images(inputs["img_embs"])
    for number in range(case.images):
        pair = one_pair(inputs, number, 0)
        expected = explain(model, **pair)
        record = explain(model, **pair | {"img_embs": images[number].features()})
        assert record.similarity == pytest.approx(expected.similarity, abs=1e-5)
        assert (record.grid, record.has_cls) == (expected.grid, expected.has_cls)
        for branch, same in zip(branches_of(record), branches_of(expected), strict=True):
            np.testing.assert_array_equal(branch.kept, same.kept)
            np.testing.assert_allclose(branch.score, same.score, atol=1e-6)
        for alignment, likewise in zip(alignments_of(record), alignments_of(expected), strict=True):
            np.testing.assert_allclose(alignment.cosines, likewise.cosines, atol=1e-5)
            np.testing.assert_allclose(alignment.patch_cosines, likewise.patch_cosines, atol=1e-5)
    if case.images > 1:
        with pytest.raises(ValueError, match=f"image holds {case.images} images, but 1 is needed"):
            explain(model, **pair | {"img_embs": images.features()})


def test_an_image_of_an_index_is_explained_in_half_precision_too() -> None:
    model, inputs = Case(images=1).build()
    model, half = model.bfloat16(), {name: value.bfloat16() for name, value in one_pair(inputs, 0, 0).items()}
    image = ScoringEngine(model).encode_images(half["img_embs"][None]).features()
    record = explain(model, **half | {"img_embs": image})
    assert record.similarity == pytest.approx(explain(model, **half).similarity, abs=0.02)

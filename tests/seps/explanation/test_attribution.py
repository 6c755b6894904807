from typing import Any

import numpy as np
import pytest
import torch
from hypothesis import given, settings

from seps import explain
from seps.explanation.attribution import attribute_relevance, split_similarity
from seps.method.alignment import HRPA
from tests.helpers.examples import number_of_examples
from tests.helpers.models.cases import Case, cases, one_pair, random_masks


@given(cases)
@settings(max_examples=number_of_examples(100))
def test_attributions_add_up_to_the_similarity(case: Case) -> None:
    model, inputs = case.build()
    pair = one_pair(inputs, 0, 0)
    for masks in ({}, random_masks(case.seed, case.side**2, bool(case.dense_words))):
        record = explain(model, **pair, **masks)
        parts = split_similarity(model, record)
        assert len(parts) == 1 + (record.dense_alignment is not None)
        alignments = (record.sparse_alignment, record.dense_alignment)
        for attribution, alignment in zip(parts, alignments, strict=False):
            assert alignment is not None
            size = 1e-5 * max(1.0, abs(alignment.similarity))
            whole = attribution.of_words.sum() + attribution.of_tokens.sum() + attribution.left_over
            assert abs(whole - attribution.similarity) < 1e-9
            assert abs(attribution.similarity - alignment.similarity) < size
            # Each term of the record splits for itself.
            assert abs(attribution.word_means.sum() - alignment.word_to_patch) < 1e-5
            assert abs(attribution.token_means.sum() - alignment.patch_to_word) < 1e-5
            word_relevance = attribution.word_relevance.sum() + attribution.word_left_over
            token_relevance = attribution.token_relevance.sum() + attribution.token_left_over
            assert abs(word_relevance - alignment.word_relevance) < size
            assert abs(token_relevance - alignment.patch_relevance) < size
            assert abs(alignment.matrix.max(axis=0) / len(attribution.words) - attribution.word_means).max() < 1e-6
        assert abs(sum(part.similarity for part in parts) - record.similarity) < 1e-5 * max(1.0, abs(record.similarity))


def test_no_more_than_k_values_have_a_part_of_the_relevance() -> None:
    model, inputs = Case(words=9, top_k=3, seed=2).build()
    inputs["cap_lens"][0] = 9
    (attribution,) = split_similarity(model, explain(model, **one_pair(inputs, 0, 0)))
    best = set(np.argsort(-attribution.word_means)[:3].tolist())
    assert set(attribution.word_relevance.nonzero()[0].tolist()) == best
    assert (attribution.token_relevance != 0).sum() == 3


def test_the_released_variant_has_means_alone() -> None:
    model, inputs = Case(paper=False, dense_words=9).build()
    parts = split_similarity(model, explain(model, **one_pair(inputs, 0, 0)))
    assert [attribution.caption for attribution in parts] == ["sparse", "dense"]
    for part in parts:
        assert not part.word_relevance.any() and not part.token_relevance.any() and part.left_over == 0
    other, _ = Case(paper=True).build()
    with pytest.raises(ValueError, match="the record is one of the released variant"):
        split_similarity(other, explain(model, **one_pair(inputs, 0, 0)))


def test_what_is_left_over_is_what_the_mlp_says_of_nothing() -> None:
    torch.manual_seed(1)
    hrpa: Any = HRPA(top_k=4, use_paper_version=True).double()
    best = torch.rand(7, 6, dtype=torch.float64) * 2 - 0.5
    attribution, left_over = attribute_relevance(hrpa, best)
    nothing = hrpa.relevance(torch.zeros(1, dtype=torch.float64))
    torch.testing.assert_close(left_over, nothing.expand(7), atol=1e-9, rtol=0)
    torch.testing.assert_close(attribution.sum(dim=-1) + left_over, hrpa.relevance(best), atol=1e-9, rtol=0)
    # Of an MLP that is a plain product each part is the value times its weight.
    with torch.no_grad():
        hrpa.relevance_mlp[0].weight.zero_()[:4] = torch.eye(4) * 1e-3
        hrpa.relevance_mlp[0].bias.fill_(50.0)  # GELU is the identity there
        hrpa.relevance_mlp[2].weight[0, :4] = torch.tensor([1.0, 2, 3, 4], dtype=torch.float64) * 1e3
    attribution, _ = attribute_relevance(hrpa, torch.tensor([0.1, 0.9, 0.5, 0.2, 0.7], dtype=torch.float64))
    torch.testing.assert_close(attribution, torch.tensor([0.0, 0.9, 1.5, 0.8, 1.4], dtype=torch.float64))

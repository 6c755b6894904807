import re
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
import torch
import torch.nn.functional as F
from hypothesis import given, settings

from seps import CrossSparseAggrNet, ScoringEngine, explain
from tests.helpers.examples import number_of_examples
from tests.helpers.models.cases import Case, cases, indexed, one_pair, random_masks


def matched(model: CrossSparseAggrNet, pair: dict[str, Any], **masks: Any) -> Any:
    with torch.no_grad():
        image = model.encode_images(pair["img_embs"][None])
        return model.match(image, pair["cap_embs"], pair.get("dense_cap_embs"), **masks)


@given(cases)
@settings(max_examples=number_of_examples(100))
def test_module_explanation_and_engine_agree_on_random_masks(case: Case) -> None:
    model, inputs = replace(case, logit_scale=1.0).build()
    masks = random_masks(case.seed, case.side**2, bool(case.dense_words))
    engine, images, captions = indexed(model, inputs)
    scores = engine.score(images, captions, **masks)
    batched = ScoringEngine(model, batched=True).score(images, captions, **masks)
    torch.testing.assert_close(batched, scores, atol=1e-5, rtol=1e-5)
    for image in range(case.images):
        for caption in range(case.captions):
            pair = one_pair(inputs, image, caption)
            forced = float(matched(model, pair, **masks).similarity)
            record = explain(model, **pair, **masks)
            size = max(1.0, abs(forced))  # float32 has seven digits
            assert abs(record.similarity - forced) <= 1e-6 * size
            assert abs(float(scores[image, caption]) - forced) <= 1e-6 * size
            assert abs(sum(record.terms.values()) - record.similarity) <= 1e-6 * size
            assert (record.sparse.kept == masks["mask"].numpy()).all()
            assert record.dense is None or (record.dense.kept == masks["dense_mask"].numpy()).all()
            assert record.forced and record.sparse.forced


@pytest.mark.parametrize("paper", [False, True])
@pytest.mark.parametrize("dense_words", [0, 9])
def test_the_models_own_decision_given_from_outside_changes_nothing(paper: bool, dense_words: int) -> None:
    model, inputs = Case(images=3, captions=4, side=6, paper=paper, dense_words=dense_words).build()
    pair = one_pair(inputs, 1, 2)
    base = explain(model, **pair)
    assert not base.forced and "as requested" not in str(base)
    masks: dict[str, Any] = {"mask": base.sparse.kept} | ({} if base.dense is None else {"dense_mask": base.dense.kept})
    again = explain(model, **pair, **masks)
    assert again.forced and again.similarity == base.similarity
    assert str(again).count("as requested") == 1 + (base.dense is not None)
    engine, images, captions = indexed(model, inputs, batched=paper)
    free = engine.score(images, captions)
    torch.testing.assert_close(engine.score(images, captions, **masks)[1, 2], free[1, 2], atol=1e-6, rtol=0)
    # A row an image: the others keep their own decisions for the caption.
    with torch.no_grad():
        match = model.match(model.encode_images(inputs["img_embs"]), pair["cap_embs"], pair.get("dense_cap_embs"))
    rows: dict[str, Any] = {"mask": match.sparse.selection.mask > 0.5}
    if match.dense is not None:
        rows["dense_mask"] = match.dense.selection.mask > 0.5
    torch.testing.assert_close(engine.score(images, captions[2], **rows), free[:, 2:3], atol=1e-6, rtol=0)


def test_a_branch_without_a_mask_decides_by_its_score() -> None:
    model, inputs = Case(side=6, dense_words=9).build()
    pair = one_pair(inputs, 0, 0)
    base = explain(model, **pair)
    mask = np.zeros(36, dtype=np.bool_)
    mask[7] = True
    record = explain(model, **pair, mask=mask)
    assert base.dense is not None and record.dense is not None
    assert record.sparse.forced and not record.dense.forced and record.forced
    assert (record.dense.kept == base.dense.kept).all()
    assert record.sparse.kept.nonzero()[0].tolist() == [7]
    record = explain(model, **pair, dense_mask=mask)
    assert record.forced and not record.sparse.forced
    assert (record.sparse.kept == base.sparse.kept).all()


def test_one_kept_patch_is_every_aggregated_token_and_the_score_weighs_the_rest() -> None:
    model, inputs = Case(side=5, has_cls=False).build()
    pair = one_pair(inputs, 0, 0)
    mask = torch.arange(25) == 3
    match = matched(model, pair, mask=mask)
    patches, score = pair["img_embs"], match.sparse.selection.score[0]
    others = torch.where(mask, -torch.inf, score).softmax(dim=0).float() @ patches
    expected = torch.stack([*[patches[3]] * model.num_tokens, others])
    torch.testing.assert_close(match.tokens[0][0], F.normalize(expected, dim=-1), atol=1e-5, rtol=0)
    everything = matched(model, pair, mask=torch.ones(25, dtype=torch.bool))
    assert not everything.tokens[0][0, -1].any()  # nothing was dropped, and the extra token is empty


EVERY = torch.ones(16, dtype=torch.bool)
ROWS = torch.ones(3, 16, dtype=torch.bool)
ROWS[1] = False


@pytest.mark.parametrize(
    ("masks", "message"),
    [
        ({"mask": [True] * 16}, "mask is a list, but a torch.Tensor or a numpy array is needed"),
        ({"mask": torch.ones(16)}, "mask holds torch.float32, but bool is needed"),
        ({"mask": np.ones(16)}, "mask holds float64, but bool is needed"),
        ({"mask": torch.ones(17, dtype=torch.bool)}, "mask has shape (17,), but (16,), a bool a patch,"),
        ({"mask": torch.zeros(16, dtype=torch.bool)}, "mask keeps 0 of 16 patches, but at least 1 is needed"),
        ({"dense_mask": EVERY}, "dense_mask forces the dense branch, but there is no dense caption"),
    ],
)
def test_masks_that_decide_nothing_are_refused(masks: dict[str, Any], message: str) -> None:
    model, inputs = Case(images=3).build()
    pair = one_pair(inputs, 0, 0)
    engine, images, captions = indexed(model, inputs)
    for function in (
        lambda: explain(model, **pair, **masks),
        lambda: matched(model, pair, **masks),
        lambda: engine.score(images, captions, **masks),
    ):
        with pytest.raises(ValueError, match=re.escape(message)):
            function()
    with pytest.raises(ValueError, match="a forced decision is not drawn"):
        explain(model, **pair, mask=EVERY, generator=torch.Generator())
    with pytest.raises(ValueError, match="mask keeps 0 of 16 patches in row 1"):
        engine.score(images, captions, mask=ROWS)

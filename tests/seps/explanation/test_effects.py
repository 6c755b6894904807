from dataclasses import replace
from typing import Any

import numpy as np
import pytest
import torch
from hypothesis import given, settings

from seps import CrossSparseAggrNet, Explanation, explain
from seps.explanation import blanking, mask_flips
from seps.explanation.attribution import split_similarity
from seps.explanation.blanking import measure_blanked
from seps.explanation.effects import Effects, measure_effects
from tests.helpers.examples import number_of_examples
from tests.helpers.models.cases import Case, cases, one_pair, random_masks


def word_means(model: CrossSparseAggrNet, record: Explanation, branch: str) -> Any:
    parts = split_similarity(model, record)
    return parts[-1 if branch == "dense" else 0].word_means


def loop(
    model: CrossSparseAggrNet, pair: dict[str, Any], masks: dict[str, Any], branch: str
) -> tuple[Any, Any, Explanation]:
    """S minus S of a forced pass for each patch, (N,), of words (L, N), and the record of the unchanged decision."""
    base = explain(model, **pair, **masks, grid=(1, model.num_patches))
    means = word_means(model, base, branch)
    kept: dict[str, Any] = {"mask": base.sparse.kept} | ({} if base.dense is None else {"dense_mask": base.dense.kept})
    name = "mask" if branch == "sparse" else "dense_mask"
    effects, words = [], []
    for patch in range(model.num_patches):
        flipped = kept[name].copy()
        flipped[patch] = ~flipped[patch]
        if not flipped.any():
            effects.append(np.nan)
            words.append(np.full(len(means), np.nan))
            continue
        record = explain(model, **pair, **kept | {name: flipped}, grid=(1, model.num_patches))
        effects.append(base.similarity - record.similarity)
        words.append(means - word_means(model, record, branch))
    return np.array(effects), np.array(words).T, base


def check(model: CrossSparseAggrNet, pair: dict[str, Any], masks: dict[str, Any], branch: str) -> Effects:
    measured = measure_effects(model, **pair, **masks, branch=branch)
    effects, words, base = loop(model, pair, masks, branch)
    size = max(1.0, abs(base.similarity), float(np.nanmax(np.abs(effects), initial=0)))
    np.testing.assert_allclose(measured.effects, effects, atol=2e-6 * size, rtol=0)
    np.testing.assert_allclose(measured.word_effects, words, atol=2e-6 * size, rtol=0)
    assert abs(measured.similarity - base.similarity) < 2e-6 * size
    decided = base.sparse if branch == "sparse" else base.dense
    assert decided is not None and (measured.kept == decided.kept).all()
    return measured


@given(cases)
@settings(max_examples=number_of_examples(100))
def test_effects_equal_a_loop_of_forced_passes(case: Case) -> None:
    case = replace(case, side=min(3, case.side))
    model, inputs = case.build()
    pair = one_pair(inputs, 0, 0)
    masks = random_masks(case.seed, case.side**2, bool(case.dense_words)) if case.seed % 2 else {}
    for branch in ("sparse", "dense") if case.dense_words else ("sparse",):
        check(model, pair, masks, branch)


@pytest.mark.parametrize(("paper", "dense_words", "logit_scale"), [(False, 0, 1.0), (True, 9, 20.0)])
def test_effects_of_a_larger_grid(
    paper: bool, dense_words: int, logit_scale: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    case = Case(side=6, channels=32, paper=paper, dense_words=dense_words, logit_scale=logit_scale)
    model, inputs = case.build()
    measured = check(model, one_pair(inputs, 0, 0), {}, "sparse")
    assert (measured.effects != 0).sum() > 30
    assert (measured.worth == np.where(measured.kept, measured.effects, -measured.effects)).all()
    assert (measured.word_worth[:, measured.kept] == measured.word_effects[:, measured.kept]).all()
    monkeypatch.setattr(mask_flips, "MAX_ELEMENTS", 1)  # a patch at a time
    again = measure_effects(model, **one_pair(inputs, 0, 0))
    np.testing.assert_allclose(again.effects, measured.effects, atol=1e-6)


def test_a_patch_that_weighs_nearly_everything_keeps_its_digits() -> None:
    # The logits lie hundreds apart: every token is one patch, and without it the next.
    model, inputs = Case(side=5, logit_scale=500.0, has_cls=False).build()
    check(model, one_pair(inputs, 0, 0), {}, "sparse")


@pytest.mark.parametrize(
    ("measure", "changes", "message"),
    [
        (measure_effects, {"branch": "dense"}, "branch is 'dense'"),
        (measure_effects, {"mask": np.zeros(16, dtype=np.bool_)}, "mask keeps 0 of 16 patches"),
        (measure_blanked, {"neutral": torch.zeros(3)}, "neutral has 3 channels"),
        (measure_blanked, {"img_embs": torch.zeros(1, 17, 16)}, "img_embs has 3 dimensions"),
    ],
)
def test_what_effects_refuse(measure: Any, changes: dict[str, Any], message: str) -> None:
    model, inputs = Case().build()
    with pytest.raises(ValueError, match=message):
        measure(model, **one_pair(inputs, 0, 0) | changes)


def blanked_loop(
    model: CrossSparseAggrNet, pair: dict[str, Any], neutral: torch.Tensor, masks: dict[str, Any]
) -> tuple[Any, Any]:
    base = explain(model, **pair, **masks, grid=(1, model.num_patches))
    means = word_means(model, base, "sparse")
    effects, words = [], []
    for patch in range(model.num_patches):
        changed = pair["img_embs"].clone()
        changed[len(changed) - model.num_patches + patch] = neutral
        record = explain(model, **pair | {"img_embs": changed}, **masks, grid=(1, model.num_patches))
        effects.append(base.similarity - record.similarity)
        words.append(means - word_means(model, record, "sparse"))
    return np.array(effects), np.array(words).T


@given(cases)
@settings(max_examples=number_of_examples(100))
def test_blanked_patches_equal_a_loop_of_passes(case: Case) -> None:
    case = replace(case, side=min(3, max(2, case.side)))  # ties among equal patches aside
    model, inputs = case.build()
    pair = one_pair(inputs, 0, 0)
    masks = random_masks(case.seed, model.num_patches, bool(case.dense_words)) if case.seed % 3 == 0 else {}
    neutral = torch.randn(case.channels) if case.seed % 2 else pair["img_embs"][-model.num_patches :].mean(dim=0)
    measured = measure_blanked(model, **pair, **masks, neutral=neutral)
    effects, words = blanked_loop(model, pair, neutral, masks)
    size = max(1.0, abs(measured.similarity), float(np.abs(effects).max()))
    np.testing.assert_allclose(measured.effects, effects, atol=5e-6 * size, rtol=0)
    np.testing.assert_allclose(measured.word_effects, words, atol=5e-6 * size, rtol=0)


def test_blanked_patches_are_the_images_mean_and_come_in_batches(monkeypatch: pytest.MonkeyPatch) -> None:
    model, inputs = Case(side=5, dense_words=9, paper=False).build()
    pair = one_pair(inputs, 0, 0)
    measured = measure_blanked(model, **pair)
    effects, _ = blanked_loop(model, pair, pair["img_embs"][1:].mean(dim=0), {})
    np.testing.assert_allclose(measured.effects, effects, atol=2e-6)
    monkeypatch.setattr(blanking, "MAX_ELEMENTS", 25 * 16 * 4)  # four variants at a time, the last batch is one
    np.testing.assert_allclose(measure_blanked(model, **pair).effects, effects, atol=2e-6)
    assert measured.similarity == explain(model, **pair).similarity

from typing import Any

import numpy as np
import pytest
import torch
from hypothesis import given, settings

from seps import explain
from seps.explanation.effects import measure_effects
from seps.explanation.minimal import MinimalSet, smallest_change, smallest_set
from tests.helpers.examples import number_of_examples
from tests.helpers.models.cases import Case, cases, one_pair


@given(cases)
@settings(max_examples=number_of_examples(60))
def test_what_is_found_holds_and_loses_under_a_forced_pass(case: Case) -> None:
    model, inputs = case.build()
    pair = one_pair(inputs, 0, 0)
    base = explain(model, **pair)
    others = base.similarity + np.array([0.3, -0.02, -0.5, 0.1])
    branch = "dense" if case.dense_words and case.seed % 2 else "sparse"
    kept: dict[str, Any] = {"mask": base.sparse.kept} | ({} if base.dense is None else {"dense_mask": base.dense.kept})
    name = "mask" if branch == "sparse" else "dense_mask"

    def forced(result: MinimalSet) -> float:
        similarity = explain(model, **pair, **kept | {name: result.kept}).similarity
        assert result.similarity == pytest.approx(similarity, abs=1e-4)
        assert (result.kept == ((kept[name] & ~result.dropped) | result.added)).all()
        assert result.branch == branch and result.rank_before == 3
        return similarity

    few = smallest_set(model, **pair, others=others, branch=branch)
    assert few.count == few.kept.sum() <= kept[name].sum()
    assert forced(few) >= base.similarity - 0.02 - 1e-4 and few.rank <= 3
    change = smallest_change(model, **pair, others=others, branch=branch)
    if change is not None:
        assert forced(change) < base.similarity - 0.02 + 1e-4 and change.rank > 3
        assert change.count == change.dropped.sum() + change.added.sum() >= 1


def test_a_bar_between_two_effects_takes_one_change() -> None:
    model, inputs = Case(side=6).build()
    pair = one_pair(inputs, 0, 0)
    effects = measure_effects(model, **pair)
    highest, second = np.sort(effects.effects)[[-1, -2]]
    assert second > 0
    bar = effects.similarity - (highest + second) / 2
    change = smallest_change(model, **pair, others=[bar])
    assert change is not None and change.count == 1 and (change.rank_before, change.rank) == (1, 2)
    assert (change.dropped | change.added).nonzero()[0].tolist() == [int(effects.effects.argmax())]
    further = smallest_change(model, **pair, others=[bar - highest])
    assert further is None or further.count > 1


def test_a_photo_that_is_last_cannot_lose() -> None:
    model, inputs = Case(side=4).build()
    pair = one_pair(inputs, 0, 0)
    every: list[Any] = [[], torch.tensor([1e3, 2e3])]
    for others in every:
        assert smallest_change(model, **pair, others=others) is None
        few = smallest_set(model, **pair, others=others)
        assert few.count == 1 and few.rank == few.rank_before == 1 + len(others)
    assert smallest_change(model, **pair, others=[-1e3]) is None  # out of reach


@pytest.mark.parametrize(
    ("others", "message"),
    [
        (np.zeros((2, 2)), r"others has shape \(2, 2\)"),
        (["a"], r"but \(K,\) scores are needed"),
        ([np.nan], "others holds NaN or infinite scores"),
    ],
)
def test_scores_are_finite_numbers(others: Any, message: str) -> None:
    model, inputs = Case().build()
    for search in (smallest_set, smallest_change):
        with pytest.raises(ValueError, match=message):
            search(model, **one_pair(inputs, 0, 0), others=others)


def test_where_no_few_patches_reach_the_bar_the_decision_is_thinned() -> None:
    model, inputs = Case(side=6, seed=4).build()
    pair = one_pair(inputs, 0, 0)
    score = explain(model, **pair).similarity
    few = smallest_set(model, **pair, others=[score - 1e-6])
    assert 1 <= few.count <= 18 and few.rank == 1
    forced = explain(model, **pair, mask=few.kept)
    assert forced.similarity >= score - 3e-6

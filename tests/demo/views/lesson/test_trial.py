from dataclasses import replace
from typing import Any

import numpy as np
import pytest
import torch

from demo.galleries.indexes.index import require_in_memory
from demo.record.counterfactual import Trial, trial_columns, trial_rows
from demo.record.settings import Knobs, network_with
from demo.service.experiments.counterfactual import Attempts, Decided
from demo.service.masks import mask_text
from demo.service.retrieval import RetrievalService
from demo.views.lesson.walk import made_trial, trial_value, walk, walk_value
from seps import explain
from tests.demo.views.lesson.conftest import CAPTION, asked
from tests.helpers.models.records import random_record

MASK = np.random.default_rng(0).random(196) < 0.3


@pytest.mark.parametrize(
    ("settings", "with_dense"),
    [({"keep_ratio": 0.2, "beta": 0.4}, True), ({"variant": "released"}, False), ({"decision": "gumbel"}, True)],
)
def test_a_decision_by_hand_is_that_of_the_library(
    service: RetrievalService, base: Knobs, index: int, dense: str, settings: dict[str, Any], with_dense: bool
) -> None:
    knobs, model, indexed = replace(base, **settings), service.model, service.find("examples")
    walked = walk(asked(service, dense if with_dense else None, knobs, mask_text(MASK)))
    trial, drawn = walked.trial, knobs.decision == "gumbel"
    words = model.encode_captions([CAPTION])[0][0]
    long = model.encode_captions([dense], dense=True)[0][0] if with_dense else None
    draw = walked.record.dense.kept if drawn and walked.record.dense is not None else None
    expected = explain(
        network_with(model, knobs), indexed.patches(index), words, long, grid=model.grid, mask=MASK, dense_mask=draw
    )
    assert trial.now is not None and trial.by_hand and trial.decided.record is walked.record
    assert trial.now.record.similarity == pytest.approx(expected.similarity, abs=1e-6)
    assert trial.now.record.terms == pytest.approx(expected.terms, abs=1e-6)
    np.testing.assert_array_equal(trial.now.record.sparse.kept, MASK)
    if drawn:
        assert (trial.now.rank, trial.decided.total) == (0, 0)
        return
    batch = [part for each in (words, long) if each is not None for part in (each[None], torch.tensor([len(each)]))]
    with torch.no_grad():
        scores = network_with(model, knobs)(require_in_memory(indexed).embeddings, *batch)[:, 0]  # (V,)
    others = torch.cat([scores[:index], scores[index + 1 :]])
    assert (trial.now.rank, trial.now.total) == (1 + int((others > expected.similarity).sum()), len(indexed))


def test_without_one_the_patch_of_the_highest_effect_is_dropped(
    service: RetrievalService, base: Knobs, index: int
) -> None:
    walked = walk(asked(service, None, replace(base, variant="released", keep_ratio=0.1)))
    patches = service.find("examples").patches(index)
    trial, kept = walked.trial, walked.record.sparse.kept
    words = service.model.encode_captions([CAPTION])[0][0]

    def without(patch: int) -> float:
        mask = kept & (np.arange(196) != patch)
        return explain(walked.net, patches, words, grid=service.model.grid, mask=mask).similarity

    assert trial.now is not None and trial.patch is not None and not trial.by_hand
    lowest = min(without(patch) for patch in np.flatnonzero(kept).tolist())
    assert trial.now.record.similarity == pytest.approx(lowest, abs=2e-6)
    assert kept[trial.patch] and not trial.now.record.sparse.kept[trial.patch]


def test_the_step_tells_the_decision_in_words_and_numbers(service: RetrievalService, base: Knobs, dense: str) -> None:
    def value_of(text: str = "", **settings: Any) -> dict[str, Any]:
        return walk_value(asked(service, dense, replace(base, **settings), text), 9)

    plain, painted, drawn = value_of(), value_of(mask_text(MASK)), value_of(mask_text(MASK), decision="gumbel")
    assert plain["record"] == painted["record"]  # all other steps are the model's own
    value = plain["whatif"]
    row, column = divmod(value["patch"], 14)
    assert f"row {row + 1}, column {column + 1} has the highest effect" in plain["steps"][8]["sentence"]
    value = painted["whatif"]
    rows = {key: numbers for key, _, numbers in value["rows"]}
    assert value["patch"] is None and value["columns"] == ["the model", "by hand", "change"]
    assert rows["kept"][1] == str(MASK.sum())
    assert rows["score"][0] == f"{painted['record']['similarity']:.2f}"
    assert float(rows["score"][1]) - float(rows["score"][0]) == pytest.approx(float(rows["score"][2]), abs=1.1e-2)
    assert f"{MASK.sum()} of 196 patches kept" in painted["steps"][8]["sentence"]
    assert "never drawn" in drawn["steps"][8]["note"]
    assert "rank" not in {key for key, *_ in drawn["whatif"]["rows"]}
    with pytest.raises(ValueError, match="The mask 'AAAA' does not have 196 patches"):
        value_of("AAAA")


def test_one_kept_patch_stays() -> None:
    with pytest.warns(UserWarning, match="0 aggregated tokens"):
        record = random_record(sparse_ratio=0.03)
    assert record.sparse.kept.sum() == 1
    trial = made_trial(Attempts(Decided(record, 2, 9), np.zeros(8), lambda mask: record), None, np.zeros(28))
    assert trial == Trial(Decided(record, 2, 9)) and trial.patch is None
    assert trial_columns(trial) == ["the model"]
    assert [len(numbers) for *_, numbers in trial_rows(trial)] == [1] * (3 + len(record.terms))
    assert trial_value(trial)["patch"] is None

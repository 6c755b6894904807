"""A run that goes on longer than it began says what becomes of its learning rate."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from seps.generator import loop as generator_loop
from seps.generator.settings import GeneratorSettings, Stage
from seps.judge import loop as judge_loop
from seps.judge.settings import JudgeSettings
from seps.training.loop import begun_with, length_note
from seps.training.settings import TrainSettings

LINEAR = TrainSettings(epochs=4, schedule="linear", lr_warmup_steps=0)
ANEW = "For the curve of 8 from the start, train anew into another folder."


def test_a_longer_linear_schedule_is_told_with_both_rates() -> None:
    assert length_note(LINEAR, replace(LINEAR, epochs=8), 4, 10) == (
        "The run began with 4 epochs and goes on with 8, and the learning rate follows the schedule of 8: in epoch 5 "
        f"it is 0.5 of the largest, where that of 4 would have 0.02. {ANEW}"
    )
    assert length_note(LINEAR, LINEAR, 4, 10) == ""


def test_epochs_of_pretraining_are_not_counted_in_the_rate() -> None:
    settings = replace(LINEAR, pretrain_epochs=2, pooled_weight=1.0, epochs=8)
    assert "in epoch 5 it is 0.75 of the largest, where that of 4 would have 0.5." in length_note(
        LINEAR, settings, 4, 10
    )


def test_milestones_stay_where_they_are() -> None:
    settings = TrainSettings(epochs=4, schedule="multistep", lr_schedules=(3,), decay_rate=0.5, lr_warmup_steps=0)
    assert length_note(settings, replace(settings, epochs=8), 4, 10) == (
        "The run began with 4 epochs and goes on with 8: the learning rate of epoch 5 is 0.5 of the largest, as it was "
        "to be."
    )


def write_run(out: Path, recipe: dict[str, Any], **done: int) -> None:
    (out / "checkpoint").mkdir()
    (out / "recipe.json").write_text(json.dumps(recipe))
    (out / "checkpoint" / "checkpoint.json").write_text(json.dumps(done))
    (out / "checkpoint" / "checkpoint.safetensors").write_bytes(b"")


def test_a_judge_s_cosine_is_told_too(tmp_path: Path) -> None:
    settings = JudgeSettings(epochs=4, warmup=0.0)
    recipe = {"encoder": {"kind": "clip", "name": "clip"}, "training": settings.as_dict()}
    write_run(tmp_path, recipe, epoch=2)
    note = judge_loop.length_note(tmp_path, replace(settings, epochs=8))
    assert "The run began with 4 epochs and goes on with 8, " in note
    assert "in epoch 3 it is 0.854 of the largest, where that of 4 would have 0.5." in note
    assert judge_loop.length_note(tmp_path, settings) == ""
    (tmp_path / "recipe.json").unlink()
    assert judge_loop.length_note(tmp_path, replace(settings, epochs=8)) == ""


def test_a_stage_of_a_generator_is_told_too(tmp_path: Path) -> None:
    settings = GeneratorSettings(stages=(Stage(epochs=4), Stage(epochs=4)), lr_warmup_epochs=0.0)
    write_run(tmp_path, {"training": settings.as_dict()}, stage=1, epoch=2)
    longer = replace(settings, stages=(settings.stages[0], Stage(epochs=8)))
    note = generator_loop.length_note(tmp_path, longer, 1, 2)
    assert "in epoch 3 it is 0.854 of the largest, where that of 4 would have 0.5." in note
    assert generator_loop.length_note(tmp_path, longer, 0, 2) == ""


@pytest.mark.parametrize("content", [None, "{", "[]", '{"training": {"epochs": 0}}'])
def test_a_recipe_that_cannot_be_read_any_more_says_nothing(tmp_path: Path, content: str | None) -> None:
    if content is not None:
        (tmp_path / "recipe.json").write_text(content)
    assert begun_with(tmp_path) is None

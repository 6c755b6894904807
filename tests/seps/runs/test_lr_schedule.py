from dataclasses import replace
from pathlib import Path

import pytest

from seps.generator.config import GeneratorConfig
from seps.generator.training import loop as generator_loop
from seps.generator.training.settings import GeneratorSettings, Stage
from seps.judge.config import EncoderConfig, JudgeConfig
from seps.judge.training import loop as judge_loop
from seps.judge.training.settings import JudgeSettings
from seps.runs.checkpoint import RunState
from seps.runs.lr_schedule import cosine_with_warmup, linear, multistep
from seps.runs.recipe import write_recipe
from seps.training.loop import align_factor, schedule_note
from seps.training.settings import TrainSettings

LINEAR = TrainSettings(epochs=4, schedule="linear", lr_warmup_steps=0)


def test_multistep_decays_at_the_published_epochs() -> None:
    usual = TrainSettings()
    factors = [multistep(epoch, 0, usual.lr_schedules, usual.decay_rate, 0) for epoch in range(30)]
    assert [epoch for epoch in range(1, 30) if factors[epoch] != factors[epoch - 1]] == [9, 15, 20, 25]
    assert factors[-1] == pytest.approx(0.3**4)


def test_linear_rises_then_falls_to_two_per_cent() -> None:
    factors = [linear(step, 100, 10) for step in range(100)]
    assert factors[0] == pytest.approx(0.1)
    assert factors[50] == pytest.approx(0.5)
    assert min(factors[10:]) == factors[-1] == pytest.approx(0.02)


def test_a_cosine_rises_by_steps_and_ends_near_zero() -> None:
    factors = [cosine_with_warmup(step, 12, 2) for step in range(12)]
    assert factors[:3] == [0.5, 1.0, 1.0]
    assert factors[7] == pytest.approx(0.5)
    assert factors[11] == pytest.approx(0.5 * (1 - 0.9510565))


def test_a_longer_linear_schedule_is_told_with_both_rates() -> None:
    note = schedule_note(LINEAR, replace(LINEAR, epochs=8), 4, 10)
    assert note.startswith("The run began with 4 epochs and goes on with 8, and the learning rate follows the")
    assert "in epoch 5 it is 0.5 of the largest, while the curve of 4 has 0.02." in note
    assert schedule_note(LINEAR, LINEAR, 4, 10) == ""


def test_a_judge_s_cosine_is_told_too(tmp_path: Path) -> None:
    settings = JudgeSettings(epochs=4, warmup=0.0)
    write_recipe(tmp_path, JudgeConfig(EncoderConfig("clip", "clip")), settings)
    note = judge_loop.schedule_note(tmp_path, replace(settings, epochs=8), 2)
    assert "in epoch 3 it is 0.854 of the largest, while the curve of 4 has 0.5." in note
    assert judge_loop.schedule_note(tmp_path, settings, 2) == ""
    (tmp_path / "recipe.json").unlink()
    assert judge_loop.schedule_note(tmp_path, replace(settings, epochs=8), 2) == ""


def test_a_stage_of_a_generator_is_told_too(tmp_path: Path) -> None:
    settings = GeneratorSettings(stages=(Stage(epochs=4), Stage(epochs=4)), lr_warmup_epochs=0.0)
    write_recipe(tmp_path, GeneratorConfig(), settings)
    longer = replace(settings, stages=(settings.stages[0], Stage(epochs=8)))
    note = generator_loop.schedule_note(tmp_path, longer, RunState(2, stage=1))
    assert "in epoch 3 it is 0.854 of the largest, while the curve of 4 has 0.5." in note
    assert generator_loop.schedule_note(tmp_path, longer, RunState(2)) == ""


def test_the_ranking_loss_rises_over_its_epochs() -> None:
    assert [align_factor(2, step, 4) for step in (0, 2, 4, 8, 20)] == [0.0, 0.25, 0.5, 1.0, 1.0]
    assert [align_factor(0, step, 4) for step in (0, 20)] == [1.0, 1.0]


def test_milestones_stay_where_they_are() -> None:
    settings = TrainSettings(epochs=4, schedule="multistep", lr_schedules=(3,), decay_rate=0.5, lr_warmup_steps=0)
    note = schedule_note(settings, replace(settings, epochs=8), 4, 10)
    assert note.endswith("the learning rate of epoch 5 is 0.5 of the largest, as it was to be.")

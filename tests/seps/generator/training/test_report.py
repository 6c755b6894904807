from pathlib import Path
from unittest.mock import Mock

import pytest
import torch

from seps.generator.config import GeneratorConfig
from seps.generator.training import loop
from seps.generator.training.losses import Objective
from seps.generator.training.report import fall_note, memory_error, plateau_note, success_marks, time_note
from seps.generator.training.settings import GeneratorSettings, Stage

STAGE = Stage(losses=("captions",))


def test_a_loss_that_does_not_fall_in_its_first_epoch_is_told() -> None:
    assert fall_note([5.0 - i / 20 for i in range(40)], STAGE, 1e-3) == ""
    assert "lower the learning rate of 0.001" in fall_note([5.0] * 40, STAGE, 1e-3)
    assert fall_note([5.0] * 19, STAGE, 1e-3) == ""  # too short to judge


def test_memory_that_runs_out_is_told_with_a_batch_that_fits(
    drawn: Path, config: GeneratorConfig, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    cpu = RuntimeError("DefaultCPUAllocator: can't allocate memory: you tried to allocate 1073741824 bytes.")
    assert memory_error(cpu, 64) is not None
    assert memory_error(RuntimeError("shapes do not match"), 64) is None
    shortage = torch.cuda.OutOfMemoryError("CUDA out of memory. Tried to allocate 2.00 GiB")
    monkeypatch.setattr(Objective, "forward", Mock(side_effect=shortage))
    settings = GeneratorSettings(stages=(Stage(epochs=1),), batch_size=8)
    with pytest.raises(ValueError, match=r"^Memory ran out at a batch of 8: give --set training\.batch_size=4, "):
        loop.train(config, settings, drawn, tmp_path)


def rows_of(accuracy: float) -> list[dict[str, float]]:
    shared = {"stage": 1.0, "i2t": accuracy, "t2i": 1.0, "dev_i2t": accuracy, "dev_t2i": 1.0, "dev_contrastive": 1.0}
    losses = [{"dev_loss": 6.0, "dev_captions": 9.0}, {"dev_loss": 1.0, "dev_captions": 2.0}]
    return [shared | row | {"epoch": i + 1.0} for i, row in enumerate(losses)]


@pytest.mark.parametrize(
    ("batch", "accuracy", "level"),
    [
        (8, 0.14, "stuck"),  # chance with noise
        (8, 0.4, "learning"),
        (64, 0.078, "learning"),  # five times chance is not yet good
        (8, 0.91, "good"),
    ],
)
def test_in_batch_accuracy_says_which_level_a_run_is_at(batch: int, accuracy: float, level: str) -> None:
    marks = success_marks(rows_of(accuracy), GeneratorSettings(batch_size=batch), vocabulary=1000)
    assert marks[1].endswith(f": {level}.")
    assert f"chance {1 / batch:.1%}" in marks[1]
    assert marks[-1].startswith(f"This run is {level}: ")


def test_accuracy_in_training_is_not_taken_for_accuracy_on_dev() -> None:
    rows = [row | {"i2t": 1.0} for row in rows_of(0.125)]
    marks = success_marks(rows, GeneratorSettings(batch_size=8))
    assert "100.0% in training, 12.5% on dev" in marks[1]
    assert marks[-1].startswith("This run is stuck")


@pytest.mark.parametrize(
    ("captions", "vocabulary", "level"),
    [(10.3, 30_000, "stuck"), (2.9, 100, "learning"), (4.6, 100, "stuck")],  # of 100 words half of chance is 2.3
)
def test_the_loss_of_captions_is_compared_with_chance(captions: float, vocabulary: int, level: str) -> None:
    rows = [{"epoch": 1.0, "stage": 1.0, "dev_loss": captions, "dev_captions": captions}]
    marks = success_marks(rows, GeneratorSettings((Stage(("captions",)),)), vocabulary)
    assert len(marks) == 2 and marks[0].endswith(f": {level}.")


def test_a_loss_that_stays_is_told_after_some_epochs() -> None:
    falling = [{"dev_loss": 3.0 - i / 10} for i in range(9)]
    assert plateau_note(falling) == plateau_note(falling[:2]) == ""
    assert plateau_note([*falling, *[{"dev_loss": 2.5}] * 4]) == ""
    assert "not been lower for 5 epochs" in plateau_note([*falling, *[{"dev_loss": 2.5}] * 5])


def test_what_is_left_is_told_in_hours() -> None:
    assert time_note(90.0, 40, "cpu") == "40 epochs left, about 1.0 hours at this speed."
    assert time_note(90.0, 0, "cpu") == ""
    assert "a GPU" in time_note(3600.0, 13, "cpu") and "bf16" in time_note(3600.0, 13, "cuda")

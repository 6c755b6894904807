"""What a generator's training tells: from numbers as it has them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import torch

from seps.generator import loop
from seps.generator.config import GeneratorConfig
from seps.generator.settings import GeneratorSettings, Stage
from seps.generator.watch import fall_note, memory_error, plateau_note, success_marks, time_note

STAGE = Stage(losses=("captions",))


def test_a_loss_that_does_not_fall_in_its_first_epoch_is_told() -> None:
    assert fall_note([5.0 - i / 20 for i in range(40)], STAGE, 1e-3) == ""
    assert "lower the learning rate of 0.001" in fall_note([5.0] * 40, STAGE, 1e-3)
    assert fall_note([5.0] * 19, STAGE, 1e-3) == ""  # too short to tell


def test_a_loss_that_stays_is_told_after_some_epochs() -> None:
    falling = [{"dev_loss": 3.0 - i / 10} for i in range(9)]
    assert plateau_note(falling) == plateau_note(falling[:2]) == ""
    assert plateau_note([*falling, *[{"dev_loss": 2.5}] * 4]) == ""
    assert "not been lower for 5 epochs" in plateau_note([*falling, *[{"dev_loss": 2.5}] * 5])


def test_what_is_left_is_told_in_hours() -> None:
    assert time_note(90.0, 40, "cpu") == "40 epochs left, about 1.0 hours at this speed."
    assert time_note(90.0, 0, "cpu") == ""
    assert "a GPU" in time_note(3600.0, 13, "cpu") and "bf16" in time_note(3600.0, 13, "cuda")


@pytest.mark.parametrize(
    "shortage",
    [
        torch.cuda.OutOfMemoryError("CUDA out of memory. Tried to allocate 2.00 GiB"),
        RuntimeError("DefaultCPUAllocator: can't allocate memory: you tried to allocate 1073741824 bytes."),
    ],
    ids=["cuda", "cpu"],
)
def test_memory_that_runs_out_is_told_with_a_batch_that_fits(
    drawn: Path, config: GeneratorConfig, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, shortage: RuntimeError
) -> None:
    assert memory_error(RuntimeError("shapes do not match"), 64) is None

    def forward(*_: Any) -> None:
        raise shortage

    monkeypatch.setattr(loop.Objective, "forward", forward)
    settings = GeneratorSettings(stages=(Stage(epochs=1),), batch_size=8)
    with pytest.raises(ValueError, match=r"^Memory ran out at a batch of 8: give --set training\.batch_size=4, "):
        loop.train(config, settings, drawn, tmp_path)


def test_marks_tell_what_was_learned() -> None:
    rows = [
        {"dev_captions": 4.0, "dev_pixels": 0.5, "i2t": 0.1, "t2i": 0.2},
        {"dev_captions": 1.0, "dev_pixels": 0.45, "i2t": 0.6, "t2i": 0.7},
    ]
    assert success_marks(rows, GeneratorSettings(batch_size=16)) == [
        "captions: loss on dev 4 to 1, 25% of the first: reached.",
        "pixels: loss on dev 0.5 to 0.45, 90% of the first: missed, to be learned it falls to 80% at least.",
        "image and caption in a batch of 16: 60% right: reached.",
    ]
    rows[-1]["i2t"] = 0.3
    assert success_marks(rows, GeneratorSettings(batch_size=16))[-1].endswith("30% right: missed, 31% is the mark.")
    assert success_marks([], GeneratorSettings()) == []

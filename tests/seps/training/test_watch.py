from typing import Any

import pytest

from seps.training.settings import TrainSettings
from seps.training.watch import epoch_warnings, start_warnings

HEALTHY_ROW = {"epoch": 3.0, "loss": 1.0, "align": 1.0, "ratio": 0.0, "kept": 0.5}
USUAL = TrainSettings(batch_size=32)


def warnings(epoch: int = 5, sampled: bool = True, **row: float) -> list[str]:
    return epoch_warnings(HEALTHY_ROW | {"target_ratio": 0.5} | row, USUAL, epoch, sampled)


def test_what_is_well_brings_no_warning() -> None:
    assert start_warnings(USUAL, 196, 0.5) == []
    assert warnings() == []
    assert warnings(kept=0.549, ratio=0.0099) == []
    assert warnings(0, loss=29.0, align=24.0) == []
    assert epoch_warnings({"epoch": 1.0, "loss": 400.0}, USUAL, 0, True) == []  # pre-training


@pytest.mark.parametrize(
    ("values", "patches", "ratio", "beginning"),
    [
        ({}, 49, 0.8, "A keep ratio of 0.8 leaves 40 of 49 patches, but the training guide advises 50 to 150"),
        ({}, 196, 0.25, "A keep ratio of 0.25 leaves 49 of 196 patches"),
        ({"hard_after": 0}, 196, 0.5, "Hardest negatives count from epoch 0"),
        ({"ratio_weight": 5.5}, 196, 0.5, "The ratio weight is 5.5, above 5"),
        ({"align_weight": 0.0, "pooled_weight": 1.0}, 49, 0.8, None),
        ({"hard_after": 0, "loss": "infonce"}, 196, 0.5, None),
    ],
)
def test_settings_to_warn_of(values: dict[str, Any], patches: int, ratio: float, beginning: str | None) -> None:
    sentences = start_warnings(TrainSettings(**values), patches, ratio)
    assert len(sentences) == (beginning is not None)
    assert all(sentence.startswith(str(beginning)) for sentence in sentences)


def test_a_kept_ratio_off_its_target() -> None:
    (sentence,) = warnings(kept=0.58)
    assert sentence.startswith("In epoch 3 0.580 of the patches were kept, more than 0.05 off the target of 0.5")
    assert sentence.endswith("raise ratio_weight.")
    assert warnings(kept=0.4, sampled=False) == []  # top k fixes it


def test_losses_that_are_not_healthy() -> None:
    (sentence,) = warnings(ratio=0.02)
    assert sentence.startswith("The ratio loss of epoch 3 is 0.02, outside 0 to 0.01, which the training guide calls")
    assert warnings(ratio=0.02, sampled=False) == []  # it does not count
    total, align = warnings(0, loss=390.0, align=389.0)
    assert total.startswith("The total loss of epoch 3 is 390, outside 10 to 30")
    assert align.startswith("The align loss of epoch 3 is 389, outside 8 to 25")
    assert "all negatives of a batch of 32 it starts near 396.8" in align
    assert "hardest negatives of a batch of 32 it starts near 12.8" in warnings(1, loss=12.0, align=5.0)[0]

from __future__ import annotations

import pytest

from seps.training.guide import ADVICE, CLAIMED_KEPT, table
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
    ("patches", "ratio", "kept"), [(49, 0.8, "40 of 49"), (576, 0.5, "288 of 576"), (196, 0.25, "49 of 196")]
)
def test_a_keep_ratio_that_leaves_few_or_many_patches(patches: int, ratio: float, kept: str) -> None:
    (sentence,) = start_warnings(USUAL, patches, ratio)
    assert sentence.startswith(f"A keep ratio of {ratio:g} leaves {kept} patches")
    assert "50 to 150" in sentence
    assert start_warnings(TrainSettings(align_weight=0, pooled_weight=1), patches, ratio) == []


def test_hardest_negatives_from_epoch_0() -> None:
    (sentence,) = start_warnings(TrainSettings(hard_after=0), 196, 0.5)
    assert sentence.startswith("Hardest negatives count from epoch 0")
    assert start_warnings(TrainSettings(hard_after=0, loss="infonce"), 196, 0.5) == []


def test_a_ratio_weight_above_5() -> None:
    assert start_warnings(TrainSettings(ratio_weight=5.0), 196, 0.5) == []
    (sentence,) = start_warnings(TrainSettings(ratio_weight=5.5), 196, 0.5)
    assert sentence.startswith("The ratio weight is 5.5, above 5")


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


def test_the_table_has_the_guide_s_advice() -> None:
    rows = {row.setting: row for row in ADVICE}
    assert {"margin", "ratio_weight", "lambda_sparse, lambda_dense", "batch_size", "hard_after"} <= rows.keys()
    assert rows["order in which to mend"].usual == "align, ratio, hard negatives"
    defaults = TrainSettings()
    assert float(rows["margin"].usual) == defaults.margin
    assert float(rows["ratio_weight"].usual) == defaults.ratio_weight
    assert (int(rows["batch_size"].usual), int(rows["hard_after"].usual)) == (defaults.batch_size, defaults.hard_after)
    assert len(table().splitlines()) == len(ADVICE) + 2
    assert list(CLAIMED_KEPT) == [0, 1, 2, 5]

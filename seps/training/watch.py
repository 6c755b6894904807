"""What is amiss in a run, each in a sentence: told, and training goes on."""

from __future__ import annotations

from seps.method.selection import kept_count
from seps.training.guide import FEWEST_KEPT, HEALTHY, KEPT_OFF, MOST_KEPT, MOST_RATIO_WEIGHT
from seps.training.settings import TrainSettings


def start_warnings(settings: TrainSettings, patches: int, keep_ratio: float) -> list[str]:
    """Tell what the recipe's settings let expect, before the first epoch.

    Args:
        patches: N of an image; keep_ratio: what is kept of them, in (0, 1]: the network's, or where decisions are drawn
            the ratio loss's target.
    """
    if not settings.align_weight:  # without the network nothing is selected
        return []
    found = []
    kept = kept_count(patches, keep_ratio)
    if not FEWEST_KEPT <= kept <= MOST_KEPT:
        found.append(
            f"A keep ratio of {keep_ratio:g} leaves {kept} of {patches} patches, but the training guide advises "
            f"{FEWEST_KEPT} to {MOST_KEPT}: change sparse_ratio, unless it is a published one."
        )
    if settings.loss == "triplet" and settings.hard_after == 0:
        found.append(
            "Hardest negatives count from epoch 0 on, which can make training unstable: set hard_after to 1, so that "
            "the first epoch takes all negatives."
        )
    return [*found, *weight_warnings(settings.ratio_weight)]


def epoch_warnings(
    row: dict[str, float], settings: TrainSettings, main_epoch: int, drawn: bool, next_weight: float
) -> list[str]:
    """Tell what an epoch's means show.

    Args:
        row: the epoch's columns of metrics.csv: "epoch", "loss", and where the network trains "align", "ratio", "kept",
            "ratio_weight" and "target_ratio".
        main_epoch: counted from 0, after pre-training; drawn: whether decisions were drawn, so that L_ratio counts.
        next_weight: the ratio weight of the next epoch.
    """
    if "align" not in row:
        return []
    found = []
    target, epoch = row["target_ratio"], f"epoch {row['epoch']:g}"
    if abs(row["kept"] - target) > KEPT_OFF:
        mend = "raise ratio_weight" if drawn else "top k keeps sparse_ratio, whatever the target: make them equal"
        found.append(
            f"In {epoch} {row['kept']:.3f} of the patches were kept, more than {KEPT_OFF:g} off the target of "
            f"{target:g}: {mend}."
        )
    if next_weight != row["ratio_weight"]:  # told when it changes
        found += weight_warnings(next_weight)
    return [*found, *loss_warnings(row, settings, main_epoch, drawn)]


def weight_warnings(weight: float) -> list[str]:
    """Tell where the ratio weight is too high."""
    if weight <= MOST_RATIO_WEIGHT:
        return []
    return [
        f"The ratio weight is {weight:g}, above {MOST_RATIO_WEIGHT:g}, so that the ratio loss may outweigh the ranking "
        "loss: lower ratio_weight."
    ]


def loss_warnings(row: dict[str, float], settings: TrainSettings, main_epoch: int, drawn: bool) -> list[str]:
    """Tell which losses lie outside what the guide calls healthy: the triplet loss in the first epoch and in the first
    with hardest negatives, since it means the start; the ratio loss, where it counts, in every epoch."""
    checked = ["ratio"] if drawn else []
    if settings.loss == "triplet" and main_epoch in (0, settings.hard_after):
        checked = ["loss", "align", *checked]
    batch, hardest = settings.batch_size, main_epoch >= settings.hard_after
    start = 2 * batch * settings.margin * (1 if hardest else batch - 1)
    found = []
    for name in checked:
        low, high = HEALTHY[name]
        if low <= row[name] <= high:
            continue
        title = {"loss": "total", "align": "align", "ratio": "ratio"}[name]
        told = (
            "raise ratio_weight if it stays"
            if name == "ratio"
            else f"with {'hardest' if hardest else 'all'} negatives of a batch of {batch} it starts near {start:.4g} "
            "while all pairs score alike, so compare with that first"
        )
        found.append(
            f"The {title} loss of epoch {row['epoch']:g} is {row[name]:.4g}, outside {low:g} to {high:g}, which the "
            f"training guide calls healthy: {told}."
        )
    return found

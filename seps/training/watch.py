"""Warnings about a run, one sentence each; training continues."""

from seps.method.selection import count_kept
from seps.training.guide import HEALTHY, KEPT_OFF, MAX_KEPT, MAX_RATIO_WEIGHT, MIN_KEPT
from seps.training.settings import TrainSettings


def start_warnings(settings: TrainSettings, patches: int, keep_ratio: float) -> list[str]:
    """Return warnings about the recipe's settings for N patches, of which the network keeps `keep_ratio`."""
    if not settings.align_weight:  # without the network nothing is selected
        return []
    warnings = []
    kept = count_kept(patches, keep_ratio)
    if not MIN_KEPT <= kept <= MAX_KEPT:
        warnings.append(
            f"A keep ratio of {keep_ratio:g} leaves {kept} of {patches} patches, but the training guide advises "
            f"{MIN_KEPT} to {MAX_KEPT}: change sparse_ratio, unless it is a published one."
        )
    if settings.loss == "triplet" and settings.hard_after == 0:
        warnings.append(
            "Hardest negatives count from epoch 0 on, which can make training unstable: set hard_after to 1, so that "
            "the first epoch takes all negatives."
        )
    if settings.ratio_weight > MAX_RATIO_WEIGHT:
        warnings.append(
            f"The ratio weight is {settings.ratio_weight:g}, above {MAX_RATIO_WEIGHT:g}, so that the ratio loss may "
            "outweigh the ranking loss: lower ratio_weight."
        )
    return warnings


def epoch_warnings(row: dict[str, float], settings: TrainSettings, main_epoch: int, sampled: bool) -> list[str]:
    """Return warnings about the means of an epoch, a line of metrics.csv."""
    if "align" not in row:
        return []
    warnings = []
    target, kept, epoch = row["target_ratio"], row["kept"], f"epoch {row['epoch']:g}"
    if sampled and abs(kept - target) > KEPT_OFF:
        warnings.append(
            f"In {epoch} {kept:.3f} of the patches were kept, more than {KEPT_OFF:g} off the target of {target:g}: "
            "raise ratio_weight."
        )
    batch, hardest = settings.batch_size, main_epoch >= settings.hard_after
    start = 2 * batch * settings.margin * (1 if hardest else batch - 1)
    advice = (
        f"with {'hardest' if hardest else 'all'} negatives of a batch of {batch} it starts near {start:.4g} while all "
        "pairs score alike, so compare with that first"
    )
    starts = settings.loss == "triplet" and main_epoch in (0, settings.hard_after)
    checked = [("total", "loss", advice), ("align", "align", advice)] if starts else []
    checked += [("ratio", "ratio", "raise ratio_weight if it stays")] if sampled else []
    for title, name, remedy in checked:
        low, high = HEALTHY[name]
        if not low <= row[name] <= high:
            warnings.append(
                f"The {title} loss of {epoch} is {row[name]:.4g}, outside {low:g} to {high:g}, which the training "
                f"guide calls healthy: {remedy}."
            )
    return warnings

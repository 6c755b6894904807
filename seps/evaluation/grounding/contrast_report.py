"""Report of the contrast of captions: figures with their intervals, as JSON and as a table."""

from dataclasses import asdict, dataclass
from typing import Any

from seps.common.numbers import amount
from seps.evaluation.grounding.report import TEXTS, estimate_table
from seps.runs.bootstrap import Estimate

COLUMNS, MEANINGS, ROWS = (TEXTS["contrast"][name] for name in ("columns", "meanings", "rows"))


@dataclass(frozen=True)
class MapContrast:
    """One map's figures, see `contrast`; weight inside is None for maps that are not weights."""

    own: Estimate
    other: Estimate
    contrast: Estimate
    iou: Estimate
    above: Estimate
    auc: Estimate
    inside_own: Estimate | None
    inside_other: Estimate | None


@dataclass(frozen=True)
class Contrast:
    """Result of the contrast measurement on a split: k of N patches kept, the caption's share, and figures by map."""

    model: str
    split: str
    regions: str
    images: int
    pairs: int
    phrases: int
    kept: int
    patches: int
    caption_share: Estimate | None
    maps: dict[str, MapContrast]

    def as_dict(self) -> dict[str, Any]:
        """Return plain values for JSON."""
        return asdict(self)

    def table(self) -> str:
        """Format the result for the terminal."""
        return "\n".join(estimate_table([self.summary()], COLUMNS, MEANINGS, ROWS, self.maps))

    def summary(self) -> str:
        """Summarize the measurement and the caption's share of the score's variance."""
        fraction = self.caption_share
        spread = (
            "The score has no spread within an image."
            if fraction is None
            else f"Of the score's variance within an image {100 * fraction.mean:.1f}% are the caption's "
            f"({100 * fraction.low:.1f} to {100 * fraction.high:.1f}), "
            "the rest is the same under all of the image's phrases."
        )
        return (
            f"{self.model or 'model'} on {self.split}: {amount(self.pairs, 'pair')} of phrases of "
            f"{amount(self.images, 'image')} name things with disjoint {self.regions}. Each phrase is used as a "
            f"caption by itself, {self.kept} of {self.patches} patches kept. {spread}"
        )

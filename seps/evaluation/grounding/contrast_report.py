"""Report of the contrast of captions: figures with their intervals, as JSON and as a table."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any

from seps.evaluation.grounding.report import estimate_table
from seps.numbers import amount
from seps.runs.bootstrap import Estimate

COLUMNS = {
    "own": "own kept",
    "other": "other's kept",
    "contrast": "contrast",
    "iou": "IoU",
    "above": "own above",
    "auc": "AUC",
    "inside_own": "inside own",
    "inside_other": "inside other",
}
MEANINGS = {  # of the columns, in their order
    "own": "the share of the phrase's own region among the patches kept; higher is better",
    "other": "the share of the other phrase's region among them; lower is better",
    "contrast": "the first less the second: 0 where the caption moves nothing; higher is better",
    "iou": "the overlap of both phrases' kept patches: 1 if they are identical; lower is better",
    "above": "the share of phrases with the higher map mean in their own region; 0.5 is blind",
    "auc": "how probably a patch of the own region comes before one of the other; 0.5 is blind",
    "inside_own": "the share of the map's weight in the phrase's own region; higher is better",
    "inside_other": "the share of it in the other region; lower is better",
}
ROWS = {  # descriptions of the maps
    "score": "the significance score: what it keeps is the decision mask",
    "s_p": "its learnt part, s^p, which depends only on the photograph",
    "s_st": "its part s^st, the caption's attention",
    "s_im": "its part s^im, the photograph's attention to itself",
    "word_map": "the model's word maps, the mean over the phrase's words",
    "cosine": "its patches and words compared without selection and merging",
    "gradient": "gradient times input of the phrase's words",
    "centre": "a blob in the middle of every image",
    "random": "values drawn for each phrase",
}


@dataclass(frozen=True)
class MapContrast:
    """One map's figures, see `seps.evaluation.grounding.contrast`; weight inside is None for maps that are not
    weights."""

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
    """Result of the contrast measurement on a split.

    Attributes:
        model, split: their names.
        regions: "boxes" or "masks".
        images: number with a pair; pairs: their number; phrases: their number, each once per image.
        kept: k, the patches that a decision keeps; patches: out of how many.
        caption_share: the caption's share of the score's variance, in [0, 1]; None for scores without variance.
        maps: "score", the variant's parts of it, and optionally "word_map", "cosine", "gradient", "centre" and
            "random".
    """

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

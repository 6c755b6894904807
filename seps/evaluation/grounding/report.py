"""What the measurement found: figures with their intervals, for JSON and as a table."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any

from seps.evaluation.bootstrap import Estimate
from seps.evaluation.grounding.curves import Curves

COLUMNS = {
    "energy_inside": "weight inside",
    "pointing_game": "pointing game",
    "kept_mentioned": "kept: mentioned",
    "kept_unmentioned": "unmentioned",
    "kept_background": "background",
    "mentioned_to_background": "ment./backgr.",
    "deletion": "deletion",
    "insertion": "insertion",
}
FIRST, WIDTH = 10, 16


@dataclass(frozen=True)
class Pointing:
    """One method's figures, see `seps.grounding`; None where there is nothing to measure it on."""

    energy_inside: Estimate
    pointing_game: Estimate
    kept_mentioned: Estimate | None
    kept_unmentioned: Estimate | None
    kept_background: Estimate | None
    mentioned_to_background: Estimate | None
    deletion: Estimate | None
    insertion: Estimate | None


@dataclass(frozen=True)
class Grounding:
    """Where a model's pictures point, on a split.

    Attributes:
        model, split: their names.
        regions: what objects are known by, "boxes" or "masks".
        images: how many have a phrase that counts; captions, phrases: how many count.
        cut_off: of these, phrases that the limit of tokens cut, at least in part: misses without any weight inside.
        without_map: of these, phrases whose map is zero, as every word met [CLS] best: likewise.
        skipped: phrases beside these whose tokens could not be found in their sentence.
        methods: "seps", "cosine", "gradient", "centre" and "random".
        kinds: for each kind of phrase ("people", "clothing", ...; the first where it has several) how many there are,
            and the mean weight inside and pointing game of SEPS.
        curves: the mean deletion and insertion curves; None where none were asked for.
    """

    model: str
    split: str
    regions: str
    images: int
    captions: int
    phrases: int
    cut_off: int
    without_map: int
    skipped: int
    methods: dict[str, Pointing]
    kinds: dict[str, dict[str, float]]
    curves: Curves | None

    def as_dict(self) -> dict[str, Any]:
        """Plain values for JSON."""
        return asdict(self)

    def table(self) -> str:
        """What the program prints."""
        lines = [
            f"{self.model or 'model'} on {self.split}, {self.regions}: {self.phrases:,} phrases of {self.captions:,} "
            f"captions of {self.images:,} images, no scenes; "
            f"{self.cut_off} cut off, {self.without_map} without a map, {self.skipped} more skipped",
            f"deletion and insertion: {self.curves.captions:,} captions; 0 is the score without patches, 1 with all"
            if self.curves
            else "deletion and insertion: not measured",
            "each figure with its 95% interval below it; for deletion, lower is better",
            " " * FIRST + "".join(f"{title:>{WIDTH}}" for title in COLUMNS.values()),
        ]
        for name, pointing in self.methods.items():
            found: list[Estimate | None] = [getattr(pointing, column) for column in COLUMNS]
            lines.append(f"{name:{FIRST}}" + "".join(f"{f'{one.mean:.3f}' if one else '-':>{WIDTH}}" for one in found))
            lines.append(" " * FIRST + "".join(f"{one.interval if one else '':>{WIDTH}}" for one in found).rstrip())
        for kind, told in self.kinds.items():
            lines.append(
                f"  {kind:12} {told['phrases']:6,.0f} phrases, weight inside {told['energy_inside']:.3f}, "
                f"pointing {told['pointing_game']:.3f}"
            )
        return "\n".join(lines)

"""Reports of the measurements of grounding and of contrast: figures with their intervals, as JSON and as tables."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from textwrap import wrap

from seps.common.numbers import amount, written
from seps.evaluation.grounding.curves import Curves
from seps.runs.bootstrap import Estimate

TEXTS: dict[str, dict[str, dict[str, str]]] = json.loads(
    (Path(__file__).parent / "texts.json").read_text(encoding="utf-8")
)  # by table: titles of columns, their meanings, and descriptions of rows
POINTING, CONTRAST = tuple(TEXTS["grounding"]["columns"]), tuple(TEXTS["contrast"]["columns"])  # names of figures
FIRST, WIDTH, LINE = 10, 16, 118

Figures = dict[str, Estimate | None]  # by column of a table; None for figures without data


@dataclass(frozen=True)
class Grounding:
    """Result of the grounding measurement on a split: the figures of `POINTING`, by method.

    Phrases at least partly cut by the token limit (`cut_off`), and those with a zero map because every word's best
    token is [CLS] (`without_map`), are misses without any weight inside.
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
    methods: dict[str, Figures]
    kinds: dict[str, dict[str, float]]
    curves: Curves | None

    def table(self) -> str:
        """Format the result for the terminal."""
        lines = estimate_table(self.sentences(), "grounding", self.methods)
        for kind, means in self.kinds.items():
            lines.append(
                f"  {kind:12} {means['phrases']:6,.0f} phrases, energy inside {means['energy_inside']:.3f}, "
                f"pointing {means['pointing_game']:.3f}"
            )
        return "\n".join(lines)

    def sentences(self) -> list[str]:
        """Describe what was measured, and why some phrases have no map or are excluded."""
        sentences = [
            f"{self.model or 'model'} on {self.split}: {amount(self.phrases, 'phrase')} of "
            f"{amount(self.captions, 'caption')} of {amount(self.images, 'image')} name an object with "
            f"known {self.regions}; phrases that name a whole scene are left out."
        ]
        if self.without_map:
            sentences.append(
                f"{amount(self.without_map, 'phrase')} of these {has(self.without_map)} no map: every word met a "
                "token best that has no place on the image, [CLS], or an extra token that nothing was dropped into. "
                "They count as misses without any weight inside."
            )
        if self.cut_off:
            sentences.append(
                f"{amount(self.cut_off, 'phrase')} of these {has(self.cut_off)} no map, since the model reads only "
                "the first words of a long caption. They count as misses too."
            )
        if not self.without_map and not self.cut_off:
            sentences.append("Every phrase has a map.")
        if self.skipped:
            sentences.append(
                f"{amount(self.skipped, 'more phrase')} could not be found among the word pieces of their captions, "
                "and do not count."
            )
        curves = "were not measured"
        if self.curves is not None:
            curves = f"are from {self.curves.captions:,} captions: 0 is the score without patches, 1 with all"
        return [*sentences, f"Deletion and insertion {curves}."]


@dataclass(frozen=True)
class Contrast:
    """Result of the contrast measurement on a split, with k of N patches kept: the figures of `CONTRAST`, by map.

    `caption_share` is the caption's share of the score's variance within an image.
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
    maps: dict[str, Figures]

    def table(self) -> str:
        """Format the result for the terminal."""
        spread = "The score has no spread within an image."
        if (share := self.caption_share) is not None:
            spread = (
                f"Of the score's variance within an image {100 * share.mean:.1f}% are the caption's "
                f"({100 * share.low:.1f} to {100 * share.high:.1f}), the rest is the same under all of the image's "
                "phrases."
            )
        summary = (
            f"{self.model or 'model'} on {self.split}: {amount(self.pairs, 'pair')} of phrases of "
            f"{amount(self.images, 'image')} name things with disjoint {self.regions}. Each phrase is used as a "
            f"caption by itself, {self.kept} of {self.patches} patches kept. {spread}"
        )
        return "\n".join(estimate_table([summary], "contrast", self.maps))


def estimate_table(sentences: Sequence[str], name: str, figures: Mapping[str, Figures]) -> list[str]:
    """Format figures with their intervals below sentences, as one of the tables of `TEXTS`."""
    columns, meanings, rows = (TEXTS[name][part] for part in ("columns", "meanings", "rows"))
    lines = [
        *(line for sentence in sentences for line in wrap(sentence, LINE)),
        "",
        *(f"{columns[column]:{WIDTH}} {meaning}" for column, meaning in meanings.items()),
        "",
        *(f"{row:{WIDTH}} {rows[row]}" for row in figures),
        "",
        "Each figure stands above its 95% interval, which a bootstrap over images gives; - is one not measured.",
        " " * FIRST + "".join(f"{title:>{WIDTH}}" for title in columns.values()),
    ]
    for row, measured in figures.items():
        cells = [measured[column] for column in columns]
        means = "".join(f"{written(cell.mean, '.3f') if cell else '-':>{WIDTH}}" for cell in cells)
        intervals = "".join(f"{cell.interval if cell else '':>{WIDTH}}" for cell in cells)
        lines += [f"{row:{FIRST}}{means}", f"{' ' * FIRST}{intervals}".rstrip()]
    return lines


def has(count: int) -> str:
    """Return "has" or "have" for a count."""
    return "has" if count == 1 else "have"

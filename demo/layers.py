"""Layers: what can be laid over a photo, by name, with its numbers out of the record and its sentence.

The text form is `name[:number][:branch]`, as links, the API and the command line write it.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from demo.words import counted, whereabouts
from seps import BranchExplanation, Explanation

Floats = NDArray[np.floating[Any]]

PART_TITLES = {
    "s_p": "Part s_p: the score MLP",
    "s_st": "Part s_st: caption attention",
    "s_dt": "Part s_dt: dense caption attention",
    "s_im": "Part s_im: image attention",
}
NUMBERED = ("token", "word")
NAMES = ("photo", "mask", "score", *PART_TITLES, "token", "tokens", "extra", "word")
FORM = re.compile(r"([a-z_]+)(?::([0-9]{1,9}))?(?::(dense|both))?")
EXISTING = (
    "photo, mask, score, s_p, s_st, s_im, s_dt, token:1, tokens, extra, word:0 (or another number); "
    "all but photo and word also with :dense, and mask:both"
)


@dataclass(frozen=True)
class LayerValues:
    """One layer's numbers.

    Attributes:
        title: what it is; label: of its scale; sentence: what it shows, in words.
        values: (N,), patches row by row; (K, N) for all K tokens; (0, N) for the photo alone. The mask's are 0 dropped
            and 1 kept; those of both masks 0 dropped by both, 1 kept by the sparse branch alone, 2 by the dense one
            alone, 3 by both.
        low, high: the ends of the scale. Weights start at 0, scores at their lowest.
        kept: (N,) bool, the decision mask of the layer's branch: of the sparse one where the layer has none or both.
    """

    title: str
    label: str
    values: Floats
    low: float
    high: float
    kept: NDArray[np.bool_]
    sentence: str


@dataclass(frozen=True)
class Layer:
    """A layer's name, its number (of a token, from 1, or of a word, from 0) and its branch: sparse, dense or both.

    Raises:
        ValueError: there is no such layer.
    """

    name: str
    number: int | None = None
    branch: str = "sparse"

    def __post_init__(self) -> None:
        branches = {"photo": ("sparse",), "word": ("sparse",), "mask": ("sparse", "dense", "both")}
        if (
            self.name not in NAMES
            or (self.number is not None) != (self.name in NUMBERED)
            or (self.number or 0) < 0
            or self.branch not in branches.get(self.name, ("sparse", "dense"))
        ):
            raise ValueError(f"There is no layer {str(self)!r}. There are {EXISTING}.")

    @classmethod
    def parse(cls, text: str) -> Layer:
        """The layer of a text form; ValueError, which lists what there is, for any other text."""
        found = FORM.fullmatch(text) if isinstance(text, str) else None
        if found is None:
            raise ValueError(f"There is no layer {str(text)[:40]!r}. There are {EXISTING}.")
        name, number, branch = found.groups()
        return cls(name, None if number is None else int(number), branch or "sparse")

    def __str__(self) -> str:
        parts = [self.name, self.number, None if self.branch == "sparse" else self.branch]
        return ":".join(str(part) for part in parts if part is not None)

    def check(self, record: Explanation) -> None:
        """Raise ValueError where the record lacks this layer."""
        if self.branch != "sparse" and record.dense is None:
            raise ValueError(f'The layer "{self}" needs a dense caption, and there is none: add one, or choose "mask".')
        branch = self._branch(record)
        if self.name in PART_TITLES and self.name not in branch.parts:
            parts = ", ".join(branch.parts)
            raise ValueError(f"The {branch.name} branch's score has no part {self.name} here: its parts are {parts}.")
        if self.name in ("token", "tokens"):
            count = 0 if branch.aggregation_weights is None else len(branch.aggregation_weights)
            if not count:
                raise ValueError(f"The {branch.name} branch merges no tokens of its own here: choose another layer.")
            self._check_number(f"The {branch.name} branch", count, "token", first=1)
        if self.name == "word":
            self._check_number("The caption", len(record.sparse_alignment.words), "word", first=0)

    def values(self, record: Explanation) -> LayerValues:
        """This layer's numbers out of the record; ValueError where the record lacks it."""
        self.check(record)
        branch = self._branch(record)
        title, label, values, sentence = self._told(record, branch)
        if self.name in PART_TITLES or self.name == "score":
            low, high = float(values.min()), float(values.max())
        elif self.name == "mask":
            low, high = 0.0, 3.0 if self.branch == "both" else 1.0
        else:
            low, high = 0.0, float(values.max(initial=0))
        if record.dense is not None and self.name not in ("photo", "word") and self.branch != "both":
            title += f", {branch.name} branch"
        return LayerValues(title, label, values, low, high, branch.kept, sentence)

    def _branch(self, record: Explanation) -> BranchExplanation:
        """The dense branch for a dense layer, else the sparse one."""
        return record.dense if self.branch == "dense" and record.dense is not None else record.sparse

    def _check_number(self, owner: str, count: int, noun: str, first: int) -> None:
        """Raise ValueError where the number, if any, is not one of `count` from `first` on."""
        if self.number is not None and not first <= self.number < first + count:
            owned = f"{owner} has {counted(count, noun)}, {first} to {first + count - 1}"
            raise ValueError(f"{owned}, but {noun} {self.number} was asked for.")

    def _told(self, record: Explanation, branch: BranchExplanation) -> tuple[str, str, Floats, str]:
        """Title, label of the scale, values, sentence."""
        if self.name == "photo":
            return "The photo alone", "", np.zeros((0, branch.kept.size)), "The photo with nothing over it."
        if self.name == "mask":
            return self._mask(record, branch)
        if self.name == "score":
            span = f"From {branch.score.min():.3f} to {branch.score.max():.3f}"
            return "Total significance score", "score", branch.score, f"{span}: the weighted sum of its parts."
        if self.name in PART_TITLES:
            part = branch.parts[self.name]
            span, weight = f"From {part.min():.3f} to {part.max():.3f}", branch.coefficients[self.name]
            return PART_TITLES[self.name], self.name, part, f"{span}; enters the total score times {weight:g}."
        if self.name == "word":
            return self._word(record)
        return self._weights(branch)

    def _mask(self, record: Explanation, branch: BranchExplanation) -> tuple[str, str, Floats, str]:
        """The decision mask of one branch, or of both."""
        kept, total = branch.kept, branch.kept.size
        if self.branch != "both" or record.dense is None:
            sentence = f"{kept.sum()} of {total} patches kept, {total - kept.sum()} dropped."
            return "Decision mask", "decision", kept.astype(float), sentence
        values = kept + 2.0 * record.dense.kept
        neither, sparse, dense, both = np.bincount(values.astype(int), minlength=4)
        sentence = (
            f"{both} of {total} patches kept by both branches, {sparse} by the sparse one alone, "
            f"{dense} by the dense one alone, {neither} by none."
        )
        return "Decision masks of both branches", "decision", values, sentence

    def _weights(self, branch: BranchExplanation) -> tuple[str, str, Floats, str]:
        """The weights of one aggregated token, of all, or of the extra token."""
        kept, dropped = int(branch.kept.sum()), int((~branch.kept).sum())
        if self.name == "extra" or branch.aggregation_weights is None:
            values = branch.extra_weights
            over, highest = counted(dropped, "dropped patch"), f"{values.max():.4f}"
            sentence = f"Its weights over {over}, up to {highest}; 0 on kept ones."
            return "Extra token", "weight", values, sentence if dropped else "Nothing was dropped: every weight is 0."
        weights = branch.aggregation_weights
        over = counted(kept, "kept patch")
        if self.number is None:
            tokens = counted(len(weights), "aggregated token")
            sentence = f"The weights of {tokens} over {over}, up to {weights.max():.4f}; 0 on dropped ones."
            return f"All {tokens}" if len(weights) > 1 else "The one aggregated token", "weight", weights, sentence
        values = weights[self.number - 1]
        sentence = f"Its weights over {over}, up to {values.max():.4f}; 0 on dropped ones."
        return f"Aggregated token {self.number} of {len(weights)}", "weight", values, sentence

    def _word(self, record: Explanation) -> tuple[str, str, Floats, str]:
        """The word map of one word of the sparse caption."""
        alignment, number = record.sparse_alignment, self.number or 0
        best, word, values = int(alignment.best_token[number]), alignment.words[number], alignment.word_maps[number]
        token = alignment.tokens[best].replace("aggregated", "aggregated token").replace("extra", "the extra token")
        sentence = f'"{word}" met {token} best, with {alignment.matrix[best, number]:.3f}'
        ending = "." if values.any() else ", which has no weight on any patch."
        return f'Word map of "{word}"', "weight", values, sentence + ending


def describe(record: Explanation, layer: Layer) -> str:
    """What a layer shows, in words, as the alternative text of its picture; ValueError where the record lacks it.

    It ends with the place where most of the kept patches lie (of those kept by both branches, for both masks), or most
    of the weight, or most of the score above its lowest value: "spread evenly" where no place stands out by the rule
    of `whereabouts`. No place is named where every patch is kept or none has any weight.
    """
    shown = layer.values(record)
    if layer.name == "photo":
        return "the photo alone"
    if layer.name == "mask":
        amounts, subject = shown.values == shown.high, "most"
        by = " by both branches" if layer.branch == "both" else ""
        said = f"{amounts.sum()} of {amounts.size} patches kept{by}"
    else:
        amounts = shown.values.reshape(-1, shown.kept.size).sum(axis=0) - shown.low
        subject = "most of the weight" if shown.label == "weight" else "highest"
        said = f"{shown.title}: {shown.sentence[0].lower()}{shown.sentence[1:].rstrip('.')}"
    if not amounts.any() or (layer.name == "mask" and amounts.all()):
        return said
    place = whereabouts(record.on_grid(amounts))
    return f"{said}; spread evenly" if place is None else f"{said}; {subject} {place}"

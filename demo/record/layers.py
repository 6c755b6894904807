"""Layers: what can be laid over a photo, by name, with its numbers out of the record and its sentence.

The text form is `name[:number][:branch]`, as links, the API and the command line write it.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from demo.record.table import TABLE, counted, say
from demo.service.measured import BY_WORD, DECISIONS, MEASURES, MeasuredExplanation, Region, measured_in
from demo.service.whereabouts import whereabouts
from seps import BranchExplanation, Explanation

Floats = NDArray[np.floating[Any]]

PARTS = tuple(TABLE["part"])
NUMBERED = ("token", "word", "fit")
NAMES = ("photo", "mask", "score", *PARTS, "token", "tokens", "extra", "word", "fit", *MEASURES)
MASKS = ("mask", *DECISIONS)
FROM_LOWEST = ("score", "fit", *PARTS)  # layers whose scale begins at their lowest value
SPARSE_ALONE = ("photo", "word", "fit", *MEASURES)  # layers that are of no branch, or of the caption's decision
FORM = re.compile(r"([a-z_]+)(?::([0-9]{1,9}))?(?::(dense|both))?")
EXISTING = (
    "photo, mask, score, s_p, s_st, s_im, s_dt, token:1, tokens, extra, word:1 (or another number), fit:1, effect, "
    "blanked, blurred (also effect:1, of a word), smallest_set, smallest_change; mask, scores and tokens also "
    "with :dense, and mask:both"
)


@dataclass(frozen=True)
class LayerValues:
    """One layer's numbers.

    Attributes:
        title: what it is; label: of its scale; sentence: what it shows, in words.
        values: (N,), patches row by row; (K, N) for all K tokens; (0, N) for the photo alone. The mask's are 0 dropped
            and 1 kept; those of both masks 0 dropped by both, 1 kept by the sparse branch alone, 2 by the dense one
            alone, 3 by both; those of the smallest change 0 dropped and 3 kept as they are, 1 to drop, 2 to keep.
        low, high: the ends of the scale. Weights start at 0, scores at their lowest.
        kept: (N,) bool, the decision mask of the layer's branch: of the sparse one where the layer has none or both.
        diverging: whether zero stands in the middle of the scale.
    """

    title: str
    label: str
    values: Floats
    low: float
    high: float
    kept: NDArray[np.bool_]
    sentence: str
    diverging: bool = False


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
        branches = ("sparse",) if self.name in SPARSE_ALONE else ("sparse", "dense")
        if (
            self.name not in NAMES
            or ((self.number is not None) != (self.name in NUMBERED) and not (self.number is not None and self.by_word))
            or (self.number or 0) < 0
            or self.branch not in (*branches, *(["both"] if self.name == "mask" else []))
        ):
            raise ValueError(f"There is no layer {str(self)!r}. There are {EXISTING}.")

    @property
    def by_word(self) -> bool:
        """Whether the layer also comes for a word alone."""
        return self.name in BY_WORD

    @classmethod
    def parse(cls, text: str) -> Layer:
        """The layer of a text form; ValueError, which lists what there is, for any other text."""
        match = FORM.fullmatch(text) if isinstance(text, str) else None
        if match is None:
            raise ValueError(f"There is no layer {str(text)[:40]!r}. There are {EXISTING}.")
        name, number, branch = match.groups()
        return cls(name, None if number is None else int(number), branch or "sparse")

    def __str__(self) -> str:
        parts = [self.name, self.number, None if self.branch == "sparse" else self.branch]
        return ":".join(str(part) for part in parts if part is not None)

    def check(self, record: Explanation) -> None:
        """Raise ValueError where the record lacks this layer."""
        if self.branch != "sparse" and record.dense is None:
            raise ValueError(f'The layer "{self}" needs a dense caption, and there is none: add one, or choose "mask".')
        if self.name in MEASURES and self.name not in measured_in(record):
            raise ValueError(
                f'The layer "{self}" is measured in Photos, Captions and Compare, not here: choose another layer.'
            )
        branch = self._branch(record)
        if self.name in PARTS and self.name not in branch.parts:
            parts = ", ".join(branch.parts)
            raise ValueError(f"The {branch.name} branch's score has no part {self.name} here: its parts are {parts}.")
        if self.name in ("token", "tokens"):
            count = 0 if branch.aggregation_weights is None else len(branch.aggregation_weights)
            if not count:
                raise ValueError(f"The {branch.name} branch merges no tokens of its own here: choose another layer.")
            self._check_number(f"The {branch.name} branch", count, "token", first=1)
        if self.name in ("word", "fit") or self.by_word:
            self._check_number("The caption", len(record.sparse_alignment.words), "word", first=0)

    def values(self, record: Explanation) -> LayerValues:
        """This layer's numbers out of the record; ValueError where the record lacks it."""
        self.check(record)
        branch = self._branch(record)
        title, label, values, sentence = self._described(record, branch)
        if self.by_word:
            low, high = -float(abs(values).max()), float(abs(values).max())
            return LayerValues(title, label, values, low, high, branch.kept, sentence, diverging=True)
        if self.name in FROM_LOWEST:
            low, high = float(values.min()), float(values.max())
        elif self.name in MASKS:
            low, high = 0.0, 3.0 if self.branch == "both" or self.name == "smallest_change" else 1.0
        else:
            low, high = 0.0, float(values.max(initial=0))
        if record.dense is not None and self.name not in SPARSE_ALONE and self.branch != "both":
            title = say("title.of_branch", title=title, branch=branch.name)
        return LayerValues(title, label, values, low, high, branch.kept, sentence)

    def _branch(self, record: Explanation) -> BranchExplanation:
        """The dense branch for a dense layer, else the sparse one."""
        return record.dense if self.branch == "dense" and record.dense is not None else record.sparse

    def _check_number(self, owner: str, count: int, noun: str, first: int) -> None:
        """Raise ValueError where the number, if any, is not one of `count` from `first` on."""
        if self.number is not None and not first <= self.number < first + count:
            owned = f"{owner} has {counted(count, noun)}, {first} to {first + count - 1}"
            raise ValueError(f"{owned}, but {noun} {self.number} was asked for.")

    def _described(self, record: Explanation, branch: BranchExplanation) -> tuple[str, str, Floats, str]:
        """Title, label of the scale, values, sentence."""
        if self.name == "photo":
            return say("title.photo"), say("scale.photo"), np.zeros((0, branch.kept.size)), say("sentence.photo")
        if self.name == "mask":
            return self._mask(record, branch)
        if self.name == "score":
            sentence = say("sentence.score", low=branch.score.min(), high=branch.score.max())
            return say("title.score"), say("scale.score"), branch.score, sentence
        if self.name in PARTS:
            part, weight = branch.parts[self.name], branch.coefficients[self.name]
            title = say("title.part", name=self.name, part=say(f"part.{self.name}"))
            sentence = say("sentence.part", low=part.min(), high=part.max(), weight=weight)
            return title, say("scale.part", name=self.name), part, sentence
        if self.name == "word":
            return self._word(record)
        if self.name == "fit":
            return self._fit(record)
        if isinstance(record, MeasuredExplanation) and self.name in MEASURES:
            return measured_layer(self, record)
        return self._weights(branch)

    def _mask(self, record: Explanation, branch: BranchExplanation) -> tuple[str, str, Floats, str]:
        """The decision mask of one branch, or of both."""
        kept, total = branch.kept, branch.kept.size
        if self.branch != "both" or record.dense is None:
            sentence = say("sentence.mask", kept=kept.sum(), total=total, dropped=total - kept.sum())
            return say("title.mask"), say("scale.mask"), kept.astype(float), sentence
        values = kept + 2.0 * record.dense.kept
        none, sparse, dense, both = np.bincount(values.astype(int), minlength=4)
        sentence = say("sentence.mask_both", both=both, total=total, sparse=sparse, dense=dense, none=none)
        return say("title.mask_both"), say("scale.mask"), values, sentence

    def _weights(self, branch: BranchExplanation) -> tuple[str, str, Floats, str]:
        """The weights of one aggregated token, of all, or of the extra token."""
        label, kept, dropped = say("scale.weights"), int(branch.kept.sum()), int((~branch.kept).sum())
        weights = branch.aggregation_weights
        if self.name == "extra" or weights is None:
            values = branch.extra_weights
            sentence = say("sentence.extra" if dropped else "sentence.extra_none", dropped=dropped, high=values.max())
            return say("title.extra"), label, values, sentence
        count = len(weights)
        if self.number is None:
            sentence = say("sentence.tokens", count=count, kept=kept, high=weights.max())
            return say("title.tokens" if count > 1 else "title.tokens_one", count=count), label, weights, sentence
        values = weights[self.number - 1]
        sentence = say("sentence.token", kept=kept, high=values.max())
        return say("title.token", number=self.number, count=count), label, values, sentence

    def _word(self, record: Explanation) -> tuple[str, str, Floats, str]:
        """The word map of one word of the sparse caption."""
        alignment, number = record.sparse_alignment, self.number or 0
        best, word, values = int(alignment.best_token[number]), alignment.words[number], alignment.word_maps[number]
        key = "sentence.word" if values.any() else "sentence.word_placeless"
        sentence = say(key, word=word, token=token_name(alignment.tokens[best]), entry=alignment.matrix[best, number])
        return say("title.word", word=word), say("scale.weights"), values, sentence

    def _fit(self, record: Explanation) -> tuple[str, str, Floats, str]:
        """The cosines of one word of the sparse caption with the patches themselves."""
        alignment, number = record.sparse_alignment, self.number or 0
        values, word = alignment.patch_cosines[number], alignment.words[number]
        sentence = say("sentence.fit", word=word, low=values.min(), high=values.max())
        return say("title.fit", word=word), say("scale.cosine"), values, sentence


def measured_layer(layer: Layer, record: MeasuredExplanation) -> tuple[str, str, Floats, str]:
    """Title, label of the scale, values, sentence of a layer that was measured."""
    name, number, kept = layer.name, layer.number, record.sparse.kept
    if layer.by_word:
        values = record.lost(name, number)
        span = {"low": values.min(), "high": values.max()}
        if number is not None:
            word = record.sparse_alignment.words[number]
            sentence = say(f"sentence.{name}_word", word=word, **span)
            return say(f"title.{name}_word", word=word), say("scale.share"), values, sentence
        region = f" {region_sentence(record.region)}" if name == "effect" and record.region is not None else ""
        return say(f"title.{name}"), say("scale.lost"), values, say(f"sentence.{name}", **span) + region
    change = record.smallest_set if name == "smallest_set" else record.smallest_change
    title, label = say(f"title.{name}"), say("scale.mask")
    if change is None:  # nothing lets the photo lose
        return title, label, 3.0 * kept, say("sentence.smallest_change_none")
    numbers: dict[str, Any] = {
        "count": change.count,
        "rank": change.rank,
        "before": change.rank_before,
    }
    numbers["similarity"] = change.similarity
    numbers["greedy"] = say("sentence.greedy") if change.count > 1 else ""
    numbers |= {
        "dropped": change.dropped.sum(),
        "added": change.added.sum(),
        "kept": kept.sum(),
        "total": kept.size,
    }
    if name == "smallest_set":
        return title, label, change.kept.astype(float), say("sentence.smallest_set", **numbers)
    values = 3.0 * (change.kept & kept) + change.dropped + 2.0 * change.added
    return title, label, values, say("sentence.smallest_change", **numbers)


def token_name(label: str) -> str:
    """A token as sentences call it, by its label in the record: "aggregated 7", "extra" or "[CLS]"."""
    name, _, number = label.partition(" ")
    return say(f"token.{name}", number=number) if name in TABLE["token"] else label


def describe(record: Explanation, layer: Layer) -> str:
    """What a layer shows, in words, as the alternative text of its picture; ValueError where the record lacks it.

    It ends with the place where most of the kept patches lie (of those kept by both branches, for both masks), or most
    of the weight, or most of the score above its lowest value: "spread evenly" where no place stands out by the rule
    of `whereabouts`. No place is named where every patch is kept or none has any weight.
    """
    shown = layer.values(record)
    if layer.name == "photo":
        return say("alternative.photo")
    if layer.by_word:
        amounts, subject = np.maximum(shown.values, 0.0), "cost"
        title = titled(shown)
    elif layer.name in DECISIONS:
        amounts, subject = np.isin(shown.values, (1, 2) if layer.name == "smallest_change" else (1,)), "most"
        title = titled(shown)
    elif layer.name == "mask":
        amounts, subject = shown.values == shown.high, "most"
        key = "alternative.mask_both" if layer.branch == "both" else "mask.count"
        title = say(key, kept=amounts.sum(), total=amounts.size)
    else:
        amounts = shown.values.reshape(-1, shown.kept.size).sum(axis=0) - shown.low
        subject = "highest" if layer.name in FROM_LOWEST else "weight"
        title = titled(shown)
    if not amounts.any() or (layer.name == "mask" and amounts.all()):
        return title
    place = whereabouts(record.on_grid(amounts))
    return say("alternative.even" if place is None else f"alternative.{subject}", said=title, place=place)


def titled(shown: LayerValues) -> str:
    """A layer's title and its sentence in one."""
    sentence = f"{shown.sentence[0].lower()}{shown.sentence[1:].rstrip('.')}"
    return say("alternative.values", title=shown.title, sentence=sentence)


def region_sentence(region: Region) -> str:
    """What dropping a region's patches costs, in a sentence."""
    cost = say("region.cost" if region.cost >= 0 else "region.gain", amount=abs(region.cost))
    return say("region.named" if region.named else "region.placed", count=region.count, name=region.name, cost=cost)

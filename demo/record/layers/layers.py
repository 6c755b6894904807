"""Layers: what can be laid over a photo, by name, with its numbers out of the record and its sentence. The text form is
`name[:number][:branch]`, as links, the API and the command line write it; the table of layers is
`demo.record.layers.layer_table`."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from demo.record.layers import layer_table
from demo.record.layers.layer_table import Row, Shown, existing, row_of
from demo.record.texts.language import phrase
from demo.record.texts.table import counted, say
from demo.service.measuring.measured import measures_of, whereabouts
from seps import BranchExplanation, Explanation
from seps.encoders.tokenizer import Tokenizer, first_pieces

Floats = NDArray[np.floating[Any]]

FORM = re.compile(r"([a-z_]+)(?::([0-9]{1,9}))?(?::(dense|both))?")
WORD = re.compile(r"([a-z_]+):([0-9]{1,9}|\[?(?:cls|sep)\]?)", re.IGNORECASE)  # as people write it
PIECE = re.compile(r"piece:([0-9]{1,9})")
SPECIAL = ("[CLS]", "[SEP]")  # labels of the tokens around a caption
LIES = {"zero": "weight", "lowest": "highest", "diverging": "cost", "mask": "most", "fates": "most"}  # in table.json


@dataclass(frozen=True)
class LayerValues:
    """One layer's numbers. A mask's values are 0 dropped and 1 kept; of both masks: 0 dropped by both, 1 kept only by
    the sparse branch, 2 only by the dense one, 3 by both; of the smallest change: 0 dropped, 3 kept (unchanged), 1 to
    drop, 2 to keep."""

    title: str
    label: str  # of the scale
    values: Floats  # (N,), patches row by row; (K, N) for all K tokens; (0, N) for the photo only
    low: float  # of the scale: weights start at 0, scores at their lowest
    high: float
    kept: NDArray[np.bool_]  # (N,), the decision mask of the layer's branch, or of the sparse one
    sentence: str  # what it shows
    diverging: bool = False  # whether zero is the middle of the scale


@dataclass(frozen=True)
class Layer:
    """A layer's name, its number (of a token from 1, of a word from 0) and its branch; ValueError for no layer."""

    name: str
    number: int | None = None
    branch: str = "sparse"

    def __post_init__(self) -> None:
        if row_of(self.name, self.number, self.branch) is None or (self.number or 0) < 0:
            raise ValueError(f"There is no layer {str(self)!r}. There are {existing()}.")

    @property
    def row(self) -> Row:
        """Its row of the table."""
        row = row_of(self.name, self.number, self.branch)
        assert row is not None
        return row

    @classmethod
    def parse(cls, text: str) -> Layer:
        """Return the layer of a text form; ValueError, which lists what there is, for any other text."""
        match = FORM.fullmatch(text) if isinstance(text, str) else None
        if match is None:
            raise ValueError(f"There is no layer {str(text)[:40]!r}. There are {existing()}.")
        name, number, branch = match.groups()
        return cls(name, None if number is None else int(number), branch or "sparse")

    def __str__(self) -> str:
        parts = [self.name, self.number, None if self.branch == "sparse" else self.branch]
        return ":".join(str(part) for part in parts if part is not None)

    def check(self, record: Explanation) -> None:
        """Raise ValueError where the record lacks this layer."""
        row, branch = self.row, branch_of(record, self.branch)
        if branch is None:
            raise ValueError(f'The layer "{self}" needs a dense caption, and there is none: add one, or choose "mask".')
        if not has_row(record, row, self.branch):
            raise ValueError(self._missing(branch))
        if row.number and self.number not in (numbers := numbers_of(record, row, self.branch)):
            owner = "The caption" if row.number == "word" else f"The {branch.name} branch"
            owned = f"{owner} has {counted(len(numbers), row.number)}, {numbers.start} to {numbers.stop - 1}"
            raise ValueError(f"{owned}, but {row.number} {self.number} was asked for.")

    def values(self, record: Explanation) -> LayerValues:
        """Return the layer's numbers from a record; ValueError if the record lacks them."""
        self.check(record)
        row, branch = self.row, branch_of(record, self.branch)
        assert branch is not None
        values = self._numbers(record, branch)
        named = {
            "name": self.name,
            "number": self.number,
            "low": values.min() if values.size else 0.0,
            "high": values.max() if values.size else 0.0,
            "kept": branch.kept.sum(),
            "dropped": (~branch.kept).sum(),
            "total": branch.kept.size,
            "count": 0 if branch.aggregation_weights is None else len(branch.aggregation_weights),
        }
        if row.number == "word":
            named["word"] = record.sparse_alignment.words[self.number or 0]
        measured = measures_of(record).get(self.name)
        facts = row.facts(Shown(self.name, self.number, record, branch, values, measured))
        named |= facts.named
        words = row.words or self.name
        title = say(f"title.{facts.title or words}", **named)
        if record.dense is not None and "dense" in row.branches:
            title = say("title.of_branch", title=title, branch=phrase(branch.name))
        label = say(f"scale.{row.unit or self.name}", **named)
        sentence = say(f"sentence.{facts.sentence or words}", **named)
        low, high = _ends(row, values)
        return LayerValues(title, label, values, low, high, branch.kept, sentence, row.scale == "diverging")

    def _numbers(self, record: Explanation, branch: BranchExplanation) -> Floats:
        """Return the values at its row's source: (N,), (K, N) for all tokens, (0, N) for the photo only."""
        row, total = self.row, np.zeros((0, branch.kept.size))
        for path, times in row.source.items():
            values = _resolve(record, path, self.branch)
            if values is None:
                continue
            values = values if self.number is None else values[self.number - row.first]
            if row.is_mask:
                values = times * values.astype(float)
            total = values if not total.size else total + values
        return total

    def _missing(self, branch: BranchExplanation) -> str:
        """Why a record does not have it."""
        path = next(iter(self.row.source))
        if self.row.measure is not None:
            return f'The layer "{self}" is measured in Photos, Captions and Compare, not here: choose another layer.'
        if path.startswith("classes."):
            return f'The layer "{self}" needs a model that knows classes by name: choose another layer.'
        if path.startswith("branch.parts."):
            parts = ", ".join(branch.parts)
            return f"The {branch.name} branch's score has no part {self.name} here: its parts are {parts}."
        return f"The {branch.name} branch merges no tokens here: choose another layer."


def branch_of(record: Explanation, branch: str) -> BranchExplanation | None:
    """Return the branch of a layer, the sparse one if it has both; None if the record lacks it."""
    if branch == "sparse":
        return record.sparse
    return record.sparse if branch == "both" and record.dense is not None else record.dense


def _resolve(record: Explanation, path: str, branch: str) -> NDArray[Any] | None:
    """Return the value at a path of a row's source, or None, as `resolve` in assets/js/record/sentences.js."""
    root, *steps = path.split(".")
    value: Any = {
        "branch": branch_of(record, branch),
        "sparse": record.sparse,
        "dense": record.dense,
        "alignment": record.sparse_alignment,
        "classes": record.classes,
        "measures": measures_of(record),
    }[root]
    for step in steps:
        value = value.get(step) if isinstance(value, Mapping) else getattr(value, step, None)
    return value


def has_row(record: Explanation, row: Row, branch: str) -> bool:
    """Return whether a record has the layers of a row in a branch."""
    if branch_of(record, branch) is None:
        return False
    if row.measure is not None:
        return row.name in measures_of(record)
    values = [_resolve(record, path, branch) for path in row.source]
    return all(part is not None and len(part) > 0 for part in values)


def numbers_of(record: Explanation, row: Row, branch: str) -> range:
    """Return the numbers that a row's layers have in a record."""
    values = [_resolve(record, path, branch) for path in row.source]
    count = max((len(part) for part in values if part is not None), default=0)
    return range(row.first, row.first + count)


def _ends(row: Row, values: Floats) -> tuple[float, float]:
    if row.is_mask:
        return 0.0, 1.0 if row.scale == "mask" else 3.0
    if row.scale == "diverging":
        most = float(abs(values).max())
        return -most, most
    if row.scale == "lowest":
        return float(values.min()), float(values.max())
    return 0.0, float(values.max(initial=0))


def describe(record: Explanation, layer: Layer) -> str:
    """Describe a layer in words, as the alternative text of its picture; ValueError if the record lacks it. It ends
    with the place where most of what is shown lies, "spread evenly" where none stands out by `whereabouts`, and with no
    place where every patch is kept or none has any weight."""
    shown, row = layer.values(record), layer.row
    if row.scale == "none":
        return say(f"alternative.{layer.name}")
    if row.is_mask:
        amounts = np.isin(shown.values, row.marked)
    elif row.scale == "diverging":
        amounts = np.maximum(shown.values, 0.0)
    else:
        amounts = shown.values.reshape(-1, shown.kept.size).sum(axis=0) - shown.low
    sentence = f"{shown.sentence[0].lower()}{shown.sentence[1:].rstrip('.。')}"
    title = say("alternative.values", title=shown.title, sentence=sentence)
    if row.brief:
        title = say(row.brief, kept=amounts.sum(), total=amounts.size)
    if not amounts.any() or (row.brief and amounts.all()):
        return title
    place = whereabouts(record.on_grid(amounts))
    key = "even" if place is None else LIES[row.scale]
    return say(f"alternative.{key}", said=title, place=phrase(place or ""))


def branches_of(record: Explanation) -> list[BranchExplanation]:
    """Return the branches that ran."""
    return [branch for branch in (record.sparse, record.dense) if branch is not None]


def mask_key(layer: Layer) -> list[list[str]]:
    """Return the styles of a mask's patches with their meaning, kept patches first."""
    return [[look, say(f"mask.{meaning}")] for look, meaning in layer.row.looks.items()]


def describe_kept(branch: BranchExplanation) -> str:
    """Return how many patches a branch kept."""
    return say("mask.count", kept=branch.kept.sum(), total=branch.kept.size)


def word_line(record: Explanation, number: int) -> str:
    """Return the token that a word met best."""
    alignment = record.sparse_alignment
    best = int(alignment.best_token[number])
    return say(
        "word.met" if alignment.word_maps[number].any() else "word.placeless",
        word=alignment.words[number],
        cosine=alignment.cosines[best, number],
        token=alignment.tokens[best],
    )


def term_titles(record: Explanation) -> dict[str, str]:
    """Return each term's title: with its caption's name where two captions have terms."""
    both = record.dense_alignment is not None
    titles = {}
    for name in record.terms:
        caption, _, term = name.partition(" ")
        title = say(f"term.{term}")
        titles[name] = say("term.of_caption", caption=phrase(caption), term=title) if both else title
    return titles


def layer_of_words(text: str, caption: str, tokenizer: Tokenizer, record: Explanation) -> str:
    """As `layer_of_starts`, for a caption as read."""
    return layer_of_starts(text, first_pieces(caption, tokenizer), record)


def layer_of_starts(text: str, starts: Sequence[int], record: Explanation) -> str:
    """Return the layer as links and `Layer.parse` write it, where word:N is a place among [CLS], the word pieces and
    [SEP]. ValueError if the caption has fewer words, or the model did not read so far.

    In `text`, word:2 is the caption's second word, split at spaces, and of one in several pieces the first piece;
    word:[CLS] and word:[SEP], also without brackets, are those tokens; piece:3 is the third word piece. All layers of a
    word count alike, as effect:2; all others stay. `starts`: the place of each word's first piece."""
    count = len(record.sparse_alignment.words)  # with [CLS] and [SEP]
    if piece := PIECE.fullmatch(text):
        return f"word:{_within(int(piece[1]), count - 2, 'word piece')}"
    word = WORD.fullmatch(text)
    if word is None or word[1].lower() not in {row.name for row in layer_table.LAYERS if row.number == "word"}:
        return text
    name, spoken = word[1].lower(), word[2]
    if not spoken.isdigit():
        return f"{name}:0" if "cls" in spoken.lower() else f"{name}:{count - 1}"
    place = starts[_within(int(spoken), len(starts), "word") - 1]
    if place > count - 2:
        raise ValueError(f"The model reads {count - 2} word pieces of the caption, and word {spoken} comes after them.")
    return f"{name}:{place}"


def _within(number: int, most: int, noun: str) -> int:
    if not 1 <= number <= most:
        asked = f"{noun.split()[-1]} {number} was asked for"
        raise ValueError(f"The caption has {counted(most, noun)}, 1 to {most}, but {asked}.")
    return number

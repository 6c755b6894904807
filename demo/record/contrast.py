"""Why this one, and not that one: two explanations side by side, S(I, T) of each split into shares that add up. A
difference is always the left share minus the right share: above 0 it supports the left picture."""

from collections import defaultdict, deque
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from demo.record.packing import pack_array
from demo.record.texts.language import phrase
from demo.record.texts.table import listed, say
from demo.service.measuring.measured import whereabouts
from seps import Attribution, Explanation
from seps.explanation.caption_words import CaptionWord, caption_words, is_content

MARKED = 3  # words that are marked on the pictures
CHANGED, LEAST = 4, 5e-5  # number of changed words described; smallest reported difference


@dataclass(frozen=True)
class Side:
    """One of the two: its photograph's title, its caption as read, its record, and where its similarity comes from."""

    title: str
    caption: str
    record: Explanation
    attribution: Attribution  # of the sparse alignment
    rank: int = 0  # from 1, of `total`; 0 where it was not ranked
    total: int = 0
    dense_attribution: Attribution | None = None  # with a dense caption, in the released variant

    @property
    def similarity(self) -> float:
        """S(I, T), all attributions added."""
        return self.attribution.similarity + self.dense

    @property
    def dense(self) -> float:
        """Shares of S(I, T) of the dense caption's words and their tokens."""
        return 0.0 if self.dense_attribution is None else self.dense_attribution.similarity

    @property
    def score_line(self) -> str:
        """The score, and the photograph's place where that was ranked."""
        key = "why.ranked" if self.rank else "why.score"
        return say(key, score=self.similarity, rank=self.rank, total=self.total)


@dataclass(frozen=True)
class Part:
    """A part of both similarities: a word's share, or what all words leave; None where a caption lacks the word."""

    name: str  # the word, or "specials", "tokens", "left_over" or "dense"
    left: float | None
    right: float | None
    number: int = -1  # of a word, from 0: the left caption's, then those only of the right one
    pieces: tuple[tuple[int, ...], tuple[int, ...]] = ((), ())  # positions of the word's pieces, left and right

    @property
    def difference(self) -> float:
        """The left share minus the right one; a word that a caption has not got has none there."""
        return (self.left or 0.0) - (self.right or 0.0)

    @property
    def layer(self) -> str:
        """The word's map as links name it."""
        return f"word:{self.number}"

    @property
    def title(self) -> str:
        """The word, or the name of the rest."""
        return self.name if self.number >= 0 else say(f"why.{self.name}")

    @property
    def numbers(self) -> dict[str, float | None]:
        """Both shares and their difference."""
        return {"left": self.left, "right": self.right, "difference": self.difference}


@dataclass(frozen=True)
class Contrast:
    """Two similarities in parts, which add up to each of them and to their difference."""

    left: Side
    right: Side
    words: tuple[Part, ...]  # what speaks most for the left one first
    rest: tuple[Part, ...]  # "specials" ([CLS], [SEP], unknown pieces), "tokens", "left_over", "dense"

    @property
    def sides(self) -> tuple[Side, Side]:
        """Both."""
        return self.left, self.right

    @property
    def of_captions(self) -> bool:
        """Whether the two are captions of one photograph, not photographs of one caption."""
        return self.left.caption != self.right.caption

    @property
    def names(self) -> tuple[str, str]:
        """Names of the two in sentences."""
        if self.of_captions:
            return say("why.first_caption"), say("why.second_caption")
        if self.left.title == self.right.title:
            return say("why.left_photo"), say("why.right_photo")
        return self.left.title, self.right.title

    @property
    def difference(self) -> float:
        """S(I, T) of the left one minus the right one's."""
        return self.left.similarity - self.right.similarity

    @property
    def scale(self) -> float:
        """The largest share of a word, in size."""
        shares = [share for part in self.words for share in (part.left, part.right) if share is not None]
        return max(map(abs, shares), default=0.0)

    def word(self, layer: str) -> Part | None:
        """Return the word of a word-map layer; None for any other layer."""
        return next((part for part in self.words if part.layer == layer), None)


def contrast(left: Side, right: Side) -> Contrast:
    """Split two similarities into the same parts; equal words of two captions go together, in their order."""
    words = []
    for number, pair in enumerate(_pair_words(left, right)):
        first, second = (() if word is None else word.pieces for word in pair)
        shares = [
            None if word is None else float(side.attribution.of_words[list(word.pieces)].sum())
            for word, side in zip(pair, (left, right), strict=True)
        ]
        text = next(word.text for word in pair if word is not None)
        words.append(Part(text, shares[0], shares[1], number, (first, second)))
    specials = []
    for side in (left, right):
        read = {piece for word in caption_words(side.attribution.words) for piece in word.pieces}
        specials.append(float(sum(share for piece, share in enumerate(side.attribution.of_words) if piece not in read)))
    rest: tuple[Part, ...] = (
        Part("specials", specials[0], specials[1]),
        Part("tokens", float(left.attribution.of_tokens.sum()), float(right.attribution.of_tokens.sum())),
        Part("left_over", left.attribution.left_over, right.attribution.left_over),
    )
    if left.dense_attribution is not None or right.dense_attribution is not None:
        rest += (Part("dense", left.dense, right.dense),)
    return Contrast(left, right, tuple(sorted(words, key=lambda part: -part.difference)), rest)


def _pair_words(left: Side, right: Side) -> list[tuple[CaptionWord | None, CaptionWord | None]]:
    """Return the words of both captions: the k-th "dog" of one stands with the k-th of the other."""
    waiting: dict[str, deque[CaptionWord]] = defaultdict(deque)
    for word in caption_words(right.attribution.words):
        waiting[word.text].append(word)
    pairs: list[tuple[CaptionWord | None, CaptionWord | None]] = [
        (word, waiting[word.text].popleft() if waiting[word.text] else None)
        for word in caption_words(left.attribution.words)
    ]
    alone = sorted((word for words in waiting.values() for word in words), key=lambda word: word.pieces)
    return pairs + [(None, word) for word in alone]


def word_map(side: Side, pieces: Sequence[int]) -> NDArray[np.floating[Any]]:
    """(N,), the mean of the maps of a word's pieces; zero where the caption has not got the word."""
    maps = side.record.sparse_alignment.word_maps  # (L, N)
    return maps[list(pieces)].mean(axis=0) if pieces else np.zeros(maps.shape[1])


def maps_of(contrast: Contrast, part: Part) -> tuple[NDArray[np.floating[Any]], NDArray[np.floating[Any]]]:
    """Return a word's maps on both sides, (N,) each."""
    return word_map(contrast.left, part.pieces[0]), word_map(contrast.right, part.pieces[1])


def most(contrast: Contrast, part: Part) -> float:
    """Return the end of the scale that both maps of a word share; it begins at 0."""
    return float(max(values.max() for values in maps_of(contrast, part)))


def deciding(contrast: Contrast) -> list[Part]:
    """Return the words that are marked on the pictures: content words of the greatest differences with a place."""
    named = [part for part in contrast.words if is_content(part.name)]
    ranked = sorted(named, key=lambda part: -abs(part.difference))
    return [part for part in ranked if any(values.any() for values in maps_of(contrast, part))][:MARKED]


def marks(contrast: Contrast, place: int) -> list[dict[str, Any]]:
    """Return the deciding words on one picture, 0 the left one: each with its heaviest patch and its side."""
    return [
        {
            "number": part.number,
            "word": part.name,
            "patch": int(values.argmax()),
            "speaks": (part.difference > 0) == (place == 0),
        }
        for part in deciding(contrast)
        if (values := maps_of(contrast, part)[place]).any()
    ]


def contrast_sentences(contrast: Contrast) -> list[str]:
    """Return which of the two comes first, what makes the difference, and the words that speak most for either."""
    sign = 1 if contrast.difference >= 0 else -1
    first, second = contrast.names[::sign]
    high, low = sorted((contrast.left.similarity, contrast.right.similarity), reverse=True)
    if all(abs(part.difference) < LEAST for part in (*contrast.words, *contrast.rest)):
        return [say("why.level", first=first, second=second, score=high)]
    named = {"first": first, "second": second, "caption": contrast.left.caption, "title": contrast.left.title}
    key = "why.captions" if contrast.of_captions else "why.photos"
    head = say(key, **named, high=high, low=low, difference=high - low)
    sums = {part.name: sign * part.difference for part in contrast.rest}
    words = sign * sum(part.difference for part in contrast.words)
    parts = say("why.parts_dense" if "dense" in sums else "why.parts", words=words, **sums)
    has_dense = any(side.record.dense is not None for side in contrast.sides)
    dense = [say("why.with_dense")] if has_dense else []
    if not contrast.words:
        return [head, parts, *dense, say("why.no_words")]
    ordered = contrast.words[::sign]
    pro, contra = sign * ordered[0].difference, -sign * ordered[-1].difference
    best = say("why.none_for", name=first)
    worst = say("why.most_for", word=ordered[-1].name, name=second, amount=contra)
    if pro > 0:
        best = say("why.most_for", word=ordered[0].name, name=first, amount=pro)
        worst = worst if contra > 0 else say("why.none_for", name=second)
    return [head, parts, *dense, f"{best} {worst}"]


def word_sentence(contrast: Contrast, part: Part) -> str:
    """Return a word's shares of both similarities, and which of the two it supports."""
    names = contrast.names
    if part.left is None or part.right is None:
        place = 0 if part.right is None else 1
        return say("why.word_alone", word=part.name, share=(part.left, part.right)[place] or 0.0, name=names[place])
    speaks = names[0 if part.difference >= 0 else 1]
    values = {"left": part.left, "right": part.right, "left_name": names[0], "right_name": names[1]}
    return say("why.word", word=part.name, **values, amount=abs(part.difference), name=speaks)


def _alternative(contrast: Contrast, part: Part | None, place: int) -> str:
    """Describe a picture in words; `place` is 0 for the left one."""
    side = contrast.sides[place]
    if part is None:
        words = [mark["word"] for mark in marks(contrast, place)]
        shown = say("why.marked", words=listed(words)) if words else say("why.unmarked")
    elif (values := maps_of(contrast, part)[place]).any():
        where = phrase(whereabouts(side.record.on_grid(values)) or say("why.evenly"))
        shown = say("why.map", word=part.name, place=where)
    else:
        shown = say("why.no_map", word=part.name)
    return say("why.picture", title=side.title, shown=shown)


def contrast_value(contrast: Contrast) -> dict[str, Any]:
    """Return both similarities in parts as the page draws them; JSON ready."""
    by_number = sorted(contrast.words, key=lambda part: part.number)
    maps = [[maps_of(contrast, part)[place] for part in by_number] for place in (0, 1)]
    return {
        "says": contrast_sentences(contrast),
        "rows": [
            {"number": part.number, "word": part.name, **part.numbers}
            | {"says": word_sentence(contrast, part), "most": most(contrast, part)}
            | {"shows": [_alternative(contrast, part, place) for place in (0, 1)]}
            for part in contrast.words
        ],
        "rest": [
            {"name": part.name, "title": part.title, **part.numbers, "says": say(f"why.{part.name}_means")}
            for part in contrast.rest
        ],
        "sum": [contrast.left.similarity, contrast.right.similarity, contrast.difference],
        "scale": contrast.scale,
        "sides": [
            {
                "title": side.title,
                "caption": side.caption if contrast.of_captions else "",
                "grid": list(side.record.grid),
                "kept": side.record.sparse.kept.astype(int).tolist(),
                "maps": pack_array(np.stack(maps[place])) if by_number else None,
                "marks": marks(contrast, place),
                "shows": _alternative(contrast, None, place),
                "reads": side.score_line,
            }
            for place, side in enumerate(contrast.sides)
        ],
    }


def changed_shares(contrast: Contrast) -> list[dict[str, Any]]:
    """Return the words with the largest change of share, at least 0.00005, from left to right; JSON ready."""
    ranked = sorted(contrast.words, key=lambda part: -abs(part.difference))
    return [
        {
            "word": part.name,
            "before": part.left,
            "after": part.right,
            "change": -part.difference,
            "says": say("edit.share", word=part.name, before=part.left, after=part.right),
        }
        for part in ranked[:CHANGED]
        if abs(part.difference) >= LEAST
    ]


def contrast_record(contrast: Contrast, model: str) -> dict[str, Any]:
    """Return both similarities in parts, as programs take them: words and rest add up to each; JSON ready."""
    sides = {
        name: {"photo": side.title, "caption": side.caption, "similarity": side.similarity}
        for name, side in zip(("left", "right"), contrast.sides, strict=True)
    }
    return {
        "model": model,
        "says": contrast_sentences(contrast),
        **sides,
        "difference": contrast.difference,
        "words": [{"word": part.name, **part.numbers} for part in contrast.words],
        "rest": {part.name: part.numbers for part in contrast.rest},
    }

"""Why this one, and not that one: two explanations side by side, S(I, T) of each split into shares that add up.

A difference is always the left share minus the right share: above 0 it supports the left picture.
"""

from __future__ import annotations

from collections import defaultdict, deque
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from demo.record.texts.table import say
from seps import Attribution, Explanation
from seps.explanation.caption_words import CaptionWord, caption_words, is_content

MARKED = 3  # words that are marked on the pictures


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


@dataclass(frozen=True)
class Part:
    """A part of both similarities: a word's share, or what all words leave; None where a caption lacks the word."""

    name: str  # the word, or "specials", "tokens", "left_over" or "dense"
    left: float | None
    right: float | None
    number: int = -1  # of a word, from 0: the left caption's, then those only of the right one
    left_pieces: tuple[int, ...] = ()  # positions of the word's pieces
    right_pieces: tuple[int, ...] = ()

    @property
    def difference(self) -> float:
        """The left share minus the right one; a word that a caption has not got has none there."""
        return (self.left or 0.0) - (self.right or 0.0)

    @property
    def layer(self) -> str:
        """The word's map as links name it."""
        return f"word:{self.number}"


@dataclass(frozen=True)
class Contrast:
    """Two similarities in parts, which add up to each of them and to their difference."""

    left: Side
    right: Side
    words: tuple[Part, ...]  # what speaks most for the left one first
    rest: tuple[Part, ...]  # "specials" ([CLS], [SEP], unknown pieces), "tokens", "left_over", "dense"

    @property
    def of_captions(self) -> bool:
        """Whether the two are captions of one photograph, not photographs of one caption."""
        return self.left.caption != self.right.caption

    @property
    def has_dense(self) -> bool:
        """Whether a dense caption takes part."""
        return any(side.record.dense is not None for side in (self.left, self.right))

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

    def word(self, layer: str) -> Part | None:
        """Return the word of a word-map layer; None for any other layer."""
        return next((part for part in self.words if part.layer == layer), None)


def contrast(left: Side, right: Side) -> Contrast:
    """Split two similarities into the same parts; equal words of two captions go together, in their order."""
    words = [
        Part(text, share_of(left, word), share_of(right, other), number, pieces_of(word), pieces_of(other))
        for number, (text, word, other) in enumerate(pair_words(left, right))
    ]
    read = [
        {piece for word in caption_words(side.attribution.words) for piece in word.pieces} for side in (left, right)
    ]
    specials = [
        float(sum(attribution for piece, attribution in enumerate(side.attribution.of_words) if piece not in pieces))
        for side, pieces in zip((left, right), read, strict=True)
    ]
    rest: tuple[Part, ...] = (
        Part("specials", specials[0], specials[1]),
        Part("tokens", float(left.attribution.of_tokens.sum()), float(right.attribution.of_tokens.sum())),
        Part("left_over", left.attribution.left_over, right.attribution.left_over),
    )
    if left.dense_attribution is not None or right.dense_attribution is not None:
        rest += (Part("dense", left.dense, right.dense),)
    return Contrast(left, right, tuple(sorted(words, key=lambda part: -part.difference)), rest)


def pair_words(left: Side, right: Side) -> list[tuple[str, CaptionWord | None, CaptionWord | None]]:
    """Return the words of both captions: the k-th "dog" of one stands with the k-th of the other."""
    waiting: dict[str, deque[CaptionWord]] = defaultdict(deque)
    for word in caption_words(right.attribution.words):
        waiting[word.text].append(word)
    pairs: list[tuple[str, CaptionWord | None, CaptionWord | None]] = [
        (word.text, word, waiting[word.text].popleft() if waiting[word.text] else None)
        for word in caption_words(left.attribution.words)
    ]
    alone = sorted((word for words in waiting.values() for word in words), key=lambda word: word.pieces)
    return pairs + [(word.text, None, word) for word in alone]


def pieces_of(word: CaptionWord | None) -> tuple[int, ...]:
    """Return the positions of a word's pieces; none without a word."""
    return () if word is None else word.pieces


def share_of(side: Side, word: CaptionWord | None) -> float | None:
    """Return a word's share, summed over its pieces."""
    return None if word is None else float(side.attribution.of_words[list(word.pieces)].sum())


def word_map(side: Side, pieces: Sequence[int]) -> NDArray[np.floating[Any]]:
    """(N,), the mean of the maps of a word's pieces; zero where the caption has not got the word."""
    maps = side.record.sparse_alignment.word_maps  # (L, N)
    return maps[list(pieces)].mean(axis=0) if pieces else np.zeros(maps.shape[1])


def maps_of(contrast: Contrast, part: Part) -> tuple[NDArray[np.floating[Any]], NDArray[np.floating[Any]]]:
    """Return a word's maps on both sides, (N,) each."""
    return word_map(contrast.left, part.left_pieces), word_map(contrast.right, part.right_pieces)


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
    marked = []
    for part in deciding(contrast):
        values = maps_of(contrast, part)[place]
        if values.any():
            marked.append(
                {
                    "number": part.number,
                    "word": part.name,
                    "patch": int(values.argmax()),
                    "speaks": (part.difference > 0) == (place == 0),
                }
            )
    return marked

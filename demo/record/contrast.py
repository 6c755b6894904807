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

from demo.record.language import phrase
from demo.record.packing import pack_array
from demo.record.table import listed, say
from demo.record.unmatched import quoted, unmatched
from demo.service.whereabouts import whereabouts
from seps import Attribution, Explanation
from seps.explanation.caption_words import CaptionWord, caption_words, is_content
from seps.models.unmatched_words import UnmatchedRule

MARKED = 3  # words that are marked on the pictures
CHANGED, LEAST = 4, 5e-5  # number of changed words described; smallest reported difference


@dataclass(frozen=True)
class Side:
    """One of the two.

    Attributes:
        title: of its photograph; caption: as read; record: its explanation.
        attribution: of the similarity of the record's sparse alignment.
        rank, total: its photograph's place for the caption, from 1, among so many; 0 where it was not ranked.
        rule: when a word matches nothing; None where that was not measured.
        dense_attribution: of its dense alignment, where it has one: with a dense caption, in the released variant.
    """

    title: str
    caption: str
    record: Explanation
    attribution: Attribution
    rank: int = 0
    total: int = 0
    rule: UnmatchedRule | None = None
    dense_attribution: Attribution | None = None

    @property
    def similarity(self) -> float:
        """S(I, T), all attributions added."""
        return self.attribution.similarity + self.dense

    @property
    def dense(self) -> float:
        """Shares of S(I, T) of the dense caption's words and their tokens."""
        return 0.0 if self.dense_attribution is None else self.dense_attribution.similarity

    @property
    def unmatched(self) -> list[CaptionWord]:
        """The words that found nothing in its photograph."""
        return unmatched(self.record, self.rule)


@dataclass(frozen=True)
class Part:
    """A part of both similarities: a word's share, or what all words leave.

    Attributes:
        name: the word; for the rest, "specials", "tokens", "left_over" or "dense".
        left, right: the shares; None where the caption of that side has not got the word.
        number: of a word, from 0: the left caption's in order, then the words found only in the right one.
        left_pieces, right_pieces: positions of the word's pieces in either caption.
    """

    name: str
    left: float | None
    right: float | None
    number: int = -1
    left_pieces: tuple[int, ...] = ()
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
    """Two similarities in parts, which add up to each of them and to their difference.

    Attributes:
        left, right: the two sides.
        words: what speaks most for the left one first, what speaks most for the right one last.
        rest: "specials", the shares of [CLS], [SEP] and pieces that the model does not know; "tokens", of the
            image's tokens; "left_over", what belongs to none of them; where a dense caption has an alignment of its
            own, "dense", all of that.
    """

    left: Side
    right: Side
    words: tuple[Part, ...]
    rest: tuple[Part, ...]

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
    """Return the words that are marked on the pictures: the content words of the greatest differences, whichever side
    they support. Other parts have shares but no position."""
    named = [part for part in contrast.words if is_content(part.name)]
    ranked = sorted(named, key=lambda part: -abs(part.difference))
    return [part for part in ranked if any(values.any() for values in maps_of(contrast, part))][:MARKED]


def marks(contrast: Contrast, place: int) -> list[dict[str, Any]]:
    """Return the deciding words on one picture, 0 the left one: each at its heaviest patch, and whether it supports
    it."""
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


def contrast_sentences(contrast: Contrast) -> list[str]:
    """Return which of the two comes first, what makes the difference, and the words that speak most for either."""
    leads = contrast.difference >= 0
    first, second = contrast.names if leads else contrast.names[::-1]
    high, low = sorted((contrast.left.similarity, contrast.right.similarity), reverse=True)
    sign = 1 if leads else -1
    if all(abs(part.difference) < LEAST for part in (*contrast.words, *contrast.rest)):
        return [say("why.level", first=first, second=second, score=high), *unmatched_sentences(contrast)]
    key = "why.captions" if contrast.of_captions else "why.photos"
    head = say(
        key,
        first=first,
        second=second,
        caption=contrast.left.caption,
        title=contrast.left.title,
        high=high,
        low=low,
        difference=high - low,
    )
    sums = {part.name: sign * part.difference for part in contrast.rest}
    words = sign * sum(part.difference for part in contrast.words)
    parts = say("why.parts_dense" if "dense" in sums else "why.parts", words=words, **sums)
    dense = [say("why.with_dense")] if contrast.has_dense else []
    return [head, parts, *dense, describe_deciding_words(contrast, first, second, sign), *unmatched_sentences(contrast)]


def unmatched_sentences(contrast: Contrast) -> list[str]:
    """For each side with words that found nothing there, which these are."""
    sentences = []
    for side, name in zip((contrast.left, contrast.right), contrast.names, strict=True):
        words = [word.text for word in side.unmatched]
        if words:
            sentences.append(say("found.side", words=quoted(words), name=name))
    return sentences


def found_nothing(contrast: Contrast, part: Part) -> list[bool]:
    """Return whether a word found nothing on the left, and on the right."""
    pieces = zip((contrast.left, contrast.right), (part.left_pieces, part.right_pieces), strict=True)
    return [any(word.pieces == pieces_here for word in side.unmatched) for side, pieces_here in pieces]


def describe_deciding_words(contrast: Contrast, first: str, second: str, sign: int) -> str:
    """Return the words that speak most for the one that comes first, and for the other."""
    ordered = contrast.words if sign > 0 else contrast.words[::-1]
    if not ordered:
        return say("why.no_words")
    best, worst = ordered[0], ordered[-1]
    pro, contra = sign * best.difference, sign * worst.difference
    if pro <= 0:
        return say("why.none_for", name=first) + " " + say("why.most_for", word=worst.name, name=second, amount=-contra)
    sentence = say("why.most_for", word=best.name, name=first, amount=pro)
    if contra >= 0:
        return f"{sentence} {say('why.none_for', name=second)}"
    return f"{sentence} {say('why.most_for', word=worst.name, name=second, amount=-contra)}"


def get_part_title(part: Part) -> str:
    """Return a part's name: the word, or the name of the rest."""
    return part.name if part.number >= 0 else say(f"why.{part.name}")


def word_sentence(contrast: Contrast, part: Part) -> str:
    """Return a word's shares of both similarities, and which of the two it supports."""
    names = contrast.names
    if part.left is None or part.right is None:
        place, attribution = (0, part.left or 0.0) if part.right is None else (1, part.right or 0.0)
        return say("why.word_alone", word=part.name, share=attribution, name=names[place])
    speaks = names[0 if part.difference >= 0 else 1]
    values = {"left": part.left, "right": part.right, "left_name": names[0], "right_name": names[1]}
    return say("why.word", word=part.name, **values, amount=abs(part.difference), name=speaks)


def alternative(contrast: Contrast, part: Part | None, place: int) -> str:
    """Describe a picture in words; `place` is 0 for the left one."""
    side = (contrast.left, contrast.right)[place]
    if part is None:
        words = [mark["word"] for mark in marks(contrast, place)]
        marked = say("why.marked", words=listed(words)) if words else say("why.unmarked")
        return say("why.picture", title=side.title, shown=marked)
    values = maps_of(contrast, part)[place]
    if not values.any():
        return say("why.picture", title=side.title, shown=say("why.no_map", word=part.name))
    where = phrase(whereabouts(side.record.on_grid(values)) or say("why.evenly"))
    return say("why.picture", title=side.title, shown=say("why.map", word=part.name, place=where))


def contrast_value(contrast: Contrast) -> dict[str, Any]:
    """Return both similarities in parts as the page draws them; JSON ready.

    Returns:
        "says": sentences. "rows": for each word its number, name, shares (null where a caption has not got it),
        difference, sentence, the end of its maps' scale and a description of either picture. "rest" and "sum": the same
        without maps. "sides": for each the grid, "kept", the words' maps by number, packed, and the marked words.
        "scale": the greatest share, in amount, of any word.
    """
    by_number = sorted(contrast.words, key=lambda part: part.number)
    sizes = [abs(value) for part in contrast.words for value in (part.left, part.right) if value is not None]
    return {
        "says": contrast_sentences(contrast),
        "rows": [row_value(contrast, part) for part in contrast.words],
        "rest": [rest_value(part) for part in contrast.rest],
        "sum": [contrast.left.similarity, contrast.right.similarity, contrast.difference],
        "scale": max(sizes, default=0.0),
        "sides": [
            {
                "title": side.title,
                "caption": side.caption if contrast.of_captions else "",
                "grid": list(side.record.grid),
                "kept": side.record.sparse.kept.astype(int).tolist(),
                "maps": pack_array(np.stack([maps_of(contrast, part)[place] for part in by_number]))
                if by_number
                else None,
                "marks": marks(contrast, place),
                "shows": alternative(contrast, None, place),
                "reads": score_line(side),
            }
            for place, side in enumerate((contrast.left, contrast.right))
        ],
    }


def score_line(side: Side) -> str:
    """Return a side's score, and its photograph's place where that was ranked."""
    if not side.rank:
        return say("why.score", score=side.similarity)
    return say("why.ranked", score=side.similarity, rank=side.rank, total=side.total)


def row_value(contrast: Contrast, part: Part) -> dict[str, Any]:
    """Return a word as the page draws it."""
    return {
        "number": part.number,
        "word": part.name,
        "left": part.left,
        "right": part.right,
        "difference": part.difference,
        "says": word_sentence(contrast, part),
        "most": most(contrast, part),
        "unfound": found_nothing(contrast, part),
        "shows": [alternative(contrast, part, place) for place in (0, 1)],
    }


def rest_value(part: Part) -> dict[str, Any]:
    """Return the rest that no word covers, as the page draws it."""
    return {
        "name": part.name,
        "title": get_part_title(part),
        "left": part.left,
        "right": part.right,
        "difference": part.difference,
        "says": say(f"why.{part.name}_means"),
    }


def changed_shares(contrast: Contrast, count: int = CHANGED) -> list[dict[str, Any]]:
    """Return the words with the largest changes of share from left to right, of the same caption; JSON ready.

    Returns:
        For each word its name, its share "before" and "after", and the "change", the greatest in amount first; words
        with a change below 0.00005 are left out.
    """
    ranked = sorted(contrast.words, key=lambda part: -abs(part.difference))
    return [
        {
            "word": part.name,
            "before": part.left,
            "after": part.right,
            "change": -part.difference,
            "says": say("edit.share", word=part.name, before=part.left, after=part.right),
        }
        for part in ranked[:count]
        if abs(part.difference) >= LEAST
    ]


def contrast_record(contrast: Contrast, model: str) -> dict[str, Any]:
    """Return both similarities in parts, as programs take them; JSON ready.

    Returns:
        "model"; "says": sentences; "left" and "right": photo, caption, similarity and the words that found nothing;
        "difference"; "words": each with
        its shares (null where a caption has not got it) and their difference; "rest": "specials", "tokens" and
        "left_over" likewise. Words and rest add up to either similarity, and to the difference.
    """

    def numbers(part: Part) -> dict[str, Any]:
        return {"left": part.left, "right": part.right, "difference": part.difference}

    return {
        "model": model,
        "says": contrast_sentences(contrast),
        **{
            name: {
                "photo": side.title,
                "caption": side.caption,
                "similarity": side.similarity,
                "found_nothing": [word.text for word in side.unmatched],
            }
            for name, side in (("left", contrast.left), ("right", contrast.right))
        },
        "difference": contrast.difference,
        "words": [{"word": part.name, **numbers(part)} for part in contrast.words],
        "rest": {part.name: numbers(part) for part in contrast.rest},
    }

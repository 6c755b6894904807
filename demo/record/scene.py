"""Scene data for pictures and the browser: the true outlines, and each word's weight inside its object."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np
from contourpy import contour_generator
from numpy.typing import NDArray

from demo.galleries.annotation import SceneAnnotation, labels, object_name, objects_name, phrases_of
from demo.record.texts.table import say
from seps import Explanation
from seps.data.objects import energy_inside, mask_overlap
from seps.encoders.tokenizer import Tokenizer, word_tokens
from seps.scenes import SIDE, Mention, Scene

Line = tuple[float, ...]
UNIT = 2 * SIDE  # of packed outlines, to a side


@dataclass(frozen=True)
class Outline:
    """The visible part of an object; `lines` are closed, (x0, y0, x1, y1, ...) in fractions of width and height."""

    number: int
    name: str
    mentioned: bool
    lines: tuple[Line, ...]


def outlines(known: SceneAnnotation, caption: str) -> list[Outline]:
    """Return the outlines of all objects of a scene of which something is seen."""
    named = {number for mention in phrases_of(known, caption) for number in mention.objects}
    return [
        Outline(number, object_name(known.scene, number), number in named, lines)
        for number, lines in enumerate(scene_lines(known.scene))
        if lines
    ]


@lru_cache(maxsize=256)
def scene_lines(scene: Scene) -> tuple[tuple[Line, ...], ...]:
    """Return the lines around each object's mask."""
    seen = labels(scene)
    return tuple(_mask_lines(seen == number) for number in range(len(scene.objects)))


def _mask_lines(mask: NDArray[np.bool_]) -> tuple[Line, ...]:
    """Draw closed lines around a square mask, in fractions of its sides, through the middles of pixels' borders."""
    contours = contour_generator(z=np.pad(mask, 1).astype(float)).lines(0.5)
    lines = []
    for points in (np.asarray(line, dtype=np.float64) for line in contours):  # each (P, 2)
        steps = np.diff(points, axis=0)
        turns = steps[:-1, 0] * steps[1:, 1] != steps[:-1, 1] * steps[1:, 0]  # all other points are left out
        corners = points[np.concatenate(([True], turns, [True]))]
        lines.append(tuple(np.round((corners - 0.5) / len(mask), 5).ravel().tolist()))
    return tuple(lines)


def pack_lines(lines: Sequence[Line]) -> list[list[int]]:
    """Convert lines to whole halves of a scene's pixels."""
    return [[round(UNIT * value) for value in line] for line in lines]


@dataclass(frozen=True)
class Inside:
    """A word of a phrase, the objects it names, and the `fraction`, in [0, 1], of its map's weight inside them."""

    word: int
    objects: tuple[int, ...]
    name: str
    fraction: float

    @property
    def says(self) -> str:
        """The figure in words."""
        return say("word.inside", share=100 * self.fraction, name=self.name)


def weights_inside(record: Explanation, known: SceneAnnotation, caption: str, tokenizer: Tokenizer) -> list[Inside]:
    """For each word with a map, of a phrase that names visible objects: the share of its map's weight inside them."""
    named = phrases_of(known, caption)
    positions = word_tokens(tokenizer, caption)
    if not named or positions is None:
        return []
    seen, maps = labels(known.scene), record.sparse_alignment.word_maps
    weights = []
    for mention in named:
        mask = np.isin(seen, mention.objects)
        if not mask.any():
            continue
        overlap = mask_overlap(mask, record.grid).reshape(-1)  # (N,)
        name = objects_name(known.scene, mention.objects)
        weights += [
            Inside(word, mention.objects, name, energy_inside(maps[word], overlap))
            for word in words_of(mention, positions)
            if word < len(maps) - 1 and maps[word].any()  # the last one is [SEP]
        ]
    return weights


def words_of(mention: Mention, positions: Sequence[range]) -> list[int]:
    """Return the positions of a phrase's word pieces in the encoded caption."""
    last = mention.first_word + len(mention.phrase.split())
    return [place for word in positions[mention.first_word : last] for place in word]


def objects_value(known: SceneAnnotation, caption: str) -> list[dict[str, Any]]:
    """Return the objects, with their outlines as flat lists x0, y0, x1, y1, ..., UNIT to a side; JSON ready."""
    return [vars(outline) | {"lines": pack_lines(outline.lines)} for outline in outlines(known, caption)]


def scene_value(record: Explanation, known: SceneAnnotation, caption: str, tokenizer: Tokenizer) -> dict[str, Any]:
    """Return a scene's objects and, by word of a phrase that names some, the weight inside them; JSON ready."""
    return {
        "unit": UNIT,
        "objects": objects_value(known, caption),
        "inside": {
            str(weight.word): {"share": weight.fraction, "objects": list(weight.objects), "says": weight.says}
            for weight in weights_inside(record, known, caption, tokenizer)
        },
    }

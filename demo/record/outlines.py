"""The outlines of a scene's objects, as the browser and the files draw them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from contourpy import contour_generator
from numpy.typing import NDArray

from demo.galleries.annotation import SceneAnnotation, labels, object_name
from demo.galleries.phrases import phrases_of
from seps.scenes import SIDE, Scene

Line = tuple[float, ...]


@dataclass(frozen=True)
class Outline:
    """The visible part of an object.

    Attributes:
        number: of the object; name: "red car".
        mentioned: whether the caption names it.
        lines: closed lines (x0, y0, x1, y1, ...) in fractions of width and height.
    """

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
    return tuple(mask_lines(seen == number) for number in range(len(scene.objects)))


def mask_lines(mask: NDArray[np.bool_]) -> tuple[Line, ...]:
    """Closed lines around a square mask, in fractions of its sides: through the middles of the pixels' borders."""
    contours = contour_generator(z=np.pad(mask, 1).astype(float)).lines(0.5)
    lines = [simplify_line(np.asarray(line, dtype=np.float64)) for line in contours]  # each (P, 2)
    return tuple(tuple(np.round((line - 0.5) / len(mask), 5).ravel().tolist()) for line in lines)


def simplify_line(points: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return a closed line without the points at which it does not turn."""
    steps = np.diff(points, axis=0)
    turns = steps[:-1, 0] * steps[1:, 1] != steps[:-1, 1] * steps[1:, 0]
    return points[np.concatenate(([True], turns, [True]))]


def pack_lines(lines: Sequence[Line]) -> list[list[int]]:
    """Lines in whole halves of a scene's pixels."""
    return [[round(2 * SIDE * value) for value in line] for line in lines]

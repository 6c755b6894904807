"""Clouds, sun and ground, shared by several backgrounds, in picture coordinates."""

from __future__ import annotations

import numpy as np

from seps.scenes.palette import Colour
from seps.scenes.places import SIDE
from seps.scenes.rng import Rng
from seps.scenes.sketch import Sketch, cosine, curve, sine


def cloud(s: Sketch, x: int, y: int, size: int, paint: Colour) -> None:
    """Draw a cloud of five puffs."""
    for dx, dy, r in ((-16, 0, 9), (-5, -6, 12), (9, -3, 10), (18, 1, 7)):
        s.oval(x + dx * size // 10, y + dy * size // 10, r * size / 10, r * size / 12, paint, shade=3)
    s.oval(x, y + size * 3 // 10, size * 2.6, size * 0.45, paint, shade=3)


def clouds(s: Sketch, rng: Rng, low: int, high: int, paint: Colour) -> None:
    """Draw three clouds from left to right, between two rows."""
    for left in (20, 90, 160):
        cloud(s, left + rng.between(0, 40), rng.between(low, high), rng.between(8, 13), paint)


def glow(s: Sketch, x: int, y: int, r: int, paint: Colour, halo: Colour) -> None:
    """Draw a disc with a halo: sun or moon."""
    for grown in (26, 17, 9):
        circle = [(x + (r + grown) * cosine(a), y + (r + grown) * sine(a)) for a in range(0, 360, 12)]
        s.add(np.array(circle, np.float64), halo, 0, 46)
    s.oval(x, y, r, r, paint, shade=6)


def land(s: Sketch, rng: Rng, y: int, swing: int, paint: Colour, shade: int = 8) -> None:
    """Draw uneven ground from about row y down."""
    tops = [(x, y + rng.between(-swing, swing)) for x in range(-40, SIDE + 60, 44)]
    top = curve(tops, closed=False)
    s.add(np.concatenate((top, [(SIDE + 60, SIDE), (-40, SIDE)])), paint, shade)


def speckle(s: Sketch, rng: Rng, count: int, low: int, high: int, paint: Colour, wide: int = 5) -> None:
    """Draw flat spots between two rows."""
    for _ in range(count):
        x, y = rng.between(0, SIDE), rng.between(low, high)
        s.oval(x, y, wide, 1.3, paint, shade=0)

"""Furniture and things of a house."""

from __future__ import annotations

from seps.scenes.drawings.registry import draws
from seps.scenes.palette import BARK, CREAM, GLASS, GOLD, INK, STEEL, WHITE, WOOD, darker, lighter
from seps.scenes.sketch import Sketch, cosine, sine


@draws("table")
def table(s: Sketch) -> None:
    """Draw a board on four legs, open below."""
    for x in (-52, 52):
        s.box(x * 0.82 - 3, -56, x * 0.82 + 3, -8, s.dark)
    for x in (-68, 68):
        s.box(x - 5, -60, x + 5, 0, s.main)
    s.box(-72, -62, 72, -52, s.dark, 2)
    s.box(-80, -70, 80, -58, s.main, 4)


@draws("chair")
def chair(s: Sketch) -> None:
    """Seen from the side."""
    s.box(-29, -104, -21, 0, s.main, 3)
    s.box(20, -44, 28, 0, s.main, 3)
    s.box(-24, -100, -14, -56, s.dark, 4)
    s.box(-31, -52, 31, -42, s.main, 4)
    s.box(-28, -24, 26, -19, s.dark, 2)
    s.box(-26, -58, 30, -50, s.light, 4)


@draws("bench")
def bench(s: Sketch) -> None:
    """Slats on metal feet."""
    iron = (82, 88, 96)
    for x in (-62, 62):
        s.box(x - 4, -66, x + 4, 0, iron, 2)
        s.box(x - 9, -4, x + 9, 0, iron, 2)
    for y in (-66, -52, -38):
        s.box(-78, y - 5, 78, y + 5, s.main, 3)
    s.box(-82, -30, 82, -20, s.light, 3)
    s.box(-82, -22, 82, -17, s.dark, 2)


@draws("sofa")
def sofa(s: Sketch) -> None:
    """Draw two seats between arms."""
    for x in (-60, 60):
        s.box(x - 4, -8, x + 4, 0, BARK)
    s.box(-64, -66, 64, -18, s.dark, 12)
    s.box(-62, -64, -1, -30, s.main, 10)
    s.box(1, -64, 62, -30, s.main, 10)
    s.box(-62, -32, 0, -16, s.light, 7)
    s.box(0, -32, 62, -16, s.light, 7)
    s.box(-66, -18, 66, -6, s.main, 4)
    for side in (-1, 1):
        s.box(side * 69 - 11, -46, side * 69 + 11, -5, s.main, 10)


@draws("bed")
def bed(s: Sketch) -> None:
    """Draw a blanket of its colour, a pillow, a wooden frame."""
    s.box(-84, -58, -74, 0, WOOD, 3)
    s.box(76, -40, 84, 0, WOOD, 3)
    s.box(-80, -20, 82, -10, darker(WOOD, 14), 2)
    s.box(-76, -34, 78, -17, WHITE, 5)
    s.box(-72, -45, -38, -28, CREAM, 8)
    s.blob([(-40, -36), (0, -41), (60, -39), (79, -34), (79, -14), (40, -12), (-36, -14)], s.main, 14)
    s.line([(-38, -34), (-36, -15)], 5, s.light)


@draws("lamp")
def lamp(s: Sketch) -> None:
    """Draw a standing lamp with a shade."""
    s.oval(0, -3, 18, 4, INK)
    s.line([(0, -4), (0, -84)], 4, INK)
    s.oval(0, -80, 6, 6, (255, 240, 170))
    s.polygon([(-14, -116), (14, -116), (26, -82), (-26, -82)], s.main, 14)
    s.line([(-25, -84), (25, -84)], 3, s.light)


@draws("clock")
def clock(s: Sketch) -> None:
    """Draw a round face with two hands."""
    s.oval(0, -40, 40, 40, s.main)
    s.oval(0, -40, 32, 32, WHITE, shade=4)
    for i in range(12):
        s.oval(cosine(i * 30) * 26, -40 + sine(i * 30) * 26, 2.2, 2.2, INK, shade=0)
    s.line([(0, -40), (13, -52)], 4, INK)
    s.line([(0, -40), (-5, -64)], 3, INK)
    s.oval(0, -40, 3.4, 3.4, (210, 54, 52))


@draws("picture")
def picture(s: Sketch) -> None:
    """Draw a framed landscape."""
    s.box(-50, -78, 50, 0, s.main, 3)
    s.box(-41, -69, 41, -9, GLASS)
    s.oval(22, -54, 8, 8, GOLD)
    s.polygon([(-41, -24), (-16, -54), (6, -26), (20, -40), (41, -22), (41, -9), (-41, -9)], (112, 150, 112))
    s.polygon([(-23, -46), (-16, -54), (-8, -44), (-16, -42)], WHITE)


@draws("book")
def book(s: Sketch) -> None:
    """Lying open."""
    s.polygon([(-52, -40), (-44, -44), (0, -32), (44, -44), (52, -40), (52, -6), (0, 2), (-52, -6)], s.main)
    for side in (-1, 1):
        s.blob([(0, -36), (side * 20, -46), (side * 44, -46), (side * 46, -12), (side * 22, -12), (0, -4)], CREAM, 8)
        for y in (-36, -28, -20):
            s.line([(side * 9, y + 3), (side * 24, y - 1), (side * 38, y - 1)], 1.8, STEEL)


@draws("television")
def television(s: Sketch) -> None:
    """With aerials and a bright screen."""
    for side in (-1, 1):
        s.line([(0, -70), (side * 22, -94)], 3, INK)
        s.box(side * 28 - 4, -8, side * 28 + 4, 0, INK, 1)
    s.box(-52, -72, 52, -6, s.main, 8, 14)
    s.box(-44, -64, 24, -14, INK, 8)
    s.box(-41, -61, 21, -17, (136, 196, 218), 7, 22)
    s.shine(-24, -48, 12, 6, -30)
    s.oval(38, -54, 6, 6, STEEL)
    s.oval(38, -38, 6, 6, STEEL)
    for y in (-26, -21, -16):
        s.line([(32, y), (45, y)], 2, s.dark)


@draws("suitcase")
def suitcase(s: Sketch) -> None:
    """With a handle and two straps."""
    s.box(-13, -72, 13, -58, INK, 5)
    s.box(-8, -67, 8, -58, s.light, 2)
    s.box(-42, -62, 42, 0, s.main, 9, 14)
    for x in (-24, 24):
        s.box(x - 4, -62, x + 4, 0, s.dark)
        s.box(x - 5, -40, x + 5, -32, GOLD, 1)


@draws("gift")
def gift(s: Sketch) -> None:
    """Draw a box with a bow."""
    ribbon = CREAM if s.main != (246, 246, 242) else (214, 54, 52)
    s.box(-34, -52, 34, 0, s.main, 2, 14)
    s.box(-39, -64, 39, -46, s.light if s.main == (48, 50, 58) else lighter(s.main, 12), 3)
    s.box(-6, -64, 6, 0, ribbon)
    for side in (-1, 1):
        s.blob([(0, -64), (side * 10, -80), (side * 25, -82), (side * 26, -69), (side * 10, -63)], ribbon)
    s.oval(0, -66, 6, 5, darker(ribbon, 12))


@draws("backpack")
def backpack(s: Sketch) -> None:
    """With a pocket in front."""
    s.ring(0, -86, 8, 4.5, s.dark)
    for side in (-1, 1):
        s.box(side * 32 - 7, -40, side * 32 + 7, -6, s.dark, 6)
    s.box(-32, -86, 32, 0, s.main, 20, 14)
    s.box(-24, -40, 24, -6, s.light, 8)
    s.line([(-22, -30), (22, -30)], 2.6, s.dark)
    s.blob([(-29, -62), (0, -54), (29, -62), (27, -76), (0, -84), (-27, -76)], s.dark, 8)
    s.box(-4, -62, 4, -48, GOLD, 2)


@draws("candle")
def candle(s: Sketch) -> None:
    """Burning, in a holder."""
    s.blob([(0, -104), (9, -86), (0, -76), (-9, -86)], (255, 182, 60))
    s.blob([(0, -94), (5, -85), (0, -78), (-5, -85)], (255, 240, 170))
    s.line([(0, -80), (0, -72)], 2.4, INK)
    s.box(-12, -74, 12, -8, s.main, 3, 14)
    s.blob([(-12, -74), (12, -74), (12, -60), (7, -52), (3, -66), (-5, -60), (-9, -48), (-12, -60)], s.light, 4)
    s.oval(0, -5, 30, 6, GOLD)
    s.box(-15, -14, 15, -4, GOLD, 3)

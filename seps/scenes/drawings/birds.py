"""Animals that fly or live in the water."""

from __future__ import annotations

from seps.scenes.drawings.registry import draws
from seps.scenes.palette import BEAK, CREAM, GOLD, INK, WHITE, Colour, darker, lighter
from seps.scenes.sketch import Sketch

FOAM: Colour = (222, 240, 250)


def _foam(s: Sketch, left: float, right: float) -> None:
    step = (right - left) / 6
    top = [(left + i * step, -5 if i % 2 else -1) for i in range(7)]
    s.blob([*top, (right - step, 4), (left + step, 4)], FOAM, 4)


@draws("bird")
def bird(s: Sketch) -> None:
    """Flying, wings up."""
    s.polygon([(-28, -18), (-56, -26), (-52, -16), (-58, -8)], s.dark)
    s.blob([(-2, -24), (2, -50), (18, -66), (24, -50), (18, -26)], s.dark)
    s.blob([(-34, -18), (-12, -28), (16, -30), (30, -20), (20, -6), (-8, -4)], s.main, 14)
    s.blob([(-6, -10), (16, -8), (26, -16), (16, -5)], lighter(s.main, 60))
    s.oval(30, -26, 13, 12, s.main)
    s.polygon([(41, -29), (56, -24), (41, -20)], BEAK)
    s.blob([(-20, -22), (-26, -50), (-18, -70), (-2, -54), (8, -24), (-6, -18)], s.main, 18)
    s.eye(34, -29, 2.8)


@draws("duck")
def duck(s: Sketch) -> None:
    """Yellow, swimming or standing."""
    s.blob(
        [(-46, -26), (-54, -40), (-34, -34), (0, -36), (26, -34), (36, -18), (22, 0), (-24, 0), (-42, -10)], GOLD, 12
    )
    s.blob([(-28, -26), (-6, -30), (12, -22), (-2, -10), (-22, -12)], darker(GOLD, 18))
    s.oval(26, -50, 19, 18, GOLD)
    s.blob([(42, -54), (54, -50), (60, -44), (52, -40), (40, -42)], BEAK)
    s.line([(44, -47), (56, -45)], 1.8, darker(BEAK, 35))
    s.eye(31, -55)


@draws("owl")
def owl(s: Sketch) -> None:
    """Facing the viewer."""
    for x in (-9, 9):
        s.oval(x, -3, 7, 4, BEAK)
    s.polygon([(-25, -76), (-26, -98), (-6, -86)], s.main)
    s.polygon([(25, -76), (26, -98), (6, -86)], s.main)
    s.blob([(-28, -70), (-16, -88), (16, -88), (28, -70), (29, -30), (16, -4), (-16, -4), (-29, -30)], s.main, 14)
    s.oval(0, -30, 18, 24, lighter(s.main, 55))
    for y in (-40, -30, -20):
        for x in (-8, 0, 8):
            s.line([(x - 2.5, y - 2), (x, y), (x + 2.5, y - 2)], 1.8, s.dark)
    for side in (-1, 1):
        s.blob([(side * 28, -60), (side * 33, -36), (side * 24, -12), (side * 18, -36)], s.dark)
        s.oval(side * 12, -68, 13, 13, CREAM)
        s.oval(side * 11, -68, 8, 8, GOLD, shade=0)
        s.eye(side * 11, -68, 5)
    s.polygon([(-5, -62), (5, -62), (0, -52)], BEAK)


@draws("penguin")
def penguin(s: Sketch) -> None:
    """Standing upright."""
    black = (46, 50, 62)
    for x in (-11, 11):
        s.oval(x, -3, 10, 5, BEAK)
    for side in (-1, 1):
        s.oval(side * 27, -42, 7, 24, black, side * -16)
    s.blob(
        [(-26, -30), (-22, -66), (-16, -90), (0, -98), (16, -90), (22, -66), (26, -30), (16, -4), (-16, -4)], black, 10
    )
    s.blob([(-17, -30), (-15, -56), (0, -64), (15, -56), (17, -30), (10, -8), (-10, -8)], WHITE, 6)
    s.oval(-7, -78, 7.5, 9, WHITE, shade=3)
    s.oval(7, -78, 7.5, 9, WHITE, shade=3)
    s.eye(-6, -79, 3)
    s.eye(6, -79, 3)
    s.polygon([(-6, -74), (6, -74), (0, -65)], BEAK)


@draws("chicken")
def chicken(s: Sketch) -> None:
    """With a red comb."""
    red = (218, 58, 52)
    for x in (-6, 10):
        s.line([(x, -18), (x, -3), (x + 8, -2)], 3.2, BEAK, smooth=False)
    for i in range(3):
        s.blob(
            [(-24, -44), (-50 + i * 8, -72 - i * 5), (-38 + i * 8, -78 - i * 3), (-14, -50)],
            s.dark if i % 2 else s.main,
        )
    s.blob(
        [(-36, -40), (-24, -52), (0, -46), (16, -60), (20, -78), (38, -78), (40, -56), (32, -24), (8, -12), (-20, -16)],
        s.main,
        14,
    )
    s.blob([(-20, -38), (4, -40), (10, -28), (-6, -20), (-20, -26)], s.dark)
    for x, y in ((22, -86), (30, -90), (37, -85)):
        s.oval(x, y, 6, 7, red)
    s.oval(30, -76, 12, 12, s.main)
    s.polygon([(40, -79), (54, -73), (40, -68)], BEAK)
    s.oval(41, -62, 4, 6.5, red)
    s.eye(33, -79)


@draws("butterfly")
def butterfly(s: Sketch) -> None:
    """Four wings spread."""
    for side in (-1, 1):
        s.blob(
            [(side * 2, -30), (side * 14, -58), (side * 36, -66), (side * 46, -50), (side * 34, -32), (side * 12, -26)],
            s.main,
            16,
        )
        s.blob([(side * 2, -28), (side * 26, -28), (side * 36, -14), (side * 24, 0), (side * 10, -8)], s.dark, 12)
        s.oval(side * 31, -51, 7, 7, lighter(s.main, 65))
        s.oval(side * 23, -14, 5, 5, lighter(s.main, 65))
        s.line([(side * 1, -50), (side * 6, -64), (side * 12, -70)], 1.8, INK)
    s.oval(0, -29, 4, 23, INK)
    s.oval(0, -52, 4.6, 4.6, INK)


@draws("bee")
def bee(s: Sketch) -> None:
    """Striped, with two wings."""
    s.polygon([(-34, -24), (-45, -19), (-33, -15)], INK)
    s.oval(-8, -46, 12, 22, FOAM, -25)
    s.oval(12, -46, 12, 22, FOAM, 15)
    s.oval(0, -21, 37, 21, (250, 204, 56), shade=14)
    for x, tall in ((-20, 17), (-4, 20), (12, 19)):
        s.box(x - 4, -21 - tall, x + 4, -21 + tall, INK, 3)
    s.line([(30, -38), (38, -50)], 2.2, INK)
    s.line([(36, -34), (48, -44)], 2.2, INK)
    s.eye(27, -25)


@draws("fish")
def fish(s: Sketch) -> None:
    """Swimming, with fins and scales."""
    s.blob([(-32, -26), (-58, -46), (-54, -26), (-58, -6)], s.dark)
    s.blob([(-12, -42), (4, -56), (22, -42)], s.dark)
    s.blob([(-4, -10), (4, 2), (16, -10)], s.dark)
    s.blob([(-40, -26), (-16, -44), (18, -46), (46, -28), (20, -8), (-14, -8)], s.main, 16)
    for x, y in ((-14, -32), (-2, -36), (-2, -20), (-14, -20), (10, -28)):
        s.line([(x - 3, y - 5), (x + 3, y), (x - 3, y + 5)], 2.2, s.dark)
    s.oval(28, -31, 6, 6, WHITE, shade=0)
    s.oval(29, -31, 3, 3, INK, shade=0)
    s.line([(44, -25), (38, -21), (34, -22)], 2, s.dark)


@draws("whale")
def whale(s: Sketch) -> None:
    """Blue, blowing water."""
    blue = (74, 118, 170)
    for side in (-1, 1):
        s.line([(34, -44), (34 + side * 3, -62), (34 + side * 14, -68), (34 + side * 18, -58)], 4.5, FOAM)
    s.blob([(-50, -24), (-62, -50), (-80, -60), (-62, -60), (-54, -72), (-48, -54), (-34, -28)], blue)
    s.blob([(-60, -34), (-40, -16), (-20, -38), (16, -48), (52, -42), (64, -22), (56, -4), (0, 0), (-40, -4)], blue, 14)
    s.blob([(-4, -4), (10, -14), (40, -16), (63, -18), (56, -3), (10, 1)], (218, 232, 242), 4)
    for x in (18, 30, 42):
        s.line([(x, -12), (x - 3, -3)], 1.6, (160, 186, 208))
    s.eye(44, -26)
    _foam(s, -56, 70)


@draws("dolphin")
def dolphin(s: Sketch) -> None:
    """Leaping, in an arc."""
    grey = (104, 138, 172)
    s.polygon([(2, -54), (-8, -72), (18, -58)], darker(grey))
    s.blob([(-44, -10), (-62, -14), (-54, -4), (-58, 10), (-44, 4), (-36, -6)], darker(grey))
    s.blob(
        [
            (-46, -6),
            (-36, -32),
            (-12, -54),
            (18, -58),
            (42, -44),
            (60, -32),
            (58, -26),
            (40, -30),
            (8, -32),
            (-22, -18),
            (-38, 0),
        ],
        grey,
        14,
    )
    s.blob([(-14, -26), (10, -38), (36, -36), (56, -27), (40, -28), (10, -30)], (226, 236, 244), 4)
    s.polygon([(6, -36), (4, -16), (20, -34)], darker(grey))
    s.eye(38, -40, 2.6)


@draws("shark")
def shark(s: Sketch) -> None:
    """Draw a fin and a wide jaw above the waves."""
    grey = (120, 134, 150)
    s.polygon([(-58, -14), (-76, -46), (-44, -22)], darker(grey))
    s.polygon([(-16, -34), (-18, -66), (12, -38)], darker(grey, 14))
    s.blob([(-62, -10), (-30, -32), (10, -42), (46, -36), (68, -22), (54, -8), (10, 0), (-40, 0)], grey, 14)
    s.blob([(-30, -4), (10, -12), (44, -12), (60, -14), (50, -4), (8, 1)], (232, 238, 242), 4)
    s.blob([(36, -16), (52, -20), (64, -20), (56, -11), (42, -9)], (120, 40, 52))
    for x in (40, 46, 52, 58):
        s.polygon([(x, -19), (x + 5, -20), (x + 2.5, -14)], WHITE, 0)
    for x in (14, 20, 26):
        s.line([(x, -26), (x - 2, -16)], 1.8, darker(grey, 40))
    s.eye(46, -28, 2.6)
    _foam(s, -64, 66)

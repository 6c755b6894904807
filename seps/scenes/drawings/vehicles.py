"""Drawings of vehicles."""

from __future__ import annotations

from seps.scenes.drawings.registry import draws
from seps.scenes.palette import CREAM, GLASS, GOLD, INK, RUBBER, STEEL, WHITE, WOOD, Colour, darker, lighter
from seps.scenes.sketch import Sketch

LAMP: Colour = (255, 232, 140)
TAIL: Colour = (206, 52, 48)


def _wheel(s: Sketch, x: float, r: float) -> None:
    s.oval(x, -r, r, r, RUBBER, shade=5)
    s.oval(x, -r, r * 0.56, r * 0.56, STEEL)
    s.oval(x, -r, r * 0.2, r * 0.2, RUBBER, shade=0)


@draws("car")
def car(s: Sketch) -> None:
    """Draw a family car."""
    s.blob([(-46, -30), (-34, -52), (-12, -56), (14, -56), (36, -34), (30, -24), (-44, -24)], s.main, 10)
    s.polygon([(-38, -34), (-28, -49), (-7, -50), (-7, -34)], GLASS)
    s.polygon([(-2, -34), (-2, -50), (12, -50), (27, -34)], GLASS)
    s.blob(
        [(-66, -28), (-58, -35), (0, -37), (36, -36), (62, -31), (68, -20), (66, -10), (-64, -10), (-67, -18)],
        s.main,
        14,
    )
    s.box(-66, -13, 67, -8, s.dark, 2)
    s.line([(-22, -26), (-14, -26)], 2.4, s.dark)
    s.line([(16, -26), (24, -26)], 2.4, s.dark)
    s.oval(62, -24, 4, 4.5, LAMP)
    s.box(-67, -28, -61, -21, TAIL, 2)
    _wheel(s, -40, 14)
    _wheel(s, 42, 14)


@draws("bus")
def bus(s: Sketch) -> None:
    """Draw a long bus with a row of windows."""
    s.box(-80, -84, 80, -12, s.main, 10, 14)
    s.box(-80, -34, 80, -28, lighter(s.main, 60))
    for i in range(5):
        s.box(-72 + i * 25, -72, -51 + i * 25, -44, GLASS, 3)
    s.box(55, -74, 80, -40, GLASS, 4)
    s.box(30, -40, 48, -14, s.dark, 2)
    s.box(33, -37, 45, -18, GLASS, 2)
    s.box(-80, -17, 80, -11, s.dark, 2)
    s.oval(75, -23, 4, 4, LAMP)
    _wheel(s, -48, 15)
    _wheel(s, 8, 15)


@draws("truck")
def truck(s: Sketch) -> None:
    """Draw a white box behind a coloured cab."""
    s.box(-80, -18, 74, -10, RUBBER, 2)
    s.box(-80, -84, 26, -18, s.light, 3, 9)
    s.line([(-70, -50), (16, -50)], 6, WHITE)
    s.blob([(30, -66), (54, -68), (66, -62), (74, -38), (80, -34), (80, -14), (30, -12)], s.main, 14)
    s.polygon([(44, -60), (58, -60), (68, -38), (44, -38)], GLASS)
    s.oval(76, -24, 4, 4.4, LAMP)
    s.line([(44, -30), (52, -30)], 2.4, s.dark)
    for x in (-56, -24, 54):
        _wheel(s, x, 15)


@draws("tractor")
def tractor(s: Sketch) -> None:
    """Draw a large and a small wheel."""
    s.line([(34, -52), (34, -78)], 5, RUBBER)
    s.box(-44, -88, 4, -82, s.dark, 3)
    for x in (-38, -2):
        s.line([(x, -84), (x, -46)], 4, s.dark)
    s.box(-36, -82, -4, -48, GLASS)
    s.blob([(-8, -54), (44, -54), (52, -44), (52, -24), (-10, -22)], s.main, 14)
    s.blob([(-50, -54), (-34, -60), (-6, -54), (2, -32), (-10, -24), (-52, -30)], s.main)
    for y in (-46, -40, -34):
        s.line([(34, y), (47, y)], 2.4, s.dark)
    s.oval(-24, -27, 27, 27, RUBBER, shade=4)
    s.oval(-24, -27, 15, 15, GOLD)
    s.oval(-24, -27, 5, 5, RUBBER)
    s.oval(40, -16, 16, 16, RUBBER, shade=4)
    s.oval(40, -16, 8, 8, GOLD)


@draws("bicycle")
def bicycle(s: Sketch) -> None:
    """Draw two wheels with spokes and a frame."""
    for x in (-36, 36):
        for dx, dy in ((22, 0), (11, 19), (-11, 19)):
            s.line([(x - dx, -26 - dy), (x + dx, -26 + dy)], 1.4, STEEL)
        s.ring(x, -26, 23.5, 5, RUBBER)
        s.oval(x, -26, 3.4, 3.4, RUBBER)
    for a, b in (
        ((-36, -26), (-14, -58)),
        ((-36, -26), (-4, -26)),
        ((-4, -26), (-16, -66)),
        ((-4, -26), (24, -58)),
        ((-14, -58), (24, -58)),
    ):
        s.line([a, b], 5.4, s.main)
    s.line([(36, -26), (23, -60), (20, -72)], 5, s.main)
    s.line([(12, -76), (22, -74), (32, -68)], 4.4, RUBBER)
    s.blob([(-28, -70), (-14, -71), (-4, -67), (-14, -64)], INK)
    s.oval(-4, -26, 5.4, 5.4, STEEL)
    s.line([(-4, -26), (2, -14), (9, -14)], 3, INK, smooth=False)


@draws("motorbike")
def motorbike(s: Sketch) -> None:
    """Draw a heavy frame between two thick wheels."""
    _wheel(s, -42, 20)
    _wheel(s, 44, 20)
    s.line([(-42, -20), (-16, -26)], 6, STEEL)
    s.line([(44, -20), (30, -56), (22, -66)], 5.4, STEEL)
    s.line([(12, -70), (24, -68), (30, -62)], 4.5, RUBBER)
    s.box(-18, -36, 18, -12, (96, 100, 108), 6)
    s.line([(-50, -12), (-10, -12)], 6, STEEL)
    s.blob([(-58, -46), (-40, -50), (-20, -44), (-12, -36), (-36, -38)], INK)
    s.blob([(-18, -42), (-6, -56), (18, -58), (28, -48), (18, -36), (-12, -34)], s.main, 16)
    s.arc(-44, -20, 25, 24, 190, 320, s.main)
    s.arc(44, -20, 25, 24, 215, 345, s.main)
    s.oval(34, -58, 7, 7, LAMP)


@draws("train")
def train(s: Sketch) -> None:
    """Draw a steam engine."""
    for x, y, r in ((38, -96, 9), (26, -106, 11), (8, -112, 9)):
        s.oval(x, y, r, r, (232, 234, 238), shade=5)
    s.polygon([(34, -64), (48, -64), (52, -88), (30, -88)], RUBBER)
    s.oval(6, -64, 9, 10, GOLD)
    s.box(-30, -64, 62, -26, s.main, 10, 16)
    s.box(54, -62, 64, -28, s.dark, 3)
    for x in (-2, 24):
        s.box(x, -64, x + 4, -26, GOLD)
    s.box(-74, -82, -26, -22, s.main, 3, 14)
    s.box(-80, -90, -20, -80, s.dark, 4)
    s.box(-66, -74, -36, -52, GLASS, 3)
    s.box(-78, -26, 64, -16, RUBBER, 2)
    s.polygon([(60, -24), (82, -4), (60, -4)], TAIL)
    for x, r in ((-56, 16), (-20, 14), (12, 14), (44, 14)):
        s.oval(x, -r, r, r, TAIL if s.main != TAIL else RUBBER)
        s.oval(x, -r, r * 0.62, r * 0.62, RUBBER)
        s.oval(x, -r, r * 0.22, r * 0.22, STEEL)
    s.line([(-20, -14), (44, -14)], 4, STEEL)


@draws("plane")
def plane(s: Sketch) -> None:
    """Draw a passenger plane in the air."""
    s.polygon([(6, -26), (-14, -54), (-26, -54), (-16, -26)], s.dark)
    s.polygon([(-56, -26), (-80, -60), (-64, -60), (-36, -28)], s.main)
    s.blob(
        [(-76, -26), (-40, -35), (40, -36), (66, -30), (78, -20), (62, -12), (30, -9), (-40, -12), (-70, -20)], WHITE, 9
    )
    s.blob([(-74, -24), (-40, -24), (40, -22), (76, -19), (62, -12), (30, -9), (-40, -12)], s.main, 6)
    for i in range(7):
        s.oval(-32 + i * 12, -28, 3, 3.4, GLASS)
    s.blob([(54, -32), (66, -28), (70, -23), (56, -24)], (70, 92, 120))
    s.polygon([(14, -18), (-28, 12), (-44, 12), (-16, -20)], darker(s.main, 12))
    s.oval(-8, -2, 8, 4, STEEL)


@draws("helicopter")
def helicopter(s: Sketch) -> None:
    """Rotor on top, skids below."""
    s.polygon([(-20, -46), (-76, -50), (-76, -44), (-22, -30)], s.main)
    s.polygon([(-70, -46), (-84, -64), (-74, -64), (-64, -46)], s.dark)
    s.ring(-76, -48, 8, 2.6, STEEL)
    s.line([(14, -58), (14, -70)], 5, RUBBER)
    s.line([(-56, -71), (82, -71)], 4, RUBBER)
    for x in (0, 34):
        s.line([(x, -18), (x, -4)], 3.4, RUBBER)
    s.line([(-18, -4), (46, -4), (54, -9)], 4, RUBBER)
    s.blob([(-30, -40), (-12, -58), (24, -60), (50, -46), (56, -28), (40, -15), (-6, -14), (-26, -26)], s.main, 14)
    s.blob([(22, -54), (44, -44), (52, -30), (22, -30)], GLASS)
    s.box(-8, -50, 14, -32, GLASS, 4)
    s.line([(-22, -24), (48, -22)], 3, lighter(s.main, 60))


@draws("hot air balloon")
def hot_air_balloon(s: Sketch) -> None:
    """Striped, with a basket."""
    for x, foot in ((-20, -8), (20, 8), (-8, -5), (8, 5)):
        s.line([(x, -44), (foot, -16)], 1.6, WOOD)
    s.blob(
        [(0, -126), (30, -118), (46, -90), (38, -64), (14, -42), (-14, -42), (-38, -64), (-46, -90), (-30, -118)],
        s.main,
        18,
    )
    s.blob(
        [(0, -126), (14, -116), (21, -90), (17, -64), (7, -42), (-7, -42), (-17, -64), (-21, -90), (-14, -116)],
        CREAM,
        10,
    )
    s.blob(
        [(0, -126), (4, -112), (6, -90), (5, -64), (3, -42), (-3, -42), (-5, -64), (-6, -90), (-4, -112)], s.main, 14
    )
    s.box(-14, -46, 14, -40, s.dark, 2)
    s.box(-10, -18, 10, 0, WOOD, 3)
    s.box(-12, -20, 12, -15, darker(WOOD), 2)


@draws("sailing boat")
def sailing_boat(s: Sketch) -> None:
    """Draw a hull with two sails."""
    s.line([(0, -18), (0, -108)], 4, WOOD)
    s.polygon([(4, -104), (4, -26), (46, -26)], WHITE, 9)
    s.polygon([(-4, -96), (-4, -26), (-36, -26)], CREAM, 9)
    s.polygon([(0, -112), (20, -106), (0, -100)], s.main)
    s.blob([(-50, -22), (-20, -20), (20, -20), (54, -24), (42, -4), (30, 0), (-30, 0), (-42, -6)], s.main, 16)
    s.line([(-46, -17), (48, -18)], 3, lighter(s.main, 65))


@draws("ship")
def ship(s: Sketch) -> None:
    """Draw a steamer with a funnel."""
    s.box(-22, -80, -4, -50, s.main, 2)
    s.box(-22, -80, -4, -73, INK, 2)
    s.box(12, -74, 28, -50, s.main, 2)
    s.box(12, -74, 28, -67, INK, 2)
    s.box(-44, -54, 50, -38, WHITE, 3)
    s.box(-56, -42, 62, -26, (236, 236, 232), 3)
    for i in range(7):
        s.oval(-46 + i * 16, -34, 4, 4, (84, 130, 170))
    s.polygon([(-78, -30), (84, -32), (66, 0), (-62, 0)], s.main, 16)
    s.polygon([(-65, -6), (70, -7), (66, 0), (-62, 0)], s.dark)


@draws("rowing boat")
def rowing_boat(s: Sketch) -> None:
    """Open, with an oar."""
    s.blob([(-62, -26), (0, -22), (62, -28), (52, -18), (-52, -18)], darker(WOOD, 35))
    s.box(-22, -25, -8, -17, WOOD)
    s.box(14, -25, 28, -17, WOOD)
    s.blob([(-64, -26), (-30, -17), (30, -17), (66, -28), (52, -4), (40, 0), (-38, 0), (-52, -6)], s.main, 16)
    s.line([(-50, -12), (0, -8), (52, -13)], 3, lighter(s.main, 60))
    s.line([(10, -40), (-22, -4)], 4, WOOD)
    s.oval(-25, -1, 9, 4.4, WOOD, -48)


@draws("rocket")
def rocket(s: Sketch) -> None:
    """Flying up, flame below."""
    s.blob([(-11, -22), (11, -22), (8, -8), (0, 6), (-8, -8)], (246, 150, 44))
    s.blob([(-6, -22), (6, -22), (4, -12), (0, -4), (-4, -12)], (255, 230, 120))
    for side in (-1, 1):
        s.polygon([(side * 14, -50), (side * 31, -26), (side * 29, -14), (side * 10, -26)], s.main)
    s.blob(
        [(0, -118), (14, -96), (19, -70), (16, -40), (11, -22), (-11, -22), (-16, -40), (-19, -70), (-14, -96)],
        WHITE,
        10,
    )
    s.blob([(0, -119), (9, -106), (14, -92), (0, -89), (-14, -92), (-9, -106)], s.main)
    s.oval(0, -70, 9, 9, s.dark)
    s.oval(0, -70, 6, 6, GLASS)
    s.box(-3, -44, 3, -16, s.main, 2)

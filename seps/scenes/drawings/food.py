"""Food and drink."""

from __future__ import annotations

from seps.scenes.drawings.registry import draws
from seps.scenes.palette import CREAM, GOLD, INK, LEAF, WHITE, WOOD, Colour, darker, lighter
from seps.scenes.sketch import Sketch

CRUST: Colour = (212, 152, 84)


@draws("apple")
def apple(s: Sketch) -> None:
    """With stalk and leaf."""
    s.line([(0, -58), (4, -74)], 4.5, WOOD)
    s.blob([(5, -70), (18, -80), (30, -72), (18, -65)], LEAF)
    s.blob(
        [(0, -60), (18, -68), (36, -54), (36, -28), (20, -2), (0, -5), (-20, -2), (-36, -28), (-36, -54), (-18, -68)],
        s.main,
        20,
    )
    s.shine(-20, -46, 6, 11, 20)


@draws("pear")
def pear(s: Sketch) -> None:
    """Green and yellow."""
    skin = (196, 206, 82)
    s.line([(0, -78), (5, -94)], 4.5, WOOD)
    s.blob([(5, -88), (16, -96), (26, -90), (16, -84)], LEAF)
    s.blob(
        [(0, -82), (14, -74), (18, -54), (33, -34), (30, -8), (0, 0), (-30, -8), (-33, -34), (-18, -54), (-14, -74)],
        skin,
        20,
    )
    s.shine(-16, -34, 6, 12, 15)


@draws("banana")
def banana(s: Sketch) -> None:
    """Draw a yellow bow."""
    s.blob(
        [
            (-46, -54),
            (-38, -60),
            (-26, -36),
            (0, -22),
            (30, -26),
            (48, -44),
            (54, -38),
            (40, -12),
            (8, 2),
            (-28, -10),
            (-44, -36),
        ],
        (250, 214, 66),
        16,
    )
    s.line([(-38, -34), (-14, -12), (18, -9), (42, -26)], 2.4, (214, 168, 44))
    s.polygon([(-47, -52), (-48, -64), (-39, -64), (-37, -57)], (120, 90, 44))
    s.oval(51, -42, 4.4, 4, (120, 90, 44))


@draws("pizza slice")
def pizza_slice(s: Sketch) -> None:
    """Point down, with salami."""
    s.polygon([(-34, -62), (34, -62), (0, 0)], (250, 212, 98), 10)
    s.blob([(-40, -66), (-20, -76), (0, -79), (20, -76), (40, -66), (34, -58), (0, -64), (-34, -58)], CRUST)
    for x, y, r in ((-14, -50, 8), (13, -48, 8), (0, -28, 7)):
        s.oval(x, y, r, r, (204, 62, 50))
    for x, y in ((-1, -42), (6, -14), (24, -56), (-24, -58)):
        s.oval(x, y, 2.6, 2.2, LEAF)


@draws("cake")
def cake(s: Sketch) -> None:
    """Draw two layers of icing, a candle."""
    s.line([(0, -62), (0, -82)], 5, (110, 170, 220))
    s.blob([(0, -100), (5, -90), (0, -83), (-5, -90)], (255, 196, 70))
    s.oval(0, -3, 54, 6, (226, 228, 232))
    s.box(-44, -32, 44, -2, CREAM, 5)
    s.box(-32, -62, 32, -30, CREAM, 5)
    for left, right, y in ((-44, 44, -32), (-32, 32, -62)):
        step = (right - left) / 6
        drips = [(left + i * step, y + (14 if i % 2 else 8)) for i in range(7)]
        s.blob([(left, y - 2), (right, y - 2), *reversed(drips)], s.main)
    for x in (-22, 22):
        s.oval(x, -66, 6, 6, (214, 50, 60))


@draws("ice cream")
def ice_cream(s: Sketch) -> None:
    """Draw two scoops in a cone."""
    s.polygon([(-20, -50), (20, -50), (0, 0)], CRUST, 10)
    for a, b in (((-14, -42), (6, -14)), ((2, -48), (12, -30)), ((14, -42), (-6, -14)), ((-2, -48), (-12, -30))):
        s.line([a, b], 1.8, darker(CRUST, 25))
    s.oval(0, -58, 23, 18, s.main, shade=14)
    s.oval(0, -80, 18, 17, lighter(s.main, 45), shade=12)
    s.box(-23, -54, 23, -48, s.dark, 3)
    s.oval(3, -98, 5.5, 5.5, (210, 44, 56))
    s.shine(-9, -84, 4, 5)


@draws("hamburger")
def hamburger(s: Sketch) -> None:
    """Bun, salad, cheese, meat."""
    s.box(-42, -16, 42, 0, CRUST, 9)
    s.box(-45, -29, 45, -13, (112, 64, 42), 7)
    s.polygon([(-44, -32), (44, -32), (26, -20), (10, -31), (-10, -20), (-26, -31)], (252, 202, 70), 4)
    s.blob(
        [
            (-48, -36),
            (-30, -41),
            (0, -38),
            (30, -41),
            (48, -36),
            (34, -28),
            (16, -33),
            (0, -28),
            (-16, -33),
            (-34, -28),
        ],
        (112, 186, 80),
    )
    s.box(-42, -46, 42, -38, (218, 66, 54), 4)
    s.arc(0, -42, 44, 32, 180, 360, CRUST)
    for x, y in ((-22, -58), (-4, -66), (14, -62), (28, -52), (-8, -54)):
        s.oval(x, y, 3, 2, CREAM, 20)


@draws("carrot")
def carrot(s: Sketch) -> None:
    """Orange, with green leaves."""
    for x, y in ((-42, -62), (-32, -72), (-20, -76)):
        s.line([(-20, -52), (x, y)], 6, LEAF)
    s.blob([(-30, -46), (-16, -58), (-4, -50), (24, -20), (46, 0), (14, -8), (-20, -30)], (242, 132, 42), 14)
    for a, b in (((-12, -48), (-20, -38)), ((4, -36), (-2, -28)), ((18, -22), (13, -16))):
        s.line([a, b], 2, (204, 98, 30))


@draws("watermelon")
def watermelon(s: Sketch) -> None:
    """Draw a slice with pips."""
    s.arc(0, -40, 50, 42, 0, 180, (66, 146, 72))
    s.arc(0, -40, 45, 36, 0, 180, (232, 244, 208))
    s.arc(0, -40, 41, 32, 0, 180, (232, 74, 84))
    for x, y in ((-24, -32), (-8, -30), (8, -30), (24, -32), (-14, -20), (2, -18), (16, -20)):
        s.oval(x, y, 2.2, 3.2, INK, shade=0)


@draws("cherries")
def cherries(s: Sketch) -> None:
    """Draw two on one stalk."""
    s.line([(-18, -26), (-8, -54), (8, -72)], 3.2, (96, 132, 60))
    s.line([(22, -26), (18, -54), (8, -72)], 3.2, (96, 132, 60))
    s.blob([(8, -70), (24, -80), (40, -70), (24, -64)], LEAF)
    for x in (-19, 22):
        s.oval(x, -18, 19, 18, (202, 34, 54), shade=18)
        s.shine(x - 7, -24, 4, 5)


@draws("cheese")
def cheese(s: Sketch) -> None:
    """Draw a yellow wedge with holes."""
    s.polygon([(-48, -32), (30, -62), (48, -32)], lighter(GOLD, 35), 4)
    s.polygon([(-48, -32), (48, -32), (48, 0), (-48, 0)], GOLD, 8)
    for x, y, r in ((-28, -14, 7), (2, -20, 6), (26, -10, 8), (-4, -6, 4), (38, -25, 4)):
        s.oval(x, y, r, r * 0.9, darker(GOLD, 24), shade=3)


@draws("cup")
def cup(s: Sketch) -> None:
    """Draw a mug with a handle."""
    s.ring(32, -28, 14, 7, s.main)
    s.box(-32, -54, 32, 0, s.main, 10, 16)
    s.oval(0, -53, 32, 7, s.light)
    s.oval(0, -52, 27, 5, (96, 60, 42))
    s.shine(-20, -26, 4, 14)


@draws("teapot")
def teapot(s: Sketch) -> None:
    """With a spout, a lid and a handle."""
    s.ring(-38, -34, 17, 7, s.main)
    s.polygon([(26, -28), (54, -62), (64, -58), (40, -10)], s.main)
    s.oval(0, -32, 40, 32, s.main, shade=16)
    s.arc(0, -58, 24, 13, 180, 360, s.dark)
    s.oval(0, -73, 6, 6, s.dark)
    s.box(-20, -4, 20, 0, s.dark, 2)
    s.shine(-18, -42, 6, 10, 25)


@draws("bottle")
def bottle(s: Sketch) -> None:
    """Glass of its colour, with a label."""
    s.box(-6, -104, 6, -94, WOOD, 2)
    s.blob(
        [(-6, -98), (6, -98), (8, -76), (18, -62), (19, -6), (10, 0), (-10, 0), (-19, -6), (-18, -62), (-8, -76)],
        s.main,
        18,
    )
    s.box(-18.5, -48, 18.5, -22, CREAM, 1)
    s.line([(-10, -38), (10, -38)], 3, s.dark)
    s.line([(-10, -31), (6, -31)], 2.4, s.dark)
    s.shine(-11, -62, 2.6, 10)


@draws("eggs")
def eggs(s: Sketch) -> None:
    """Draw a basket full of eggs."""
    for x, y in ((-22, -32), (0, -36), (22, -32), (-11, -28), (11, -28)):
        s.oval(x, y, 11, 14, WHITE if x % 2 else (244, 220, 190))
    s.polygon([(-40, -28), (40, -28), (30, 0), (-30, 0)], WOOD, 14)
    for y in (-20, -11):
        s.line([(-36 - y * 0.1, y), (36 + y * 0.1, y)], 2.6, darker(WOOD))
    s.box(-43, -31, 43, -25, darker(WOOD, 14), 3)

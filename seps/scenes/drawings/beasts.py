"""Large animals on four legs."""

from __future__ import annotations

from seps.scenes.drawings.registry import draws
from seps.scenes.palette import CREAM, INK, ROSE, WHITE, Colour, darker, lighter, mix
from seps.scenes.sketch import Sketch

TUSK: Colour = (250, 246, 230)


def _legs(
    s: Sketch, paint: Colour, xs: tuple[float, ...], top: float, width: float, hoof: Colour | None = None
) -> None:
    for i, x in enumerate(xs):
        shade = darker(paint, 14) if i % 2 else paint
        s.line([(x, top), (x, -width / 2)], width, shade)
        if hoof:
            s.box(x - width / 2, -5, x + width / 2, 0, hoof, 2)


@draws("dog")
def dog(s: Sketch) -> None:
    """Standing, tail up, with hanging ears and a red collar."""
    s.line([(-40, -46), (-52, -56), (-54, -70)], 8, s.main)
    _legs(s, s.main, (-32, -22, 18, 28), -30, 10)
    s.blob(
        [(-42, -46), (-30, -56), (0, -55), (24, -60), (34, -48), (30, -30), (8, -26), (-30, -26), (-42, -34)],
        s.main,
        14,
    )
    s.blob([(20, -56), (24, -76), (40, -74), (38, -50), (30, -42)], s.main)
    s.line([(21, -57), (30, -51), (38, -52)], 5, (214, 54, 52))
    s.blob(
        [(22, -84), (32, -92), (46, -88), (52, -78), (66, -74), (66, -64), (50, -60), (34, -62), (24, -70)], s.main, 14
    )
    s.blob([(20, -86), (28, -90), (34, -80), (30, -62), (22, -58), (17, -70)], s.dark)
    s.oval(65, -72, 5, 4.2, INK)
    s.eye(46, -78, 3.2)
    s.line([(64, -64), (56, -62), (50, -65)], 1.8, INK)


@draws("cat")
def cat(s: Sketch) -> None:
    """Sitting, its tail around it."""
    s.line([(20, -6), (36, -8), (42, -26), (34, -40)], 8, s.main)
    s.blob([(-20, 0), (-24, -20), (-16, -48), (0, -56), (16, -48), (26, -18), (24, 0)], s.main, 14)
    s.blob([(-11, -46), (0, -52), (11, -46), (9, -24), (0, -18), (-9, -24)], lighter(s.main, 55))
    for x in (-10, 8):
        s.line([(x, -28), (x, -5)], 9, s.main)
        s.oval(x + 1, -4, 7, 4.5, lighter(s.main, 45))
    for side in (-1, 1):
        s.polygon([(side * 23, -66), (side * 21, -98), (side * 4, -82)], s.main)
        s.polygon([(side * 19, -74), (side * 18, -90), (side * 9, -81)], ROSE)
    s.oval(0, -68, 25, 20, s.main)
    for side in (-1, 1):
        s.oval(side * 10, -70, 4.6, 5.4, (150, 210, 110), shade=0)
        s.oval(side * 10, -70, 1.9, 4.8, INK, shade=0)
        s.line([(side * 10, -60), (side * 30, -64)], 1.3, lighter(s.main, 65))
        s.line([(side * 10, -58), (side * 30, -56)], 1.3, lighter(s.main, 65))
    s.polygon([(-3.4, -63), (3.4, -63), (0, -59)], ROSE)
    s.line([(-5, -55), (0, -58), (5, -55)], 1.6, darker(s.main, 60))


@draws("horse")
def horse(s: Sketch) -> None:
    """Standing, with a dark mane and tail."""
    mane = darker(s.main, 50)
    s.line([(-44, -64), (-58, -56), (-60, -30)], 9, mane)
    _legs(s, s.main, (-34, -24, 24, 34), -40, 10, darker(s.main, 60))
    s.blob(
        [(-46, -62), (-34, -72), (0, -68), (28, -74), (42, -62), (36, -44), (8, -36), (-30, -38), (-44, -46)],
        s.main,
        14,
    )
    s.polygon([(14, -62), (34, -104), (50, -98), (44, -56)], s.main, 6)
    s.blob([(36, -112), (48, -112), (58, -100), (72, -88), (70, -78), (60, -78), (46, -86), (36, -98)], s.main, 8)
    s.polygon([(38, -108), (40, -122), (48, -110)], s.main)
    s.blob([(10, -66), (16, -84), (26, -104), (36, -114), (40, -108), (34, -98), (28, -80), (22, -64)], mane)
    s.eye(52, -100)
    s.oval(67, -84, 2, 1.6, INK, shade=0)


@draws("cow")
def cow(s: Sketch) -> None:
    """White with patches of its colour, horns and an udder."""
    s.line([(-50, -62), (-58, -50), (-57, -30)], 4, WHITE)
    s.oval(-57, -26, 4, 6, s.main)
    s.oval(-20, -26, 10, 8, ROSE)
    _legs(s, WHITE, (-40, -28, 22, 34), -34, 11, INK)
    s.blob(
        [(-52, -64), (-34, -72), (10, -70), (38, -72), (46, -54), (40, -34), (0, -28), (-40, -28), (-53, -40)], WHITE, 9
    )
    s.blob([(-42, -68), (-20, -70), (-12, -58), (-24, -44), (-42, -48)], s.main)
    s.blob([(2, -66), (24, -67), (26, -50), (12, -38), (0, -48)], s.main)
    for x in (40, 60):
        s.line([(x, -92), (x + (x - 50) * 0.5, -104)], 5, TUSK)
    s.oval(34, -86, 8, 5, s.main, 20)
    s.oval(68, -86, 8, 5, s.main, -20)
    s.blob([(38, -92), (50, -96), (62, -92), (64, -74), (60, -58), (42, -58), (37, -74)], s.main)
    s.polygon([(47, -94), (54, -94), (56, -66), (46, -66)], WHITE, 4)
    s.oval(51, -60, 14, 9, ROSE)
    s.oval(46, -60, 2, 2.6, INK, shade=0)
    s.oval(56, -60, 2, 2.6, INK, shade=0)
    s.eye(43, -80)
    s.eye(60, -80)


@draws("sheep")
def sheep(s: Sketch) -> None:
    """Draw a white fleece on dark legs."""
    wool = (246, 242, 232)
    _legs(s, INK, (-28, -18, 14, 24), -24, 7)
    for x, y, r in (
        (-34, -40, 15),
        (-22, -54, 16),
        (-2, -58, 17),
        (18, -54, 16),
        (28, -40, 15),
        (14, -30, 16),
        (-8, -28, 17),
        (-26, -30, 14),
    ):
        s.oval(x, y, r, r, wool, shade=8)
    s.oval(-4, -43, 30, 18, wool, shade=3)
    s.oval(26, -62, 9, 5, INK, 25)
    s.blob([(30, -70), (42, -70), (52, -56), (48, -46), (38, -46), (30, -56)], (72, 66, 70))
    s.oval(34, -70, 10, 7, wool, shade=5)
    s.eye(43, -60, 2.6, (20, 20, 24))
    s.shine(43, -61, 1.4, 1.4, alpha=220)


@draws("pig")
def pig(s: Sketch) -> None:
    """Pink, with a curly tail."""
    pink = (246, 168, 178)
    s.line([(-44, -36), (-54, -42), (-50, -50), (-46, -44), (-56, -36)], 3.5, darker(pink, 15))
    _legs(s, pink, (-30, -18, 16, 28), -22, 11, darker(pink, 40))
    s.oval(-4, -36, 42, 25, pink, shade=10)
    s.oval(36, -46, 22, 20, pink, shade=10)
    s.polygon([(20, -58), (22, -74), (36, -64)], darker(pink, 12))
    s.polygon([(40, -64), (52, -74), (54, -56)], darker(pink, 12))
    s.oval(52, -42, 9, 8, darker(pink, 14))
    s.oval(49, -42, 1.8, 2.6, darker(pink, 60), shade=0)
    s.oval(55, -42, 1.8, 2.6, darker(pink, 60), shade=0)
    s.eye(38, -52)


@draws("fox")
def fox(s: Sketch) -> None:
    """Orange, white at chest and tail."""
    orange = (230, 116, 44)
    s.blob([(-34, -34), (-54, -44), (-78, -40), (-86, -26), (-72, -20), (-48, -20), (-34, -26)], orange)
    s.blob([(-70, -42), (-82, -38), (-88, -25), (-74, -20), (-68, -30)], WHITE)
    _legs(s, (86, 56, 50), (-28, -19, 16, 25), -22, 7)
    s.blob([(-38, -36), (-24, -46), (8, -46), (28, -48), (34, -34), (20, -22), (-26, -20), (-38, -26)], orange, 14)
    s.blob([(18, -44), (34, -46), (36, -30), (24, -22)], WHITE)
    s.polygon([(24, -62), (24, -84), (38, -70)], orange)
    s.polygon([(38, -70), (50, -84), (50, -62)], orange)
    s.polygon([(27, -68), (27, -77), (33, -70)], INK)
    s.blob([(20, -58), (28, -70), (46, -70), (52, -60), (66, -50), (62, -44), (40, -42), (26, -46)], orange, 14)
    s.blob([(34, -46), (48, -52), (65, -50), (60, -43), (42, -41)], WHITE)
    s.oval(65, -49, 3.6, 3, INK)
    s.eye(44, -58)


@draws("bear")
def bear(s: Sketch) -> None:
    """Walking, heavy, with round ears."""
    _legs(s, s.main, (-42, -28, 22, 36), -34, 18)
    s.blob([(-56, -44), (-44, -70), (-6, -76), (28, -74), (46, -56), (40, -28), (0, -22), (-46, -22)], s.main, 14)
    s.oval(40, -86, 8, 8, s.dark)
    s.oval(62, -88, 8, 8, s.main)
    s.oval(62, -88, 4, 4, s.dark)
    s.oval(52, -70, 22, 20, s.main)
    s.oval(66, -62, 13, 10, lighter(s.main, 40))
    s.oval(75, -66, 5, 4, INK)
    s.eye(58, -75)
    s.line([(75, -60), (68, -55), (62, -57)], 2, INK)


@draws("elephant")
def elephant(s: Sketch) -> None:
    """Grey, trunk down."""
    grey = (146, 152, 168)
    s.line([(-60, -62), (-68, -46), (-66, -34)], 4, darker(grey))
    _legs(s, grey, (-46, -28, 12, 30), -40, 20, darker(grey, 35))
    s.blob([(-62, -60), (-48, -88), (-8, -96), (30, -90), (42, -64), (34, -38), (-10, -30), (-52, -32)], grey, 14)
    s.line([(62, -72), (76, -56), (76, -32), (68, -16), (78, -8)], 14, grey, 8)
    s.oval(48, -82, 28, 27, grey)
    s.line([(62, -60), (70, -50), (82, -52)], 5, TUSK)
    s.blob([(24, -98), (10, -108), (-8, -96), (-8, -70), (8, -56), (26, -64), (34, -82)], darker(grey, 16))
    s.blob([(20, -92), (10, -98), (0, -90), (0, -74), (9, -65), (20, -70), (26, -82)], mix(grey, ROSE, 45))
    s.eye(56, -88, 3.4)


@draws("camel")
def camel(s: Sketch) -> None:
    """Draw two humps, a long neck."""
    sand = (204, 156, 96)
    s.line([(-46, -58), (-54, -50), (-54, -34)], 4, darker(sand))
    _legs(s, sand, (-36, -26, 22, 32), -40, 9, darker(sand, 45))
    s.blob(
        [
            (-48, -58),
            (-36, -74),
            (-26, -98),
            (-14, -78),
            (0, -74),
            (10, -98),
            (22, -78),
            (38, -64),
            (38, -44),
            (6, -38),
            (-36, -38),
        ],
        sand,
        14,
    )
    s.line([(30, -52), (52, -54), (56, -80), (58, -104)], 13, sand, 8)
    s.blob([(50, -114), (64, -116), (82, -106), (82, -96), (66, -94), (52, -98)], sand)
    s.polygon([(52, -112), (50, -123), (59, -114)], darker(sand, 20))
    s.oval(79, -103, 2, 1.6, INK, shade=0)
    s.eye(65, -108)


@draws("giraffe")
def giraffe(s: Sketch) -> None:
    """Yellow with brown spots."""
    gold, brown = (244, 200, 102), (168, 104, 52)
    s.line([(-34, -68), (-42, -54), (-41, -40)], 3, brown)
    _legs(s, gold, (-26, -17, 14, 23), -50, 8, darker(brown, 30))
    s.blob([(-36, -68), (-22, -78), (6, -84), (24, -94), (32, -74), (26, -54), (-26, -50)], gold)
    s.polygon([(8, -80), (24, -148), (36, -146), (32, -68)], gold, 5)
    s.line([(9, -84), (24, -148)], 5, brown)
    s.blob([(22, -154), (34, -158), (50, -148), (56, -140), (50, -134), (34, -138), (24, -142)], gold)
    for x in (27, 34):
        s.line([(x, -154), (x - 1, -166)], 2.6, gold)
        s.oval(x - 1, -167, 2.8, 2.8, brown)
    s.oval(20, -152, 6, 3.4, darker(gold), 30)
    for x, y, r in (
        (-24, -66, 6),
        (-10, -72, 6),
        (-16, -58, 5),
        (0, -60, 6),
        (12, -74, 6),
        (20, -62, 5),
        (20, -94, 4.6),
        (24, -110, 4.2),
        (27, -126, 4),
        (28, -84, 4),
    ):
        s.oval(x, y, r, r * 0.85, brown, 20, shade=4)
    s.eye(37, -149)


@draws("lion")
def lion(s: Sketch) -> None:
    """Golden, with a big mane."""
    gold, mane = (232, 178, 84), (158, 88, 40)
    s.line([(-44, -46), (-60, -46), (-66, -62)], 5, gold)
    s.oval(-66, -65, 6, 8, mane)
    _legs(s, gold, (-38, -26, 14, 26), -28, 14)
    s.blob([(-50, -44), (-36, -62), (0, -62), (26, -62), (34, -36), (10, -22), (-38, -20)], gold, 14)
    s.blob([(8, -62), (12, -84), (30, -94), (50, -90), (62, -72), (60, -52), (46, -36), (26, -34), (12, -44)], mane)
    s.oval(18, -80, 6, 6, gold)
    s.oval(50, -84, 6, 6, gold)
    s.oval(37, -64, 19, 19, gold)
    s.oval(42, -55, 10, 8, CREAM)
    s.polygon([(38, -61), (47, -61), (42.5, -56)], INK)
    s.line([(37, -53), (42, -50), (48, -53)], 1.8, INK)
    s.eye(33, -68)
    s.eye(47, -68)

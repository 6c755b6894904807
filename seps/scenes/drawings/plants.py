"""Trees and flowers."""

from __future__ import annotations

from seps.scenes.drawings.registry import draws
from seps.scenes.palette import BARK, CREAM, GOLD, LEAF, PINE, WHITE, Colour, darker, lighter
from seps.scenes.sketch import Sketch, cosine, sine

STEM: Colour = (76, 142, 66)


@draws("tree")
def tree(s: Sketch) -> None:
    """Draw a round crown on a trunk."""
    green = s.choose((LEAF, (96, 168, 66), (58, 138, 82)))
    s.polygon([(-9, 0), (-6, -50), (6, -50), (10, 0)], BARK)
    s.line([(2, -36), (18, -54)], 6, BARK)
    for x, y, r in ((-26, -66, 24), (26, -66, 24), (-16, -94, 24), (18, -94, 24), (0, -108, 22)):
        s.oval(x, y, r, r, darker(green, 10))
    s.oval(0, -78, 34, 30, green, shade=8)
    for x, y, r in ((-18, -92, 14), (12, -102, 13), (-4, -74, 12), (26, -74, 11)):
        s.oval(x, y, r, r * 0.8, lighter(green, 16), shade=4)


@draws("fir tree")
def fir_tree(s: Sketch) -> None:
    """Three tiers of dark green."""
    s.box(-6, -18, 6, 0, BARK)
    for y, w, h in ((-14, 36, 44), (-42, 29, 40), (-68, 22, 40)):
        s.polygon([(-w, y), (0, y - h), (w, y), (w * 0.5, y + 4), (0, y + 1), (-w * 0.5, y + 4)], PINE, 16)
        s.polygon([(-w, y), (-w * 0.2, y - h * 0.5), (-w * 0.3, y + 2), (-w * 0.5, y + 4)], lighter(PINE, 12), 3)


@draws("palm")
def palm(s: Sketch) -> None:
    """Draw a bent trunk and long leaves."""
    s.line([(-8, 0), (-4, -40), (8, -88)], 9, BARK)
    for y in range(-80, 0, 12):
        s.line([(-11 - y * 0.17, y), (-1 - y * 0.16, y - 2)], 2, darker(BARK, 25))
    for ends in ((-46, -70), (-38, -104), (-2, -124), (44, -112), (58, -76), (26, -60), (-18, -58)):
        x, y = ends
        mx, my = (8 + x) / 2, (-92 + y) / 2 - 12
        s.blob([(8, -94), (mx - 4, my - 4), (x, y), (mx + 4, my + 8)], LEAF if y % 4 else darker(LEAF, 15), 10)
    for x, y in ((2, -86), (12, -84)):
        s.oval(x, y, 5, 5, (126, 82, 48))


@draws("cactus")
def cactus(s: Sketch) -> None:
    """Draw two arms, and ribs."""
    green = (84, 150, 84)
    s.line([(0, -30), (-26, -34), (-27, -58)], 14, green, 8)
    s.line([(0, -46), (25, -48), (26, -76)], 13, green, 8)
    s.box(-12, -100, 12, 0, green, 12, 10)
    for x in (-5, 5):
        s.line([(x, -92), (x, -4)], 2, darker(green, 28))
    s.oval(0, -101, 6, 5, (240, 120, 160))
    s.oval(26, -82, 5, 4, (240, 120, 160))


@draws("flower")
def flower(s: Sketch) -> None:
    """Six petals on a stem."""
    s.line([(0, -60), (2, -30), (0, 0)], 5, STEM)
    s.oval(-13, -16, 14, 6, STEM, 25)
    s.oval(14, -24, 14, 6, STEM, -28)
    for i in range(6):
        s.oval(cosine(i * 60 + 30) * 16, -74 + sine(i * 60 + 30) * 16, 13, 10, s.main, i * 60 + 30)
    s.oval(0, -74, 10, 10, GOLD if s.main != (250, 208, 52) else (206, 120, 48))


@draws("sunflower")
def sunflower(s: Sketch) -> None:
    """Tall, yellow petals around a brown heart."""
    s.line([(0, -76), (3, -40), (0, 0)], 6, STEM)
    s.oval(-16, -22, 17, 8, STEM, 20)
    s.oval(17, -34, 17, 8, STEM, -24)
    for i in range(12):
        s.oval(cosine(i * 30) * 23, -92 + sine(i * 30) * 23, 11, 6.5, (250, 200, 46), i * 30)
    s.oval(0, -92, 18, 18, (120, 76, 44))
    s.oval(0, -92, 10, 10, (88, 54, 36))


@draws("bush")
def bush(s: Sketch) -> None:
    """Low and round, with berries."""
    for x, y, r in ((-36, -18, 19), (36, -18, 19), (-18, -34, 21), (18, -34, 21), (0, -44, 18)):
        s.oval(x, y, r, r, darker(LEAF, 8))
    s.blob([(-52, -4), (-30, -26), (0, -30), (30, -26), (52, -4), (30, 0), (-30, 0)], LEAF, 8)
    for x, y in ((-36, -22), (-20, -42), (-8, -22), (4, -48), (14, -28), (30, -38), (40, -16), (-24, -8), (22, -10)):
        s.oval(x, y, 5, 5, s.main)
        s.shine(x - 1.6, y - 1.8, 1.6, 1.4)


@draws("mushroom")
def mushroom(s: Sketch) -> None:
    """Draw a spotted cap on a pale stalk."""
    s.blob([(-11, -46), (11, -46), (13, -20), (17, -4), (0, 0), (-17, -4), (-13, -20)], CREAM, 10)
    s.oval(0, -42, 36, 9, (232, 210, 176))
    s.arc(0, -42, 40, 44, 180, 360, s.main)
    for x, y, r in ((-20, -56, 6), (2, -72, 7), (22, -56, 6), (-2, -52, 4.4)):
        s.oval(x, y, r, r * 0.85, WHITE, shade=2)


@draws("potted plant")
def potted_plant(s: Sketch) -> None:
    """Broad leaves in a pot of its colour."""
    for x, y, turn in ((-24, -58, 42), (24, -58, -42), (-13, -76, 66), (13, -76, -66), (0, -84, 90)):
        s.oval(x, y, 24, 9, LEAF if turn % 4 else darker(LEAF, 15), turn)
    s.polygon([(-22, -38), (22, -38), (16, 0), (-16, 0)], s.main, 16)
    s.box(-26, -44, 26, -34, s.dark, 3)


@draws("tulip")
def tulip(s: Sketch) -> None:
    """Draw a cup of petals on a straight stem."""
    s.line([(0, -58), (0, 0)], 5, STEM)
    s.blob([(0, -4), (-20, -30), (-22, -54), (-12, -36)], STEM)
    s.blob([(0, -4), (20, -26), (22, -48), (12, -32)], darker(STEM, 12))
    s.blob(
        [(-17, -90), (-8, -80), (0, -94), (8, -80), (17, -90), (20, -70), (10, -55), (-10, -55), (-20, -70)], s.main, 16
    )
    s.blob([(0, -92), (8, -76), (6, -58), (-6, -58), (-8, -76)], lighter(s.main, 18), 6)

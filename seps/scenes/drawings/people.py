"""People, and those who look like them."""

from __future__ import annotations

from seps.scenes.drawings.registry import draws
from seps.scenes.palette import (
    BEAK,
    CREAM,
    DENIM,
    HAIRS,
    INK,
    ROSE,
    SKINS,
    STEEL,
    WHITE,
    WOOD,
    Colour,
    darker,
    lighter,
)
from seps.scenes.sketch import Sketch


def _face(s: Sketch, y: float, r: float, skin: Colour) -> None:
    s.oval(0, y, r, r * 1.1, skin)
    s.oval(-r * 0.38, y + r * 0.05, r * 0.13, r * 0.17, INK, shade=0)
    s.oval(r * 0.38, y + r * 0.05, r * 0.13, r * 0.17, INK, shade=0)
    s.oval(-r * 0.55, y + r * 0.42, r * 0.2, r * 0.13, ROSE, shade=0)
    s.oval(r * 0.55, y + r * 0.42, r * 0.2, r * 0.13, ROSE, shade=0)
    s.line([(-r * 0.3, y + r * 0.5), (0, y + r * 0.66), (r * 0.3, y + r * 0.5)], r * 0.13, darker(skin, 55))


def _legs(s: Sketch, top: float, paint: Colour, shoes: Colour, width: float) -> None:
    for x in (-7, 7):
        s.line([(x * 0.8, top), (x, -6)], width, paint)
        s.blob([(x - 5, -5), (x + 3, -7), (x + 8, -2), (x + 6, 0), (x - 5, 0)], shoes)


def _arms(s: Sketch, y: float, reach: float, paint: Colour, skin: Colour, width: float) -> None:
    for side in (-1, 1):
        s.line(
            [(side * 11, y), (side * (15 + reach / 3), y + reach / 2), (side * (14 + reach / 2), y + reach)],
            width,
            paint,
        )
        s.oval(side * (14 + reach / 2), y + reach + 3, width * 0.52, width * 0.55, skin)


@draws("man")
def man(s: Sketch) -> None:
    """In a shirt and long trousers, with a moustache."""
    skin, hair = s.choose(SKINS), s.choose(HAIRS)
    trousers = s.choose((DENIM, (92, 84, 78), (70, 76, 84)))
    _legs(s, -44, trousers, (72, 54, 46), 12)
    _arms(s, -76, 26, s.main, skin, 9)
    s.box(-6, -90, 6, -76, darker(skin, 12))
    s.blob([(-15, -80), (0, -84), (15, -80), (16, -62), (14, -42), (0, -40), (-14, -42), (-16, -62)], s.main, 14)
    s.polygon([(-6, -83), (6, -83), (0, -75)], lighter(skin, 5))
    s.box(-14, -46, 14, -41, darker(trousers, 30), 2)
    _face(s, -100, 14, skin)
    s.arc(0, -104, 15, 14, 180, 360, hair)
    s.box(-15, -108, -12, -98, hair, 1)
    s.box(12, -108, 15, -98, hair, 1)
    s.line([(-7, -93), (0, -95), (7, -93)], 3.4, hair)


@draws("woman")
def woman(s: Sketch) -> None:
    """In a dress, with long hair."""
    skin, hair = s.choose(SKINS), s.choose(HAIRS)
    s.blob([(-15, -108), (0, -118), (15, -108), (18, -86), (14, -72), (0, -70), (-14, -72), (-18, -86)], hair)
    for x in (-6, 6):
        s.line([(x, -34), (x, -5)], 7, skin)
        s.blob([(x - 4, -5), (x + 3, -6), (x + 8, -1), (x + 6, 0), (x - 4, 0)], (150, 50, 60))
    _arms(s, -77, 26, skin, skin, 7)
    s.box(-5, -90, 5, -76, darker(skin, 12))
    s.polygon(
        [(-12, -82), (-5, -84), (0, -78), (5, -84), (12, -82), (10, -60), (25, -24), (-25, -24), (-10, -60)], s.main, 16
    )
    s.polygon([(-10.5, -63), (10.5, -63), (11.5, -57), (-11.5, -57)], s.dark)
    _face(s, -99, 13, skin)
    s.blob([(-14, -98), (-13, -110), (0, -116), (13, -110), (14, -98), (8, -108), (-4, -107), (-10, -104)], hair)


@draws("boy")
def boy(s: Sketch) -> None:
    """In a T-shirt and shorts, with a cap of the same colour."""
    skin = s.choose(SKINS)
    for x in (-7, 7):
        s.line([(x, -26), (x, -6)], 8, skin)
        s.blob([(x - 5, -5), (x + 3, -7), (x + 8, -2), (x + 6, 0), (x - 5, 0)], WHITE)
    s.box(-14, -38, -1, -19, DENIM, 3)
    s.box(1, -38, 14, -19, DENIM, 3)
    s.box(-13, -40, 13, -30, DENIM, 2)
    for side in (-1, 1):
        s.line([(side * 12, -56), (side * 22, -46), (side * 26, -58)], 6.5, skin)
        s.line([(side * 11, -57), (side * 18, -51)], 10, s.main)
    s.blob([(-13, -60), (0, -63), (13, -60), (14, -48), (13, -36), (0, -35), (-13, -36), (-14, -48)], s.main, 14)
    _face(s, -75, 15, skin)
    s.arc(0, -79, 15.5, 15, 180, 360, s.main)
    s.blob([(2, -82), (16, -82), (26, -78), (22, -76), (4, -77)], s.dark)
    s.oval(0, -94, 2.5, 2, s.dark)


@draws("girl")
def girl(s: Sketch) -> None:
    """In a short dress, with pigtails."""
    skin, hair = s.choose(SKINS), s.choose(HAIRS)
    for side in (-1, 1):
        s.blob([(side * 13, -84), (side * 24, -88), (side * 28, -74), (side * 24, -60), (side * 19, -68)], hair)
        s.oval(side * 15, -84, 3.4, 3.4, s.main)
    for x in (-6, 6):
        s.line([(x, -24), (x, -6)], 7, skin)
        s.box(x - 4, -13, x + 4, -5, WHITE, 1)
        s.blob([(x - 5, -5), (x + 3, -7), (x + 8, -2), (x + 6, 0), (x - 5, 0)], (150, 50, 60))
    _arms(s, -55, 14, skin, skin, 6.5)
    s.polygon([(-10, -60), (10, -60), (12, -45), (23, -20), (-23, -20), (-12, -45)], s.main, 16)
    for side in (-1, 1):
        s.oval(side * 12, -56, 6, 5, s.main)
    _face(s, -75, 15, skin)
    s.blob([(-16, -74), (-15, -87), (0, -94), (15, -87), (16, -74), (9, -85), (-3, -82), (-11, -80)], hair)


@draws("swimmer")
def swimmer(s: Sketch) -> None:
    """Head with a bathing cap, an arm up, the rest under water."""
    skin = s.choose(SKINS)
    s.line([(14, -6), (32, -26), (50, -12)], 9, skin)
    s.blob([(-22, 0), (-18, -12), (0, -17), (18, -12), (22, 0)], skin)
    _face(s, -28, 14, skin)
    s.arc(0, -31, 15.5, 15, 180, 360, s.main)
    s.box(-15.5, -33, 15.5, -29, s.dark, 2)
    s.blob(
        [(-38, 2), (-30, -5), (-20, -2), (-8, -6), (4, -2), (18, -6), (32, -2), (46, -6), (54, 2), (30, 5), (-20, 5)],
        (226, 242, 250),
    )


@draws("snowman")
def snowman(s: Sketch) -> None:
    """Three balls of snow with a hat, a carrot and a scarf."""
    snow = (240, 246, 252)
    s.line([(-16, -44), (-30, -54), (-38, -66)], 3, WOOD)
    s.line([(16, -44), (30, -54), (38, -62)], 3, WOOD)
    s.oval(0, -20, 27, 21, snow, shade=9)
    s.oval(0, -50, 20, 17, snow, shade=9)
    s.oval(0, -76, 15, 14, snow, shade=9)
    for y in (-55, -47, -26):
        s.oval(0, y, 2.4, 2.4, INK, shade=0)
    s.oval(-5, -79, 2.1, 2.1, INK, shade=0)
    s.oval(5, -79, 2.1, 2.1, INK, shade=0)
    s.polygon([(-1, -76), (16, -73), (-1, -71)], BEAK)
    s.blob([(-14, -66), (0, -61), (14, -66), (14, -61), (0, -56), (-14, -61)], s.main)
    s.polygon([(7, -62), (13, -62), (16, -42), (9, -41)], s.main)
    s.box(-11, -106, 11, -86, INK, 2)
    s.box(-18, -90, 18, -86, INK, 2)


@draws("robot")
def robot(s: Sketch) -> None:
    """With an aerial, square eyes and claws."""
    s.line([(0, -94), (0, -106)], 3, STEEL)
    s.oval(0, -108, 4.5, 4.5, (232, 70, 60))
    for side in (-1, 1):
        s.line([(side * 22, -56), (side * 34, -46), (side * 33, -32)], 7, STEEL)
        s.oval(side * 33, -28, 6, 6, s.dark)
        s.box(side * 11 - 7, -22, side * 11 + 7, -4, STEEL, 2)
        s.box(side * 12 - 10, -8, side * 12 + 10, 0, s.dark, 4)
    s.box(-24, -64, 24, -18, s.main, 7, 14)
    s.box(-22, -96, 22, -68, s.main, 8, 14)
    s.box(-6, -69, 6, -63, STEEL)
    s.box(-16, -90, 16, -76, INK, 5)
    s.oval(-8, -83, 4, 4, (120, 232, 240), shade=0)
    s.oval(8, -83, 4, 4, (120, 232, 240), shade=0)
    s.box(-14, -56, 14, -40, CREAM, 3)
    for x, paint in ((-8, (226, 80, 70)), (0, (250, 206, 70)), (8, (84, 176, 96))):
        s.oval(x, -48, 3, 3, paint)
    s.line([(-10, -30), (10, -30)], 3, s.dark)


@draws("teddy bear")
def teddy_bear(s: Sketch) -> None:
    """Sitting, seen from the front."""
    cream = lighter(s.main, 55)
    for side in (-1, 1):
        s.oval(side * 18, -84, 9, 9, s.main)
        s.oval(side * 18, -84, 5, 5, cream)
        s.oval(side * 25, -42, 9, 15, s.main, side * -35)
        s.oval(side * 21, -10, 13, 11, s.main)
        s.oval(side * 22, -9, 7.5, 7, cream)
    s.oval(0, -30, 24, 27, s.main)
    s.oval(0, -28, 14, 16, cream)
    s.oval(0, -68, 24, 21, s.main)
    s.oval(0, -61, 10, 8, cream)
    s.oval(0, -64, 4, 3, INK)
    s.eye(-9, -71)
    s.eye(9, -71)
    s.line([(-4, -58), (0, -56), (4, -58)], 1.6, INK)
    s.polygon([(0, -47), (-11, -52), (-11, -42)], (214, 54, 52))
    s.polygon([(0, -47), (11, -52), (11, -42)], (214, 54, 52))
    s.oval(0, -47, 3, 3, (180, 40, 44))

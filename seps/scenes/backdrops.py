"""The eight backgrounds, painted with parts of a sketch in picture coordinates."""

from collections.abc import Callable

import numpy as np

from seps.scenes.palette import CREAM, GLASS, LEAF, WHITE, Colour, darker, lighter, mix
from seps.scenes.places import SIDE
from seps.scenes.rng import Rng
from seps.scenes.sketch import UNIT, Canvas, Points, Sketch, cosine, curve, read_points, sine

Features = tuple[str, ...]


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


def paint_background(canvas: Canvas, name: str, features: Features, look: int) -> None:
    """Paint a background of `PLACES` with some of its features on the whole canvas."""
    sketch, rng = Sketch(WHITE), Rng(look)
    _PAINTERS[name](canvas, sketch, features, rng)
    _flush(canvas, sketch)


def _flush(canvas: Canvas, s: Sketch) -> None:
    for part in s.parts:
        canvas.fill(np.rint(part.outline * UNIT).astype(np.int64), part.top, part.bottom, part.alpha)
    s.parts.clear()


def _park(canvas: Canvas, s: Sketch, features: Features, rng: Rng) -> None:
    canvas.rows(0, 150, (120, 190, 236), (206, 234, 246))
    if "clouds" in features:
        clouds(s, rng, 20, 60, WHITE)
    if "sun" in features:
        glow(s, rng.choice((30, 190)), 30, 15, (255, 222, 96), (255, 240, 180))
    if "hills" in features:
        land(s, rng, 108, 12, (134, 186, 150))
        land(s, rng, 124, 7, (124, 184, 122))
    land(s, rng, 138, 3, (136, 196, 92), 14)
    if "path" in features:
        x = rng.between(70, 150)
        path = read_points("-3,138 3,138 22,168 10,196 50,240 -30,240 -24,196 2,166") + np.array((x, 0))
        s.blob(path, (228, 206, 158))
    for _ in range(26):
        gx, gy = rng.between(4, 220), rng.between(150, 222)
        s.polygon(
            [(gx - 3, gy - 5), (gx, gy), (gx + 3, gy - 5), (gx + 0.8, gy + 1), (gx - 0.8, gy + 1)], (108, 172, 76), 0
        )


def _beach(canvas: Canvas, s: Sketch, features: Features, rng: Rng) -> None:
    canvas.rows(0, 100, (112, 96, 168), (236, 132, 128), (255, 202, 128))
    x = rng.between(50, 174)
    glow(s, x, 94, 22, (255, 226, 130), (255, 214, 140))
    if "clouds" in features:
        clouds(s, rng, 16, 56, (250, 180, 170))
    if "island" in features:
        left = rng.choice((24, 172))
        s.blob([(left - 26, 102), (left - 12, 92), (left + 6, 88), (left + 24, 96), (left + 34, 102)], (104, 84, 128))
    _flush(canvas, s)
    canvas.rows(100, 150, (238, 158, 120), (96, 124, 176), (70, 130, 180))
    for i, y in enumerate((104, 109, 115, 122)):
        s.oval(x, y, 20 - i * 3, 1.5, (255, 226, 160), shade=0)
    speckle(s, rng, 12, 108, 138, (150, 176, 206), 8)
    foam, sand = "-20,146 30,143 90,147 150,142 244,146", "-20,150 30,147 90,152 150,147 244,151"
    for shore, low, paint, shade in ((foam, 160, WHITE, 2), (sand, 230, (236, 202, 146), 9)):
        s.add(np.concatenate((curve(shore, False), [(244, low), (-20, low)])), paint, shade)
    speckle(s, rng, 24, 160, 222, (222, 184, 126), 4)
    if "shells" in features:
        for _ in range(7):
            u, v = rng.between(8, 216), rng.between(160, 220)
            s.arc(u, v, 4.4, 4.6, 180, 360, rng.choice(((250, 228, 220), (244, 196, 180))))


def _street(canvas: Canvas, s: Sketch, features: Features, rng: Rng) -> None:
    canvas.rows(0, 150, (148, 200, 232), (224, 238, 244))
    if "clouds" in features:
        clouds(s, rng, 12, 36, WHITE)
    x = -6
    walls = rng.shuffled(
        ((226, 178, 150), (206, 190, 164), (186, 196, 204), (232, 206, 160), (204, 164, 152), (178, 188, 172))
    )
    for i in range(5):
        width, top = rng.between(42, 56), rng.between(50, 88)
        wall = walls[i]
        s.box(x, top, x + width, 150, wall, 0, 6)
        s.box(x - 1, top - 4, x + width + 1, top + 1, darker(wall, 22), 0, 0)
        for row in range(top + 10, 112, 20):
            for column in range(x + 7, x + width - 9, 14):
                s.box(column, row, column + 8, row + 12, mix(GLASS, (96, 130, 160), rng.choice((0, 30, 60))), 1, 6)
        s.box(x + 6, 124, x + width - 20, 148, mix(GLASS, (80, 110, 140), 35), 1)
        s.box(x + width - 15, 124, x + width - 5, 150, darker(wall, 48), 1)
        if "awnings" in features:
            for j in range(4):
                left = x + 4 + j * (width - 22) / 4
                s.box(left, 118, left + (width - 22) / 4, 127, CREAM if j % 2 else walls[(i + 3) % 6], 1, 10)
        x += width
    s.box(-2, 149, 226, 162, (206, 204, 200), 0, 3)
    s.box(-2, 160, 226, 164, (164, 164, 166), 0, 0)
    s.box(-2, 164, 226, 226, (122, 126, 134), 0, 5)
    for x in range(rng.between(-30, 0), 240, 44):
        s.box(x, 190, x + 24, 193, (236, 232, 214), 0, 0)
    if "crossing" in features:
        left = rng.between(30, 130)
        for i in range(5):
            s.polygon(
                [(left + i * 14, 167), (left + i * 14 + 8, 167), (left + i * 16 + 4, 224), (left + i * 16 - 6, 224)],
                (240, 240, 236),
                0,
            )


def _snow(canvas: Canvas, s: Sketch, features: Features, rng: Rng) -> None:
    canvas.rows(0, 150, (150, 186, 220), (226, 236, 246))
    if "clouds" in features:
        clouds(s, rng, 16, 50, (240, 244, 250))
    if "mountains" in features:
        for x, top, wide in ((36, 56, 66), (176, 48, 70), (108, 70, 60)):
            top += rng.between(-8, 8)
            s.polygon([(x - wide, 146), (x, top), (x + wide, 146)], (128, 150, 182), 10)
            snow = top + (146 - top) * 0.3
            peak = [(x, top), (x - wide * 0.3, snow), (x - 6, top + 18), (x + 4, top + 24), (x + wide * 0.3, snow)]
            s.polygon(peak, WHITE, 3)
    land(s, rng, 136, 6, (216, 230, 244), 4)
    land(s, rng, 150, 3, (240, 246, 252), 5)
    for _ in range(9):
        s.oval(rng.between(0, 224), rng.between(162, 220), rng.between(10, 20), 2, (220, 232, 246), shade=0)
    if "snowflakes" in features:
        for _ in range(60):
            r = rng.choice((1.2, 1.7, 2.2))
            s.oval(rng.between(2, 222), rng.between(2, 150), r, r, WHITE, shade=0)


def _night(canvas: Canvas, s: Sketch, features: Features, rng: Rng) -> None:
    canvas.rows(0, 180, (22, 28, 70), (50, 62, 124), (104, 104, 164))
    for _ in range(46):
        r = rng.choice((0.8, 1.0, 1.5))
        s.oval(rng.between(2, 222), rng.between(2, 132), r, r, rng.choice((WHITE, (255, 240, 196))), shade=0)
    if "moon" in features:
        x, y = rng.choice((38, 184)), rng.between(28, 40)
        glow(s, x, y, 16, (250, 244, 214), (150, 160, 214))
        s.oval(x - 5, y - 3, 3.4, 3, (228, 218, 184), shade=0)
        s.oval(x + 5, y + 5, 2.6, 2.4, (228, 218, 184), shade=0)
    land(s, rng, 146, 9, (58, 78, 116), 5)
    if "village" in features:
        for _ in range(16):
            u, v = rng.between(6, 216), rng.between(152, 162)
            s.box(u, v, u + 2.6, v + 3, (255, 220, 120), 0, 0)
    land(s, rng, 166, 4, (86, 124, 110), 10)
    if "fog" in features:
        for y in (158, 166, 174):
            x, across = rng.between(40, 184), rng.between(80, 130)
            s.add(
                np.array([(x + across * cosine(a), y + 7 * sine(a)) for a in range(0, 360, 10)], np.float64),
                (206, 214, 236),
                0,
                70,
            )


def _room(canvas: Canvas, s: Sketch, features: Features, rng: Rng) -> None:
    wall = rng.choice(((246, 228, 200), (206, 224, 216), (222, 214, 234), (238, 212, 204)))
    canvas.rows(0, 152, lighter(wall, 20), wall)
    if "wallpaper" in features:
        for x in range(6, 224, 20):
            s.box(x, 0, x + 8, 150, darker(wall, 7), 0, 0)
    if "window" in features:
        s.box(24, 22, 88, 96, WHITE, 2, 3)
        s.box(28, 26, 84, 92, (156, 208, 240), 0, 12)
        s.blob("28,92 28,80 46,72 66,78 84,70 84,92", LEAF)
        s.box(54, 24, 58, 94, WHITE, 0, 0)
        s.box(26, 56, 86, 60, WHITE, 0, 0)
        s.box(20, 94, 92, 99, WHITE, 2, 6)
    floor = rng.choice(((198, 150, 104), (176, 126, 88), (210, 176, 136)))
    s.box(-2, 152, 226, 226, floor, 0, 10)
    s.box(-2, 145, 226, 153, WHITE, 0, 4)
    for y in (165, 181, 200):
        s.box(-2, y, 226, y + 1, darker(floor, 18), 0, 0)
        shift = rng.between(0, 60)
        for x in range(shift - 60, 224, 64):
            s.box(x, y, x + 1, y + 17, darker(floor, 18), 0, 0)
    if "rug" in features:
        x, paint = rng.between(80, 144), rng.choice(((196, 92, 84), (92, 128, 166), (116, 148, 112)))
        s.oval(x, 195, 84, 24, paint, shade=5)
        s.oval(x, 195, 74, 20, lighter(paint, 32), shade=5)
        s.oval(x, 195, 58, 15, paint, shade=5)


def _sea(canvas: Canvas, s: Sketch, features: Features, rng: Rng) -> None:
    canvas.rows(0, 98, (112, 186, 232), (214, 238, 248))
    if "clouds" in features:
        clouds(s, rng, 18, 60, WHITE)
    if "sun" in features:
        glow(s, rng.choice((34, 188)), 28, 15, (255, 224, 104), (255, 242, 186))
    if "island" in features:
        x = rng.choice((44, 120, 180))
        s.blob([(x - 34, 102), (x - 18, 88), (x, 82), (x + 20, 90), (x + 34, 102)], (112, 158, 112))
    _flush(canvas, s)
    canvas.rows(97, SIDE, (86, 172, 206), (44, 124, 184), (30, 96, 162))
    for row in range(112, 222, 14):
        for _ in range(3):
            x, y = rng.between(-10, 214), row + rng.between(-4, 4)
            wide = 8 + (row - 100) // 12
            s.line(
                [(x - wide, y), (x - wide / 2, y - 2.5), (x, y), (x + wide / 2, y - 2.5), (x + wide, y)],
                1.4,
                (138, 200, 226),
                0,
            )


def _desert(canvas: Canvas, s: Sketch, features: Features, rng: Rng) -> None:
    canvas.rows(0, 150, (108, 184, 226), (252, 232, 192))
    if "sun" in features:
        glow(s, rng.choice((32, 190)), 30, 17, (255, 226, 110), (255, 240, 184))
    if "pyramids" in features:
        for x, top, wide in ((62, 76, 54), (150, 88, 44)):
            x += rng.between(-12, 12)
            s.polygon([(x - wide, 142), (x, top), (x + wide, 142)], (222, 178, 112), 4)
            s.polygon([(x + wide * 0.3, 142), (x, top), (x + wide, 142)], (188, 142, 88), 4)
    land(s, rng, 136, 7, (236, 196, 128), 6)
    land(s, rng, 152, 4, (242, 208, 142), 9)
    for y in (172, 190, 208):
        x = rng.between(20, 160)
        ripple: Points = [(x - 34, y), (x - 10, y - 4), (x + 14, y), (x + 40, y - 3)]
        s.line(ripple, 1.6, (222, 182, 118), 0)
    if "rocks" in features:
        for x in (rng.between(8, 40), rng.between(180, 214)):
            s.blob([(x - 18, 158), (x - 14, 142), (x, 134), (x + 12, 144), (x + 18, 158)], (166, 124, 98), 14)


_PAINTERS: dict[str, Callable[[Canvas, Sketch, Features, Rng], None]] = {
    "park": _park,
    "beach": _beach,
    "street": _street,
    "snow": _snow,
    "night": _night,
    "room": _room,
    "sea": _sea,
    "desert": _desert,
}

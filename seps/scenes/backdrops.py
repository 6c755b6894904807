"""The eight backgrounds, painted with parts of a sketch in picture coordinates."""

from collections.abc import Callable

import numpy as np

from seps.scenes.palette import CREAM, GLASS, LEAF, WHITE, Colour, darker, lighter, mix
from seps.scenes.places import SIDE
from seps.scenes.rng import Rng
from seps.scenes.sketch import UNIT, Canvas, Points, Sketch, arc_points, curve, read_points

WALLS = ((226, 178, 150), (206, 190, 164), (186, 196, 204), (232, 206, 160), (204, 164, 152), (178, 188, 172))


class Backdrop(Sketch):
    """Sketch of a background with some of its features, and parts that several backgrounds have."""

    def __init__(self, canvas: Canvas, features: tuple[str, ...], look: int) -> None:
        super().__init__(WHITE)
        self.canvas, self.features, self.rng = canvas, features, Rng(look)

    def flush(self) -> None:
        """Paint the parts on the canvas and forget them."""
        for part in self.parts:
            self.canvas.fill(np.rint(part.outline * UNIT).astype(np.int64), part.top, part.bottom, part.alpha)
        self.parts.clear()

    def clouds(self, low: int, high: int, paint: Colour = WHITE) -> None:
        """Draw three clouds of five puffs from left to right, between two rows, if the background has any."""
        if "clouds" not in self.features:
            return
        for left in (20, 90, 160):
            x, y, size = left + self.rng.between(0, 40), self.rng.between(low, high), self.rng.between(8, 13)
            for dx, dy, r in ((-16, 0, 9), (-5, -6, 12), (9, -3, 10), (18, 1, 7)):
                self.oval(x + dx * size // 10, y + dy * size // 10, r * size / 10, r * size / 12, paint, shade=3)
            self.oval(x, y + size * 3 // 10, size * 2.6, size * 0.45, paint, shade=3)

    def glow(self, x: int, y: int, r: int, paint: Colour, halo: Colour) -> None:
        """Draw a disc with a halo: sun or moon."""
        for radius in (r + 26, r + 17, r + 9):
            self.add(arc_points(x, y, radius, radius, stop=348, step=12), halo, 0, 46)
        self.oval(x, y, r, r, paint, shade=6)

    def sun(self, x: tuple[int, int], y: int, r: int, paint: Colour, halo: Colour) -> None:
        """Draw the sun at one of two columns, if the background has it."""
        if "sun" in self.features:
            self.glow(self.rng.choice(x), y, r, paint, halo)

    def land(self, y: int, swing: int, paint: Colour, shade: int = 8) -> None:
        """Draw uneven ground from about row y down."""
        tops = [(x, y + self.rng.between(-swing, swing)) for x in range(-40, SIDE + 60, 44)]
        self.add(np.concatenate((curve(tops, closed=False), [(SIDE + 60, SIDE), (-40, SIDE)])), paint, shade)

    def speckle(self, count: int, low: int, high: int, paint: Colour, wide: int) -> None:
        """Draw flat spots between two rows."""
        for _ in range(count):
            x, y = self.rng.between(0, SIDE), self.rng.between(low, high)
            self.oval(x, y, wide, 1.3, paint, shade=0)

    def dots(self, count: int, bottom: int, radii: tuple[float, ...], paints: tuple[Colour, ...]) -> None:
        """Draw stars or snowflakes above a row."""
        for _ in range(count):
            r = self.rng.choice(radii)
            x, y = self.rng.between(2, 222), self.rng.between(2, bottom)
            self.oval(x, y, r, r, self.rng.choice(paints) if len(paints) > 1 else paints[0], shade=0)


def paint_background(canvas: Canvas, name: str, features: tuple[str, ...], look: int) -> None:
    """Paint a background of `PLACES` with some of its features on the whole canvas."""
    backdrop = Backdrop(canvas, features, look)
    _PAINTERS[name](backdrop)
    backdrop.flush()


def _park(b: Backdrop) -> None:
    b.canvas.rows(0, 150, (120, 190, 236), (206, 234, 246))
    b.clouds(20, 60)
    b.sun((30, 190), 30, 15, (255, 222, 96), (255, 240, 180))
    if "hills" in b.features:
        b.land(108, 12, (134, 186, 150))
        b.land(124, 7, (124, 184, 122))
    b.land(138, 3, (136, 196, 92), 14)
    if "path" in b.features:
        path = read_points("-3,138 3,138 22,168 10,196 50,240 -30,240 -24,196 2,166")
        b.blob(path + np.array((b.rng.between(70, 150), 0)), (228, 206, 158))
    tuft = read_points("-3,-5 0,0 3,-5 0.8,1 -0.8,1")
    for _ in range(26):
        b.polygon(tuft + np.array((b.rng.between(4, 220), b.rng.between(150, 222))), (108, 172, 76), 0)


def _beach(b: Backdrop) -> None:
    b.canvas.rows(0, 100, (112, 96, 168), (236, 132, 128), (255, 202, 128))
    x = b.rng.between(50, 174)
    b.glow(x, 94, 22, (255, 226, 130), (255, 214, 140))
    b.clouds(16, 56, (250, 180, 170))
    if "island" in b.features:
        left = b.rng.choice((24, 172))
        b.blob([(left - 26, 102), (left - 12, 92), (left + 6, 88), (left + 24, 96), (left + 34, 102)], (104, 84, 128))
    b.flush()
    b.canvas.rows(100, 150, (238, 158, 120), (96, 124, 176), (70, 130, 180))
    for i, y in enumerate((104, 109, 115, 122)):
        b.oval(x, y, 20 - i * 3, 1.5, (255, 226, 160), shade=0)
    b.speckle(12, 108, 138, (150, 176, 206), 8)
    foam, sand = "-20,146 30,143 90,147 150,142 244,146", "-20,150 30,147 90,152 150,147 244,151"
    for shore, low, paint, shade in ((foam, 160, WHITE, 2), (sand, 230, (236, 202, 146), 9)):
        b.add(np.concatenate((curve(shore, False), [(244, low), (-20, low)])), paint, shade)
    b.speckle(24, 160, 222, (222, 184, 126), 4)
    if "shells" in b.features:
        for _ in range(7):
            u, v = b.rng.between(8, 216), b.rng.between(160, 220)
            b.arc(u, v, 4.4, 4.6, 180, 360, b.rng.choice(((250, 228, 220), (244, 196, 180))))


def _street(b: Backdrop) -> None:
    b.canvas.rows(0, 150, (148, 200, 232), (224, 238, 244))
    b.clouds(12, 36)
    x, walls = -6, b.rng.shuffled(WALLS)
    for i, wall in enumerate(walls[:5]):
        width, top = b.rng.between(42, 56), b.rng.between(50, 88)
        b.box(x, top, x + width, 150, wall, 0, 6)
        b.box(x - 1, top - 4, x + width + 1, top + 1, darker(wall, 22), 0, 0)
        for row in range(top + 10, 112, 20):
            for column in range(x + 7, x + width - 9, 14):
                b.box(column, row, column + 8, row + 12, mix(GLASS, (96, 130, 160), b.rng.choice((0, 30, 60))), 1, 6)
        b.box(x + 6, 124, x + width - 20, 148, mix(GLASS, (80, 110, 140), 35), 1)
        b.box(x + width - 15, 124, x + width - 5, 150, darker(wall, 48), 1)
        if "awnings" in b.features:
            for j in range(4):
                left = x + 4 + j * (width - 22) / 4
                b.box(left, 118, left + (width - 22) / 4, 127, CREAM if j % 2 else walls[(i + 3) % 6], 1, 10)
        x += width
    b.box(-2, 149, 226, 162, (206, 204, 200), 0, 3)
    b.box(-2, 160, 226, 164, (164, 164, 166), 0, 0)
    b.box(-2, 164, 226, 226, (122, 126, 134), 0, 5)
    for x in range(b.rng.between(-30, 0), 240, 44):
        b.box(x, 190, x + 24, 193, (236, 232, 214), 0, 0)
    if "crossing" in b.features:
        left = b.rng.between(30, 130)
        for i in range(5):
            upper, lower = left + i * 14, left + i * 16
            b.polygon([(upper, 167), (upper + 8, 167), (lower + 4, 224), (lower - 6, 224)], (240, 240, 236), 0)


def _snow(b: Backdrop) -> None:
    b.canvas.rows(0, 150, (150, 186, 220), (226, 236, 246))
    b.clouds(16, 50, (240, 244, 250))
    if "mountains" in b.features:
        for x, top, wide in ((36, 56, 66), (176, 48, 70), (108, 70, 60)):
            top += b.rng.between(-8, 8)
            b.polygon([(x - wide, 146), (x, top), (x + wide, 146)], (128, 150, 182), 10)
            snow = top + (146 - top) * 0.3
            peak = [(x, top), (x - wide * 0.3, snow), (x - 6, top + 18), (x + 4, top + 24), (x + wide * 0.3, snow)]
            b.polygon(peak, WHITE, 3)
    b.land(136, 6, (216, 230, 244), 4)
    b.land(150, 3, (240, 246, 252), 5)
    for _ in range(9):
        b.oval(b.rng.between(0, 224), b.rng.between(162, 220), b.rng.between(10, 20), 2, (220, 232, 246), shade=0)
    if "snowflakes" in b.features:
        b.dots(60, 150, (1.2, 1.7, 2.2), (WHITE,))


def _night(b: Backdrop) -> None:
    b.canvas.rows(0, 180, (22, 28, 70), (50, 62, 124), (104, 104, 164))
    b.dots(46, 132, (0.8, 1.0, 1.5), (WHITE, (255, 240, 196)))
    if "moon" in b.features:
        x, y = b.rng.choice((38, 184)), b.rng.between(28, 40)
        b.glow(x, y, 16, (250, 244, 214), (150, 160, 214))
        b.oval(x - 5, y - 3, 3.4, 3, (228, 218, 184), shade=0)
        b.oval(x + 5, y + 5, 2.6, 2.4, (228, 218, 184), shade=0)
    b.land(146, 9, (58, 78, 116), 5)
    if "village" in b.features:
        for _ in range(16):
            u, v = b.rng.between(6, 216), b.rng.between(152, 162)
            b.box(u, v, u + 2.6, v + 3, (255, 220, 120), 0, 0)
    b.land(166, 4, (86, 124, 110), 10)
    if "fog" in b.features:
        for y in (158, 166, 174):
            b.oval(b.rng.between(40, 184), y, b.rng.between(80, 130), 7, (206, 214, 236), shade=0, alpha=70)


def _room(b: Backdrop) -> None:
    wall = b.rng.choice(((246, 228, 200), (206, 224, 216), (222, 214, 234), (238, 212, 204)))
    b.canvas.rows(0, 152, lighter(wall, 20), wall)
    if "wallpaper" in b.features:
        for x in range(6, 224, 20):
            b.box(x, 0, x + 8, 150, darker(wall, 7), 0, 0)
    if "window" in b.features:
        b.box(24, 22, 88, 96, WHITE, 2, 3)
        b.box(28, 26, 84, 92, (156, 208, 240), 0, 12)
        b.blob("28,92 28,80 46,72 66,78 84,70 84,92", LEAF)
        b.box(54, 24, 58, 94, WHITE, 0, 0)
        b.box(26, 56, 86, 60, WHITE, 0, 0)
        b.box(20, 94, 92, 99, WHITE, 2, 6)
    floor = b.rng.choice(((198, 150, 104), (176, 126, 88), (210, 176, 136)))
    b.box(-2, 152, 226, 226, floor, 0, 10)
    b.box(-2, 145, 226, 153, WHITE, 0, 4)
    for y in (165, 181, 200):
        b.box(-2, y, 226, y + 1, darker(floor, 18), 0, 0)
        for x in range(b.rng.between(0, 60) - 60, 224, 64):
            b.box(x, y, x + 1, y + 17, darker(floor, 18), 0, 0)
    if "rug" in b.features:
        x, paint = b.rng.between(80, 144), b.rng.choice(((196, 92, 84), (92, 128, 166), (116, 148, 112)))
        for rx, ry, colour in ((84, 24, paint), (74, 20, lighter(paint, 32)), (58, 15, paint)):
            b.oval(x, 195, rx, ry, colour, shade=5)


def _sea(b: Backdrop) -> None:
    b.canvas.rows(0, 98, (112, 186, 232), (214, 238, 248))
    b.clouds(18, 60)
    b.sun((34, 188), 28, 15, (255, 224, 104), (255, 242, 186))
    if "island" in b.features:
        x = b.rng.choice((44, 120, 180))
        b.blob([(x - 34, 102), (x - 18, 88), (x, 82), (x + 20, 90), (x + 34, 102)], (112, 158, 112))
    b.flush()
    b.canvas.rows(97, SIDE, (86, 172, 206), (44, 124, 184), (30, 96, 162))
    for row in range(112, 222, 14):
        for _ in range(3):
            x, y = b.rng.between(-10, 214), row + b.rng.between(-4, 4)
            wide = 8 + (row - 100) // 12
            wave = [(x - wide, y), (x - wide / 2, y - 2.5), (x, y), (x + wide / 2, y - 2.5), (x + wide, y)]
            b.line(wave, 1.4, (138, 200, 226), 0)


def _desert(b: Backdrop) -> None:
    b.canvas.rows(0, 150, (108, 184, 226), (252, 232, 192))
    b.sun((32, 190), 30, 17, (255, 226, 110), (255, 240, 184))
    if "pyramids" in b.features:
        for x, top, wide in ((62, 76, 54), (150, 88, 44)):
            x += b.rng.between(-12, 12)
            b.polygon([(x - wide, 142), (x, top), (x + wide, 142)], (222, 178, 112), 4)
            b.polygon([(x + wide * 0.3, 142), (x, top), (x + wide, 142)], (188, 142, 88), 4)
    b.land(136, 7, (236, 196, 128), 6)
    b.land(152, 4, (242, 208, 142), 9)
    for y in (172, 190, 208):
        x = b.rng.between(20, 160)
        ripple: Points = [(x - 34, y), (x - 10, y - 4), (x + 14, y), (x + 40, y - 3)]
        b.line(ripple, 1.6, (222, 182, 118), 0)
    if "rocks" in b.features:
        for x in (b.rng.between(8, 40), b.rng.between(180, 214)):
            b.blob([(x - 18, 158), (x - 14, 142), (x, 134), (x + 12, 144), (x + 18, 158)], (166, 124, 98), 14)


_PAINTERS: dict[str, Callable[[Backdrop], None]] = {
    "park": _park,
    "beach": _beach,
    "street": _street,
    "snow": _snow,
    "night": _night,
    "room": _room,
    "sea": _sea,
    "desert": _desert,
}

"""Things for outside: toys, signs, buildings."""

from __future__ import annotations

from seps.scenes.drawings.registry import draws
from seps.scenes.palette import BARK, CREAM, GLASS, GOLD, INK, STEEL, WHITE, WOOD, Colour, darker, lighter
from seps.scenes.sketch import Sketch, cosine, sine

SAND: Colour = (226, 188, 128)
ROOF: Colour = (120, 78, 72)


@draws("ball")
def ball(s: Sketch) -> None:
    """With a pale band."""
    s.oval(0, -40, 40, 40, s.main, shade=20)
    s.blob([(-36, -52), (0, -42), (36, -52), (39, -42), (0, -30), (-39, -42)], lighter(s.main, 60), 6)
    s.shine(-15, -62, 10, 7, -30)


@draws("balloon")
def balloon(s: Sketch) -> None:
    """On a string."""
    s.line([(0, -44), (5, -28), (-4, -14), (1, 0)], 2.4, STEEL)
    s.polygon([(0, -52), (-6, -43), (6, -43)], s.dark)
    s.blob([(0, -118), (22, -110), (31, -88), (22, -62), (0, -48), (-22, -62), (-31, -88), (-22, -110)], s.main, 20)
    s.shine(-11, -98, 5, 10, 25)


@draws("kite")
def kite(s: Sketch) -> None:
    """Draw a diamond with a tail of bows."""
    s.line([(0, -40), (10, -28), (-4, -14), (6, 0)], 2.4, STEEL)
    for x, y in ((7, -28), (-1, -13)):
        s.polygon([(x, y), (x - 9, y - 5), (x - 9, y + 5)], GOLD)
        s.polygon([(x, y), (x + 9, y - 5), (x + 9, y + 5)], GOLD)
    s.polygon([(0, -112), (0, -40), (-32, -80)], s.main, 10)
    s.polygon([(0, -112), (0, -40), (32, -80)], s.light, 10)
    s.line([(0, -110), (0, -42)], 2.2, s.dark)
    s.line([(-30, -80), (30, -80)], 2.2, s.dark)


@draws("parasol")
def parasol(s: Sketch) -> None:
    """Striped, on a pole."""
    s.line([(0, -90), (0, 0)], 4, WOOD)
    s.arc(0, -72, 58, 46, 180, 360, s.main)
    s.arc(0, -72, 34, 46, 180, 360, CREAM)
    s.arc(0, -72, 13, 46, 180, 360, s.main)
    s.oval(0, -119, 4, 4, WOOD)
    s.line([(-57, -72), (57, -72)], 3, s.dark)


@draws("tent")
def tent(s: Sketch) -> None:
    """Open in front."""
    s.polygon([(-14, -72), (36, -72), (72, 0), (-64, 0)], s.dark)
    s.polygon([(-14, -74), (-66, 0), (38, 0)], s.main, 16)
    s.polygon([(-14, -62), (-32, 0), (8, 0)], (70, 56, 60))
    s.polygon([(-14, -62), (-32, 0), (-40, 0)], s.light)
    s.line([(-14, -74), (-14, -80)], 3, WOOD)


@draws("house")
def house(s: Sketch) -> None:
    """Walls of its colour, a door, a roof."""
    s.box(24, -106, 36, -70, (150, 92, 78))
    s.box(-46, -62, 46, 0, s.main, 0, 8)
    s.polygon([(-58, -58), (0, -104), (58, -58)], ROOF, 12)
    s.box(-9, -34, 11, 0, WOOD, 2)
    s.oval(7, -16, 1.8, 1.8, GOLD)
    for x in (-30, 31):
        s.box(x - 11, -46, x + 11, -24, WHITE, 1, 3)
        s.box(x - 9, -44, x + 9, -26, (255, 226, 140))
        s.line([(x, -44), (x, -26)], 2, WHITE)
        s.line([(x - 9, -35), (x + 9, -35)], 2, WHITE)
    s.oval(0, -76, 8, 8, WHITE, shade=3)
    s.oval(0, -76, 5.5, 5.5, GLASS)


@draws("lighthouse")
def lighthouse(s: Sketch) -> None:
    """Draw a tower in stripes of its colour and white."""
    s.blob([(-30, 0), (-24, -10), (0, -14), (24, -10), (30, 0)], (136, 128, 124))
    s.polygon([(-12, -92), (12, -92), (20, -6), (-20, -6)], WHITE, 6)
    for y in (-80, -46):
        wide, wider = 12 + (y + 92) * 8 / 86, 12 + (y + 110) * 8 / 86
        s.polygon([(-wide, y), (wide, y), (wider, y + 18), (-wider, y + 18)], s.main)
    s.polygon([(-18.6, -20), (18.6, -20), (20, -6), (-20, -6)], s.main)
    s.box(-16, -97, 16, -91, INK, 1)
    s.box(-9, -112, 9, -97, (255, 236, 150))
    s.arc(0, -111, 12, 14, 180, 360, s.main)


@draws("windmill")
def windmill(s: Sketch) -> None:
    """Draw a tower with four sails."""
    s.polygon([(-15, -76), (15, -76), (25, 0), (-25, 0)], s.main, 10)
    s.box(-8, -24, 8, 0, BARK, 6)
    s.box(-6, -54, 6, -42, GLASS, 2)
    s.arc(0, -75, 19, 22, 180, 360, ROOF)
    for angle in (35, 125, 215, 305):
        c, t = cosine(angle), sine(angle)
        s.line([(0, -82), (c * 48, -82 + t * 48)], 3, BARK)
        near, far, wide = 12, 47, 12
        s.polygon(
            [
                (c * near, -82 + t * near),
                (c * far, -82 + t * far),
                (c * far - t * wide, -82 + t * far + c * wide),
                (c * near - t * wide, -82 + t * near + c * wide),
            ],
            CREAM,
            5,
        )
    s.oval(0, -82, 4.5, 4.5, INK)


@draws("street lamp")
def street_lamp(s: Sketch) -> None:
    """Draw an old iron lantern."""
    iron = (62, 70, 78)
    s.box(-10, -6, 10, 0, iron, 2)
    s.box(-6, -16, 6, -4, iron, 2)
    s.line([(0, -8), (0, -104)], 5, iron)
    s.polygon([(-8, -104), (8, -104), (13, -128), (-13, -128)], (255, 226, 130), 8)
    s.line([(0, -104), (0, -128)], 1.6, iron)
    s.polygon([(-16, -127), (16, -127), (0, -142)], iron)


@draws("traffic light")
def traffic_light(s: Sketch) -> None:
    """Three lights on a pole."""
    s.box(-9, -5, 9, 0, INK, 2)
    s.line([(0, -4), (0, -58)], 6, STEEL)
    s.box(-17, -116, 17, -54, INK, 7)
    for y, paint in ((-102, (230, 60, 54)), (-85, (250, 196, 60)), (-68, (78, 190, 96))):
        s.oval(0, y, 8, 8, paint, shade=14)


@draws("mailbox")
def mailbox(s: Sketch) -> None:
    """On a post, with a flag."""
    s.box(-5, -50, 5, 0, WOOD)
    s.box(-34, -82, 34, -46, s.main, 4, 14)
    s.arc(-16, -80, 18, 18, 180, 360, s.main)
    s.box(-16, -98, 20, -78, s.main)
    s.arc(16, -80, 18, 18, 180, 360, s.main)
    s.box(12, -80, 28, -74, INK, 2)
    s.line([(-22, -64), (-22, -100)], 3.4, INK)
    s.box(-22, -108, -6, -96, GOLD, 1)


@draws("bucket")
def bucket(s: Sketch) -> None:
    """With a handle."""
    s.ring(0, -54, 27, 3.6, STEEL)
    s.polygon([(-32, -54), (32, -54), (23, 0), (-23, 0)], s.main, 16)
    s.oval(0, -54, 33, 7, s.light)
    s.oval(0, -53, 28, 5, s.dark)


@draws("guitar")
def guitar(s: Sketch) -> None:
    """Upright, six strings."""
    s.box(-4, -110, 4, -52, BARK)
    s.box(-8, -126, 8, -108, darker(BARK, 25), 3)
    s.blob(
        [
            (0, -66),
            (18, -62),
            (18, -46),
            (15, -40),
            (26, -26),
            (22, -6),
            (0, 0),
            (-22, -6),
            (-26, -26),
            (-15, -40),
            (-18, -46),
            (-18, -62),
        ],
        s.main,
        16,
    )
    s.oval(0, -40, 8.5, 8.5, INK)
    s.box(-11, -20, 11, -15, INK, 2)
    for x in (-2, 2):
        s.line([(x, -108), (x, -18)], 0.9, CREAM)


@draws("drum")
def drum(s: Sketch) -> None:
    """With two sticks."""
    s.box(-42, -46, 42, -8, s.main)
    s.oval(0, -8, 42, 9, s.main)
    for i in range(4):
        x = -42 + i * 21
        s.line([(x, -44), (x + 10.5, -3), (x + 21, -44)], 2.4, CREAM, smooth=False)
    s.oval(0, -46, 44, 11, GOLD)
    s.oval(0, -47, 39, 8.5, WHITE, shade=5)
    s.line([(-14, -50), (-42, -76)], 4, WOOD)
    s.line([(14, -50), (42, -76)], 4, WOOD)


@draws("hat")
def hat(s: Sketch) -> None:
    """Draw a wide brim with a band."""
    s.oval(0, -8, 54, 9, s.main)
    s.blob([(-29, -8), (-26, -38), (-10, -46), (0, -42), (10, -46), (26, -38), (29, -8), (0, -2)], s.main, 14)
    s.blob([(-29, -18), (0, -12), (29, -18), (29.5, -8), (0, -3), (-29.5, -8)], s.dark, 4)


@draws("sledge")
def sledge(s: Sketch) -> None:
    """Draw a seat on curved runners."""
    for x in (-30, 0, 30):
        s.line([(x, -30), (x, -5)], 5, darker(WOOD))
    s.line([(-52, -3), (40, -3), (56, -12), (56, -28), (44, -38)], 6, darker(STEEL, 35))
    s.box(-52, -42, 44, -28, s.main, 5)
    s.line([(-46, -35), (38, -35)], 2.4, s.light)


@draws("surfboard")
def surfboard(s: Sketch) -> None:
    """Standing upright in the sand."""
    s.blob(
        [(0, -128), (14, -104), (20, -62), (15, -20), (6, 0), (-6, 0), (-15, -20), (-20, -62), (-14, -104)], s.main, 16
    )
    s.line([(0, -118), (0, -6)], 3, CREAM)
    s.line([(-18, -58), (18, -72)], 7, CREAM)
    s.line([(-18, -46), (18, -60)], 3, CREAM)


@draws("sandcastle")
def sandcastle(s: Sketch) -> None:
    """Draw two towers and a flag."""
    s.line([(0, -72), (0, -96)], 2.4, WOOD)
    s.polygon([(0, -96), (20, -90), (0, -84)], s.main)
    s.polygon([(-20, -72), (20, -72), (22, -20), (-22, -20)], darker(SAND, 8))
    s.box(-58, -34, 58, 0, SAND)
    for x in (-46, 46):
        s.box(x - 14, -54, x + 14, 0, SAND)
        for dx in (-10, 0, 10):
            s.box(x + dx - 3.5, -60, x + dx + 3.5, -53, SAND)
    for dx in (-15, -5, 5, 15):
        s.box(dx - 3.5, -78, dx + 3.5, -71, darker(SAND, 8))
    s.arc(0, 0, 12, 24, 180, 360, darker(SAND, 55))
    for x in (-46, 46):
        s.box(x - 3, -42, x + 3, -32, darker(SAND, 55), 3)


@draws("campfire")
def campfire(s: Sketch) -> None:
    """Flames over logs."""
    s.blob(
        [(-26, -8), (-30, -32), (-16, -48), (-12, -62), (2, -84), (10, -60), (22, -48), (30, -30), (26, -8)],
        (236, 96, 40),
    )
    s.blob([(-16, -8), (-18, -28), (-6, -42), (2, -58), (10, -40), (18, -28), (16, -8)], (250, 176, 56))
    s.blob([(-8, -8), (-8, -22), (1, -36), (9, -22), (8, -8)], (255, 236, 140))
    s.line([(-40, -3), (34, -14)], 10, BARK)
    s.line([(40, -3), (-34, -14)], 10, darker(BARK, 20))
    s.oval(40, -3, 4, 5, SAND)
    s.oval(-40, -3, 4, 5, SAND)

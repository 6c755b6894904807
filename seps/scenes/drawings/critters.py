"""Small animals that crawl, creep or hop."""

from __future__ import annotations

from seps.scenes.drawings.registry import draws
from seps.scenes.palette import INK, ROSE, WHITE, darker, lighter
from seps.scenes.sketch import Sketch


@draws("rabbit")
def rabbit(s: Sketch) -> None:
    """Sitting up, ears high."""
    s.oval(-25, -14, 9, 9, WHITE)
    for x, turn in ((4, -8), (20, 10)):
        s.oval(x, -88, 7.5, 24, s.main, turn)
        s.oval(x, -86, 3.6, 17, ROSE, turn)
    s.blob([(-24, 0), (-27, -24), (-10, -44), (12, -44), (22, -20), (22, 0)], s.main, 14)
    s.oval(-10, -12, 14, 13, s.dark)
    s.oval(-8, -14, 13, 12, s.main)
    s.oval(14, -4, 10, 5, lighter(s.main, 40))
    s.oval(-6, -4, 12, 5, lighter(s.main, 40))
    s.oval(12, -56, 20, 17, s.main)
    s.oval(20, -50, 9, 7, lighter(s.main, 60))
    s.oval(22, -53, 2.6, 2, ROSE, shade=0)
    s.eye(14, -60)
    s.eye(27, -59)
    s.box(19, -47, 23, -42, WHITE, shade=0)


@draws("mouse")
def mouse(s: Sketch) -> None:
    """Small, with large ears and a long tail."""
    grey = (158, 156, 164)
    s.line([(-30, -8), (-48, -4), (-58, -16), (-70, -12)], 3.4, ROSE)
    s.blob([(-36, -2), (-34, -24), (-10, -36), (16, -30), (30, -14), (24, -2)], grey, 14)
    for x in (8, 26):
        s.oval(x, -40, 12, 12, grey)
        s.oval(x, -40, 7.5, 7.5, ROSE)
    s.blob([(4, -20), (12, -36), (28, -36), (46, -20), (40, -10), (18, -6)], grey)
    s.oval(46, -19, 3.6, 3.2, ROSE)
    s.eye(30, -25)
    s.oval(16, -2, 7, 3, ROSE)
    s.oval(-16, -2, 8, 3, ROSE)


@draws("turtle")
def turtle(s: Sketch) -> None:
    """Draw a domed shell with plates."""
    skin, shell = (138, 182, 92), (70, 116, 70)
    s.line([(26, -16), (40, -26), (48, -30)], 12, skin)
    s.oval(52, -33, 13, 11, skin)
    s.eye(57, -36)
    s.line([(63, -29), (57, -27), (52, -29)], 1.8, darker(skin, 50))
    for x in (-26, 20):
        s.line([(x, -14), (x + 3, -5)], 12, skin)
    s.polygon([(-38, -12), (-52, -6), (-36, -4)], skin)
    s.arc(-2, -10, 40, 36, 180, 360, shell)
    for x, y, r in ((-2, -32, 10), (-24, -22, 8), (20, -22, 8), (-12, -18, 6), (8, -18, 6)):
        s.oval(x, y, r, r * 0.75, lighter(shell, 28), shade=6)
    s.box(-43, -14, 39, -7, (190, 164, 96), 4)


@draws("snail")
def snail(s: Sketch) -> None:
    """Draw a coiled shell on a long foot."""
    body = (224, 190, 136)
    s.line([(36, -24), (40, -44)], 3, body)
    s.line([(44, -22), (54, -40)], 3, body)
    s.oval(40, -46, 3.4, 3.4, INK)
    s.oval(55, -42, 3.4, 3.4, INK)
    s.blob([(-44, 0), (-40, -6), (10, -12), (24, -16), (32, -28), (44, -28), (48, -16), (40, -4), (30, 0)], body)
    s.oval(-4, -30, 26, 25, s.main, shade=16)
    s.ring(-4, -30, 18, 3.5, s.dark)
    s.ring(-2, -28, 10, 3.5, s.dark)
    s.oval(-1, -27, 3.5, 3.5, s.dark)
    s.shine(-14, -44, 7, 4, -30)


@draws("frog")
def frog(s: Sketch) -> None:
    """Sitting, seen from the front."""
    green = (96, 174, 70)
    for side in (-1, 1):
        s.oval(side * 28, -13, 14, 13, darker(green, 10), side * -20)
        s.oval(side * 31, -3, 14, 4.5, darker(green, 18))
        s.oval(side * 14, -54, 10, 10, green)
    s.oval(0, -24, 28, 24, green)
    s.oval(0, -15, 18, 14, (216, 232, 150))
    s.oval(0, -40, 29, 18, green)
    for side in (-1, 1):
        s.oval(side * 14, -56, 6.6, 6.6, WHITE, shade=0)
        s.oval(side * 14, -56, 3.4, 3.8, INK, shade=0)
        s.oval(side * 11, -3, 9, 4, green)
    s.line([(-18, -38), (0, -31), (18, -38)], 2.4, darker(green, 55))


@draws("crab")
def crab(s: Sketch) -> None:
    """Red, claws raised."""
    red = (222, 76, 54)
    for side in (-1, 1):
        for i in range(3):
            s.line(
                [(side * 22, -14), (side * (38 + i * 5), -22 + i * 7), (side * (42 + i * 3), -7 + i * 3.5)],
                4.5,
                darker(red, 18),
            )
        s.line([(side * 24, -24), (side * 40, -34), (side * 38, -46)], 6, red)
        s.oval(side * 38, -53, 12, 10, red, side * -30)
        s.polygon([(side * 36, -52), (side * 32, -68), (side * 44, -66)], darker(red, 45))
        s.line([(side * 8, -32), (side * 9, -44)], 3, red)
    s.oval(0, -20, 31, 18, red)
    for side in (-1, 1):
        s.oval(side * 9, -46, 5, 5, WHITE, shade=0)
        s.oval(side * 9, -46, 2.6, 2.6, INK, shade=0)
    s.line([(-10, -14), (0, -10), (10, -14)], 2.4, darker(red, 55))

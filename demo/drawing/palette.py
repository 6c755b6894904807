"""Every colour of files: the map of values, the veil over dropped patches, outlines, the light and the dark palette.

The page draws with the same ones: its theme and styles take theirs from here, and its scripts repeat theirs, in
`assets/js/base/colours.js` (the map, the veil, the colours around zero), `picture/objects.js` and `picture/layer.js`
(how much of a picture stays under each). What the page alone draws has its colours beside it: the swatches of Edit, the
dashes of the game in What if. Which value gets which colour: `demo/drawing/layered.py`, `assets/js/picture/layer.js`.
"""

from __future__ import annotations

from dataclasses import dataclass

COLOUR_MAP = "viridis"  # of heatmaps: scores, weights, word maps
DPI = 192  # two picture pixels to a CSS pixel
FOR, AGAINST = "#00a88f", "#e0690b"  # of scales with zero in the middle: above, below
OPACITY = 0.75  # of a heatmap where its values are highest, see `strength` in demo/drawing/layered.py
CHECKS = "#c4c4c4", "#8a8a8a"  # squares below a scale, where a heatmap lies over a photo
VEIL = "#10191a"  # over dropped patches, in both palettes
OBJECT = "#ff8ac8"  # the outlines of a scene's true objects, in both palettes


@dataclass(frozen=True)
class Palette:
    """Every colour besides the colour map: `paper` under pictures, `ground` under the page, one accent."""

    ink: str
    quiet: str
    line: str
    paper: str
    ground: str
    accent: str
    accent_soft: str


LIGHT = Palette("#17211f", "#54625f", "#d5dddb", "#ffffff", "#f3f6f5", "#0d6b61", "#e2efec")
DARK = Palette("#e6eceb", "#a3b1ae", "#33403e", "#182120", "#101716", "#5ec9b6", "#1b3430")


def variables(palette: Palette) -> str:
    """A palette as CSS variables."""
    return " ".join(f"--{name.replace('_', '-')}: {colour};" for name, colour in vars(palette).items())

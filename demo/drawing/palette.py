"""Every colour of files but black and white: the map of values, the veil over dropped patches, outlines, curves, the
light and the dark palette.

The page draws with the same ones: its theme and styles take theirs from here, and its scripts repeat theirs, in
`assets/js/base/colours.js` (the map, the veil, the colours around zero) and `assets/js/picture/objects.js`. What the
page alone draws has its colours beside it: the swatches of Edit, the dashes of the game in What if.

Which value gets which colour: the map, viridis, runs from purple at `low` to yellow at `high`. Every layer names a
scale in `demo/record/layer_table.py`, and `ends` in `demo/record/layers.py` makes low and high of it and the values:
"zero" 0 and the highest, "lowest" the lowest and the highest, "diverging" minus and plus the largest amount. This last
has no map: FOR above zero, AGAINST below. A mask's dropped patches lie under the veil. Of the masks of both branches,
what the sparse one alone keeps is tinted with the map's yellow, what the dense one alone keeps with its purple; so are,
of the smallest change, patches to drop and patches to keep. `demo/drawing/layered.py` computes that, and how strong
each colour lies over the photo; on the page `assets/js/picture/layer.js`, by the formulas of
`assets/js/base/colours.js` and by `ends` of `assets/js/record/sentences.js`.
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
RING = "#ffe14d"  # around the patch that the lesson's last step names, as in assets/css/lesson.css
CURVES = "#31688e", "#d95f02", "#1b9e77"  # of captions through a video, in order; colour-blind people tell them apart


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
    """Return a palette as CSS variables."""
    return " ".join(f"--{name.replace('_', '-')}: {colour};" for name, colour in vars(palette).items())

"""All colours of files except black and white: the colour map of values, the veil over dropped patches, outlines,
curves, and the light and the dark palette.

The page's theme and styles are generated from this module; its scripts repeat the colours in
`assets/js/base/colours.js` (the map, the veil, the diverging colours) and `assets/js/picture/objects.js`.

The map, viridis, is purple at `low` and yellow at `high`, the ends of a layer's scale (see
`demo/record/layers/layer_table.py`). Diverging scales use two colours instead: FOR for positive values, AGAINST for
negative ones. A mask's dropped patches are covered by the veil. With the masks of both branches, patches kept only by
the sparse one are tinted with the map's yellow, those only by the dense one with its purple; in the smallest change,
patches to drop and to keep. `demo/drawing/layered.py` and `assets/js/picture/layer.js` compute the opacity."""

from dataclasses import dataclass

COLOUR_MAP = "viridis"  # of heatmaps: scores, weights, word maps
DPI = 192  # two picture pixels to a CSS pixel
FOR, AGAINST = "#00a88f", "#e0690b"  # of scales with zero in the middle: above, below
OPACITY = 0.75  # of a heatmap where its values are highest, see `strength` in demo/drawing/layered.py
CHECKS = "#c4c4c4", "#8a8a8a"  # squares below a scale of a heatmap over a photo
VEIL = "#10191a"  # over dropped patches, in both palettes
OBJECT = "#ff8ac8"  # the outlines of a scene's true objects, in both palettes
RING = "#ffe14d"  # around the patch that the lesson's last step names, as in assets/css/lesson.css
CURVES = "#31688e", "#d95f02", "#1b9e77"  # of captions through a video, in order; safe for colour-blind readers


@dataclass(frozen=True)
class Palette:
    """All colours besides the colour map: `paper` of pictures, `ground` of the page, an accent and a warm one."""

    ink: str
    quiet: str
    line: str
    paper: str
    ground: str
    accent: str
    accent_soft: str
    warm: str  # what stands against the accent in charts


LIGHT = Palette("#17211f", "#54625f", "#d5dddb", "#ffffff", "#f3f6f5", "#0d6b61", "#e2efec", "#b4520a")
DARK = Palette("#e6eceb", "#a3b1ae", "#33403e", "#182120", "#101716", "#5ec9b6", "#1b3430", "#ffb16b")


def variables(palette: Palette) -> str:
    """Format a palette as CSS variables."""
    return " ".join(f"--{name.replace('_', '-')}: {colour};" for name, colour in vars(palette).items())

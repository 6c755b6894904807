"""Background for transparent images: white, or grey if the content would vanish on white.

`assets/js/engine/onnx/pictures.js` does the same in a browser.
"""

from PIL import Image, ImageChops

WHITE = (255, 255, 255)
GREY = (138, 138, 138)  # the darker colour of the checkerboard shown behind transparent images
NEAR = 24  # values less than this below white are invisible on white
BLANK = "is transparent everywhere, so that it is read as blank"


def composite_over_backdrop(rgba: Image.Image) -> tuple[Image.Image, str]:
    """Composite an RGBA image over white, or over grey if it would vanish; return a note if nothing is visible."""
    alpha = rgba.getchannel("A")
    visible, whole = _amount(alpha), 255 * rgba.width * rgba.height
    if visible == whole:
        return rgba.convert("RGB"), ""
    colour = GREY if _vanishes(rgba, alpha, visible, whole - visible) else WHITE
    rgb = Image.alpha_composite(Image.new("RGBA", rgba.size, colour), rgba).convert("RGB")
    return rgb, "" if visible else BLANK


def _vanishes(rgba: Image.Image, alpha: Image.Image, visible: int, clear: int) -> bool:
    """Return whether most visible pixels are nearly white and the others cover less than the clear area."""
    red, green, blue, _ = rgba.split()
    darkest = ImageChops.darker(red, ImageChops.darker(green, blue))
    light = darkest.point([0] * (256 - NEAR) + [255] * NEAR)
    vanishing = _amount(ImageChops.darker(alpha, light))
    return vanishing > visible / 2 and visible - vanishing < clear


def _amount(channel: Image.Image) -> int:
    """Return the sum of a channel's values."""
    return sum(value * count for value, count in enumerate(channel.histogram()))

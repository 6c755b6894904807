"""Distort a picture by a strength in [0, 1], to train a judge of quality."""

from collections.abc import Callable
from typing import Any

import cv2
import numpy as np
from numpy.typing import NDArray
from PIL import Image

from seps.common.checks import check_choice, is_number, shown
from seps.media.photos import rgb_of

SIDE = 512  # pixels of the shorter side of a picture that strengths are stated for
MAX_BLUR = 8.0  # standard deviation in those pixels
MAX_NOISE = 80.0  # standard deviation, of values in [0, 255]
BEST_JPEG, WORST_JPEG = 80, 1  # quality just above strength 0, and at 1
MIN_CONTRAST = 0.1  # of the picture's own
MIN_SIDE = 0.3  # of the picture's own, kept by a crop

Pixels = NDArray[np.uint8]  # (H, W, 3) RGB


def distort(picture: Image.Image, kind: str, strength: float) -> Image.Image:
    """Distort a picture; the same picture, kind and strength give the same pixels.

    Args:
        kind: "blur" (Gaussian), "noise" (Gaussian, of each channel), "blocks" (JPEG), "contrast" (drawn towards the
            mean grey) or "crop" (only the middle), which alone changes the size.
    """
    check_choice("kind", kind, KINDS)
    if not (is_number(strength) and 0.0 <= strength <= 1.0):
        raise ValueError(f"strength is {shown(strength)}, but it must be in [0, 1].")
    rgb = rgb_of(picture)
    if strength == 0:
        return rgb
    return Image.fromarray(WAYS[kind](np.array(rgb), float(strength)))


def blur(pixels: Pixels, strength: float) -> Pixels:
    """Gaussian blur, up to a standard deviation of 8 pixels at a shorter side of 512."""
    sigma = strength * MAX_BLUR * min(pixels.shape[:2]) / SIDE
    return clip_pixels(cv2.GaussianBlur(pixels, (0, 0), max(sigma, 1e-3), borderType=cv2.BORDER_REFLECT))


def noise(pixels: Pixels, strength: float) -> Pixels:
    """Gaussian noise up to a standard deviation of 80 of 255; its grain grows with the picture above 512 pixels."""
    height, width = pixels.shape[:2]
    small = small_size(width, height)
    drawn = np.random.default_rng(0).normal(0, 1, (small[1], small[0], 3)).astype(np.float32)
    grain = cv2.resize(drawn, (width, height), interpolation=cv2.INTER_NEAREST)  # (H, W, 3)
    return clip_pixels(pixels + strength * MAX_NOISE * grain)


def blocks(pixels: Pixels, strength: float) -> Pixels:
    """JPEG's blocks, from quality 80 to 1, of the picture brought to at most 512 pixels and back."""
    height, width = pixels.shape[:2]
    size = small_size(width, height)
    small = pixels if size == (width, height) else cv2.resize(pixels, size, interpolation=cv2.INTER_AREA)
    quality = round(WORST_JPEG + (BEST_JPEG - WORST_JPEG) * (1 - strength) ** 2)
    coded = cv2.imencode(".jpg", small[..., ::-1], [cv2.IMWRITE_JPEG_QUALITY, quality])[1]
    decoded = np.asarray(cv2.imdecode(coded, cv2.IMREAD_COLOR))[..., ::-1]
    return clip_pixels(decoded if size == (width, height) else cv2.resize(decoded, (width, height)))


def contrast(pixels: Pixels, strength: float) -> Pixels:
    """Values drawn towards the picture's mean, down to a tenth of their distance from it."""
    mean = pixels.mean()
    return clip_pixels(mean + (1 - (1 - MIN_CONTRAST) * strength) * (pixels - mean))


def crop(pixels: Pixels, strength: float) -> Pixels:
    """Return the middle of the picture, down to 30% of each side."""
    kept = 1 - (1 - MIN_SIDE) * strength
    height, width = (max(1, round(kept * side)) for side in pixels.shape[:2])
    top, left = (pixels.shape[0] - height) // 2, (pixels.shape[1] - width) // 2
    return clip_pixels(pixels[top : top + height, left : left + width])


def small_size(width: int, height: int) -> tuple[int, int]:
    """(width, height) with a shorter side of at most 512 pixels."""
    scale = min(1.0, SIDE / min(width, height))
    return max(1, round(width * scale)), max(1, round(height * scale))


def clip_pixels(values: NDArray[Any]) -> Pixels:
    """Values rounded and cut to [0, 255]."""
    return np.ascontiguousarray(np.clip(np.rint(values), 0, 255).astype(np.uint8))


WAYS: dict[str, Callable[[Pixels, float], Pixels]] = {
    "blur": blur,
    "noise": noise,
    "blocks": blocks,
    "contrast": contrast,
    "crop": crop,
}
KINDS = tuple(WAYS)

"""Blurring: replace each patch by the blurred photograph's patch, one patch at a time, and encode again."""

from collections.abc import Callable, Sequence
from typing import Any, Protocol

import torch
from PIL import Image, ImageFilter
from torch import Tensor

from seps.common.checks import Mask, check_positive
from seps.common.precision import exact_precision
from seps.common.progress import Progress, batch_indices
from seps.encoders.preprocessing import squash
from seps.explanation.blanking import Blanked, measure_blanked_batch
from seps.method.network import CrossSparseAggrNet, Match

TOGETHER = 14  # images created, encoded and scored in one batch: a row of patches of the shipped models
Box = tuple[int, int, int, int]  # left, top, right, bottom in pixels, the last two exclusive


class PhotoModel(Protocol):
    """Interface of a model for blurring, such as `SEPSModel`."""

    cross_net: CrossSparseAggrNet
    config: Any  # with the image encoder's `vision`

    @property
    def grid(self) -> tuple[int, int]:
        """The grid of patches (H, W)."""

    @property
    def device(self) -> torch.device:
        """Device of the parameters."""

    def encode_photos(self, photos: Sequence[Image.Image]) -> Tensor:
        """Encode B photographs as patch embeddings (B, N[+1], C)."""

    def encode_captions(self, captions: Sequence[str], dense: bool = False) -> tuple[Tensor, Tensor]:
        """Encode B captions as word embeddings (B, L, C) with their lengths (B,)."""


def measure_blurred(
    model: PhotoModel,
    photo: Image.Image,
    caption: str,
    dense_caption: str | None = None,
    *,
    mask: Mask | None = None,
    dense_mask: Mask | None = None,
    radius: float | None = None,
    encode: Callable[[Sequence[Image.Image]], Tensor] | None = None,
    progress: Progress = False,
) -> Blanked:
    """Measure the effect on S(I, T) of blurring each patch's pixels before encoding; encodes N + 1 images.

    The model decides again for each image, unless its decision is forced.
    """
    squashed = squash(photo, model.config.vision)
    boxes = patch_boxes(squashed.width, model.grid)
    if radius is None:
        radius = squashed.width / model.grid[1]
    check_positive("radius", radius)
    blurred = squashed.filter(ImageFilter.GaussianBlur(radius))
    words = model.encode_captions([caption])[0][0]  # (L_s, C)
    dense_words = None if dense_caption is None else model.encode_captions([dense_caption], dense=True)[0][0]

    def matched(pictures: Sequence[Image.Image]) -> Match:
        embeddings = (encode or model.encode_photos)(pictures).to(model.device)  # (B, N[+1], C)
        with torch.no_grad(), exact_precision(model.device):
            image = model.cross_net.encode_images(embeddings)
            return model.cross_net.match(image, words, dense_words, mask=mask, dense_mask=dense_mask)

    whole = matched([squashed])
    batches = batch_indices(len(boxes), TOGETHER, progress, "Encoding blurred pictures")
    return measure_blanked_batch(
        whole, [matched([paste_box(squashed, blurred, boxes[i]) for i in batch]) for batch in batches]
    )


def patch_boxes(size: int, grid: tuple[int, int]) -> list[Box]:
    """Compute the boxes of the patches of a square image with side `size`, row by row of the grid (H, W)."""
    rows, columns = ([size * i // count for i in range(count + 1)] for count in grid)
    return [
        (columns[column], rows[row], columns[column + 1], rows[row + 1])
        for row in range(grid[0])
        for column in range(grid[1])
    ]


def paste_box(picture: Image.Image, other: Image.Image, box: Box) -> Image.Image:
    """Copy an image, with another image's pixels inside a box."""
    copy = picture.copy()
    copy.paste(other.crop(box), box[:2])
    return copy

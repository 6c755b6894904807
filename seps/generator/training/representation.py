"""Representation alignment: the middle of the UNet learns to predict the image encoder's features of the clean picture.

Yu et al. 2024 (Representation Alignment for Generation, arXiv 2410.06940), here on a UNet.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import torch.nn.functional as F
from torch import Tensor, nn

HIDDEN = 2  # width of the head's hidden layer, times the UNet's channels


class RepresentationHead(nn.Module):
    """Head that predicts features (D channels) from the UNet's middle (D_m); trained along and not saved."""

    def __init__(self, middle: int, width: int) -> None:
        super().__init__()
        self.predict: nn.Module = nn.Sequential(
            nn.Conv2d(middle, HIDDEN * middle, 1), nn.SiLU(), nn.Conv2d(HIDDEN * middle, width, 1)
        )
        self.normalise = nn.BatchNorm2d(width, affine=False)  # else what all places share would be most of a cosine

    def forward(self, middle: Tensor, features: Tensor) -> Tensor:
        """Return 1 minus the mean cosine of predicted and seen features (B, D, H, W), brought to the middle's size."""
        height, width = middle.shape[-2:]
        target = self.normalise(F.adaptive_avg_pool2d(features.float(), (height, width)))
        return 1 - F.cosine_similarity(self.predict(middle).float(), target, dim=1).mean()


@contextmanager
def middle_of(unet: Any) -> Iterator[list[Tensor]]:
    """Collect what the UNet's middle puts out, (B, D_m, h, w) each time that the UNet computes."""
    outputs: list[Tensor] = []

    def collect(module: nn.Module, inputs: Any, output: Tensor) -> None:
        outputs.append(output)

    handle = unet.mid_block.register_forward_hook(collect)
    try:
        yield outputs
    finally:
        handle.remove()

"""A drawing on its way, and by what a generator's folder is known."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from PIL import Image

GENERATOR = "generator.json"  # by which a generator's folder is known


@dataclass(frozen=True)
class DrawnStep:
    """A drawing on its way.

    Attributes:
        step: done of all `steps`.
        pictures: one a seed, as they are estimated to become; after the last step as they are.
        attention: after the last step, (B, L, side, side) for B seeds and the L tokens of the caption: each token's
            fraction of weight on each place, see `WordAttention.maps`; else None.
    """

    step: int
    steps: int
    pictures: list[Image.Image]
    attention: NDArray[np.float32] | None

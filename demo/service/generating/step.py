"""A step of a drawing, and the files that identify a generator's folder."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from PIL import Image

GENERATOR = "generator.json"  # by which a generator's folder is known


@dataclass(frozen=True)
class DrawnStep:
    """A step of a drawing.

    Attributes:
        step: completed steps, of `steps`.
        pictures: one per seed, as estimated; final after the last step.
        attention: after the last step, (B, L, side, side) for B seeds and the L tokens of the caption: each token's
            fraction of weight at each place, see `WordAttention.maps`; else None.
    """

    step: int
    steps: int
    pictures: list[Image.Image]
    attention: NDArray[np.float32] | None

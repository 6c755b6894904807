"""Copies of training pictures: crops and mirror images, rated as the picture is, and spoilt ones, ranked below it."""

from __future__ import annotations

import random
from typing import NamedTuple

from PIL import Image

from seps.data.augmentation import MIRRORED, item_random

AREA = (0.8, 1.0)  # of a crop, as a share of the picture's
SPOILT = ("blur", "noise", "blocks")  # what a judge is taught to rank below
FIRST, STEP = (0.03, 0.6), (0.08, 0.4)  # strengths of a picture's two spoilt copies


class Spoilt(NamedTuple):
    """Two spoilt copies of a training picture: its row, the kind, and two strengths, the second the greater."""

    row: int
    kind: str
    strengths: tuple[float, float]


def crop_randomly(picture: Image.Image, seed: int, version: int, row: int) -> Image.Image:
    """Return a random crop of 80 to 100% of the area with the same aspect ratio, mirrored half of the time.

    Args:
        seed, version, row: determine the crop; version 0 returns the picture.
    """
    if version == 0:
        return picture
    rng = item_random(seed, version, row, "crop")
    side = rng.uniform(*AREA) ** 0.5
    width, height = max(1, round(picture.width * side)), max(1, round(picture.height * side))
    left, top = rng.randint(0, picture.width - width), rng.randint(0, picture.height - height)
    crop = picture.crop((left, top, left + width, top + height))
    return crop.transpose(Image.Transpose.FLIP_LEFT_RIGHT) if rng.random() < MIRRORED else crop


def plan_spoilt_copies(pictures: int, count: int, seed: int) -> list[Spoilt]:
    """Return which pictures are spoilt and how: at most `count` of them, with each kind equally often."""
    rng = random.Random(f"spoilt {seed}")
    plan = []
    for number, row in enumerate(rng.sample(range(pictures), min(count, pictures))):
        first = rng.uniform(*FIRST)
        second = min(1.0, first + rng.uniform(*STEP))
        plan.append(Spoilt(row, SPOILT[number % len(SPOILT)], (first, second)))
    return plan

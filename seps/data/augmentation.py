"""Training augmentation of captions and images, as in the released code of LAPS (Fu et al., CVPR 2024).

A word, all of its word pieces alike, is touched with probability 20%: half of the words touched become [MASK], a
tenth random entries of the vocabulary, the rest vanish. An image becomes a random crop of 60 to 100% of its area,
squashed to the encoder's square, and half of the time its mirror image. Two things differ from that code: a caption
that would lose all of its words keeps them, and random entries are ordinary ones, never [PAD] or [CLS].

All randomness comes from a `random.Random` passed in; `item_random` makes one an item: an epoch repeats exactly.
"""

from __future__ import annotations

import math
import random
from collections.abc import Sequence

from PIL import Image

TOUCHED = 0.2  # fraction of words
MASKED, REPLACED = 0.5, 0.1  # fractions of the words touched; the rest is deleted
AREA = (0.6, 1.0)  # of the crop, as a fraction of the image's
ASPECT = (3 / 4, 4 / 3)  # of the crop, width over height
MIRRORED = 0.5  # fraction of images
TRIES = 10


def item_random(seed: int, epoch: int, index: int, part: str) -> random.Random:
    """Make the rng of one part ("caption" or "image") of one item: the same whenever and wherever it is made."""
    return random.Random(f"{seed} {epoch} {index} {part}")


def augment_words(
    words: Sequence[Sequence[int]], mask_id: int, ordinary_ids: Sequence[int], rng: random.Random
) -> list[int]:
    """Mask, replace and delete words; return the remaining word pieces' ids, or all if none would remain.

    Args:
        words: for each basic word the ids of its word pieces, without special tokens.
        ordinary_ids: ids from which a replacement is drawn.
    """
    pieces: list[int] = []
    for word in words:
        if rng.random() >= TOUCHED:
            pieces.extend(word)
            continue
        fate = rng.random()
        if fate < MASKED:
            pieces.extend([mask_id] * len(word))
        elif fate < MASKED + REPLACED:
            pieces.extend(rng.choice(ordinary_ids) for _ in word)
    return pieces or [piece for word in words for piece in word]


def augment_image(image: Image.Image, rng: random.Random) -> Image.Image:
    """Return a random crop, mirrored half of the time, at its own size: preprocessing resizes it once."""
    crop = image.crop(random_box(*image.size, rng))
    return crop.transpose(Image.Transpose.FLIP_LEFT_RIGHT) if rng.random() < MIRRORED else crop


def random_box(width: int, height: int, rng: random.Random) -> tuple[int, int, int, int]:
    """Return the edges (left, top, right, bottom) in pixels of a random crop, distributed as in RandomResizedCrop.

    The area is uniform in [0.6, 1] of the image's, the logarithm of the aspect ratio in log [3/4, 4/3], the position
    uniform. A crop larger than the image is drawn again; after 10 draws the largest allowed central crop is used.
    """
    for _ in range(TRIES):
        area = width * height * rng.uniform(*AREA)
        aspect = math.exp(rng.uniform(math.log(ASPECT[0]), math.log(ASPECT[1])))
        crop_width, crop_height = round(math.sqrt(area * aspect)), round(math.sqrt(area / aspect))
        if 0 < crop_width <= width and 0 < crop_height <= height:
            left, top = rng.randint(0, width - crop_width), rng.randint(0, height - crop_height)
            return left, top, left + crop_width, top + crop_height
    crop_width = max(1, min(width, round(height * ASPECT[1])))
    crop_height = max(1, min(height, round(width / ASPECT[0])))
    left, top = (width - crop_width) // 2, (height - crop_height) // 2
    return left, top, left + crop_width, top + crop_height

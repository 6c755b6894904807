"""Frozen encoders run once: features of a split's pictures, their copies and prompts, kept in files that runs share."""

from __future__ import annotations

import hashlib
import json
import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

import torch
from PIL import Image
from safetensors.torch import save_file
from torch import Tensor
from tqdm import tqdm

from seps.common.files import write_atomically
from seps.data import open_image
from seps.data.dataset import MIRRORED, item_random
from seps.judge.data import Ratings
from seps.judge.encoders import PictureFeatures
from seps.judge.judge import BATCH_SIZE, Judge
from seps.judge.spoil import distort
from seps.media.photos import READING
from seps.models.storage import read_tensors

AREA = (0.8, 1.0)  # of a crop, as a share of the picture's
SPOILT = ("blur", "noise", "blocks")  # what a judge is taught to rank below
FIRST, STEP = (0.03, 0.6), (0.08, 0.4)  # strengths of a picture's two spoilt copies
MAX_SPOILT = 32  # pictures of a step, each with its two spoilt copies

Opener = Callable[[], Image.Image]


class Spoilt(NamedTuple):
    """Two spoilt copies of a training picture: its row, the kind, and two strengths, the second the greater."""

    row: int
    kind: str
    strengths: tuple[float, float]


def crop_randomly(picture: Image.Image, seed: int, version: int, row: int) -> Image.Image:
    """Return a random crop of 80 to 100% of the area, mirrored half of the time; version 0 returns the picture."""
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


@dataclass(frozen=True)
class SpoiltFeatures:
    """Quality features (m, 3, quality_width) of m pictures, each with two copies of strengths (m, 3), 0 first."""

    quality: Tensor
    strengths: Tensor

    def sample(self, device: torch.device) -> tuple[Tensor, Tensor]:
        """Sample at most MAX_SPOILT of the pictures: features and strengths."""
        rows = torch.randperm(len(self.quality))[:MAX_SPOILT]
        return self.quality[rows].to(device), self.strengths[rows].to(device)


@dataclass(frozen=True)
class SplitFeatures:
    """Features of n pictures and their crops: quality (n, versions, Q), image (n, versions, d), texts (n, d)."""

    quality: Tensor
    image: Tensor
    text: Tensor
    spoilt: SpoiltFeatures | None = None

    def take(self, rows: Tensor) -> SplitFeatures:
        """Return the features of these pictures, without spoilt ones."""
        return SplitFeatures(self.quality[rows], self.image[rows], self.text[rows])


def split_features(
    judge: Judge, ratings: Ratings, folder: Path, versions: int = 1, spoilt: int = 0, seed: int = 0
) -> SplitFeatures:
    """Compute a split's features in float16 of `versions` per picture, or read them from `folder`."""
    files, name = ratings.image_files, ratings.name
    encoded = []
    for version in range(versions):
        openers = [
            lambda f=file, r=row, v=version: crop_randomly(open_image(f), seed, v, r) for row, file in enumerate(files)
        ]
        copies = [version, seed if version else 0]
        encoded.append(cached(judge, openers, files, copies, folder, f"{name}, version {version + 1}"))
    quality, image = (torch.stack(tensors, dim=1) for tensors in zip(*encoded, strict=True))
    of_spoilt = None
    if plan := plan_spoilt_copies(len(files), spoilt, seed):
        openers = [
            lambda f=files[copy.row], k=copy.kind, s=strength: distort(open_image(f), k, s)
            for copy in plan
            for strength in copy.strengths
        ]
        copied = cached(judge, openers, files, ["spoilt", *plan], folder, f"{name}, spoilt copies").quality
        clean = quality[[copy.row for copy in plan], 0][:, None]  # (m, 1, Q)
        of_spoilt = SpoiltFeatures(
            torch.cat([clean, copied.unflatten(0, (len(plan), 2))], dim=1),
            torch.tensor([(0.0, *copy.strengths) for copy in plan]),
        )
    return SplitFeatures(quality, image, judge.encode_prompts(ratings.prompts).cpu(), of_spoilt)


def cached(
    judge: Judge, openers: Sequence[Opener], files: Sequence[Path], copies: object, folder: Path, title: str
) -> PictureFeatures:
    """Return features of pictures that `openers` open, from the file of an earlier run if it exists."""
    named = [(file.name, file.stat().st_size) for file in files]
    key = json.dumps([READING, judge.config.as_dict()["encoder"], named, copies], sort_keys=True)
    path = folder / f"{hashlib.sha256(key.encode()).hexdigest()[:16]}.safetensors"
    if not path.is_file():
        starts = tqdm(range(0, len(openers), BATCH_SIZE), desc=f"Features of {title}", leave=False)
        parts = [judge.encode([opener() for opener in openers[start : start + BATCH_SIZE]]) for start in starts]
        joined = zip(PictureFeatures._fields, zip(*parts, strict=True), strict=True)
        with write_atomically(path) as partial:
            save_file({name: torch.cat(tensors).half().cpu() for name, tensors in joined}, partial)
    tensors = read_tensors(path)
    return PictureFeatures(tensors["quality"].float(), tensors["image"].float())

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
    """Quality features (m, 2, quality_width) of two copies of m pictures, `rows`, spoilt by strengths (m, 2)."""

    rows: Tensor
    strengths: Tensor
    quality: Tensor


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
    files = ratings.image_files
    encoded = []
    for version in range(versions):
        openers = [
            lambda f=file, r=row, v=version: crop_randomly(open_image(f), seed, v, r) for row, file in enumerate(files)
        ]
        copies = [version, seed if version else 0]
        encoded.append(cached(judge, openers, files, copies, folder, f"{ratings.name}, version {version + 1}"))
    plan = plan_spoilt_copies(len(files), spoilt, seed)
    return SplitFeatures(
        torch.stack([version.quality for version in encoded], dim=1),
        torch.stack([version.image for version in encoded], dim=1),
        judge.encode_prompts(ratings.prompts).cpu(),
        compute_spoilt_features(judge, files, plan, folder, ratings.name) if plan else None,
    )


def compute_spoilt_features(
    judge: Judge, files: Sequence[Path], plan: Sequence[Spoilt], folder: Path, name: str
) -> SpoiltFeatures:
    """Quality features of spoilt copies."""
    openers = [
        lambda f=files[copy.row], k=copy.kind, s=strength: distort(open_image(f), k, s)
        for copy in plan
        for strength in copy.strengths
    ]
    encoded = cached(judge, openers, files, ["spoilt", *plan], folder, f"{name}, spoilt copies")
    return SpoiltFeatures(
        torch.tensor([copy.row for copy in plan]),
        torch.tensor([copy.strengths for copy in plan]),
        encoded.quality.unflatten(0, (len(plan), 2)),
    )


def cached(
    judge: Judge, openers: Sequence[Opener], files: Sequence[Path], copies: object, folder: Path, title: str
) -> PictureFeatures:
    """Return features of pictures that `openers` open, from the file of an earlier run if it exists."""
    path = folder / f"{cache_key(judge, files, copies)}.safetensors"
    if not path.is_file():
        folder.mkdir(parents=True, exist_ok=True)
        parts = []
        for start in tqdm(range(0, len(openers), BATCH_SIZE), desc=f"Features of {title}", leave=False):
            parts.append(judge.encode([opener() for opener in openers[start : start + BATCH_SIZE]]))
        named = zip(PictureFeatures._fields, zip(*parts, strict=True), strict=True)
        tensors = {name: torch.cat(tensors).half().cpu() for name, tensors in named}
        save_file(tensors, path.with_suffix(".partial"))
        path.with_suffix(".partial").rename(path)
    tensors = read_tensors(path)
    return PictureFeatures(tensors["quality"].float(), tensors["image"].float())


def cache_key(judge: Judge, files: Sequence[Path], copies: object) -> str:
    """Return a short hash of encoders, picture files and copies."""
    named = [(file.name, file.stat().st_size) for file in files]
    encoder = judge.config.as_dict()["encoder"]
    return hashlib.sha256(json.dumps([READING, encoder, named, copies], sort_keys=True).encode()).hexdigest()[:16]

"""Frozen encoders run once: features of a split's pictures, their copies and prompts, kept in files that runs share."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

import torch
from PIL import Image
from safetensors.torch import save_file
from torch import Tensor
from tqdm import tqdm

from seps.data import open_image
from seps.judge.copies import Spoilt, crop_randomly, plan_spoilt_copies
from seps.judge.data import Ratings
from seps.judge.encoders import PictureFeatures
from seps.judge.judge import BATCH_SIZE, Judge
from seps.judge.spoil import distort
from seps.models.storage import read_tensors
from seps.photos import READING

Opener = Callable[[], Image.Image]


@dataclass(frozen=True)
class SpoiltFeatures:
    """Quality features of degraded copies of m training pictures.

    Attributes:
        rows: (m,), the pictures; strengths: (m, 2) in [0, 1]; quality: (m, 2, quality_width).
    """

    rows: Tensor
    strengths: Tensor
    quality: Tensor


@dataclass(frozen=True)
class SplitFeatures:
    """Features of a split's n pictures.

    Attributes:
        quality: (n, versions, quality_width); image: (n, versions, d): the picture, then its crops.
        text: (n, d), prompts; explanations: (n, d), rationales, or None.
        spoilt: of training pictures, or None.
    """

    quality: Tensor
    image: Tensor
    text: Tensor
    explanations: Tensor | None = None
    spoilt: SpoiltFeatures | None = None

    def take(self, rows: Tensor) -> SplitFeatures:
        """Return the features of these pictures, without spoilt ones."""
        explanations = None if self.explanations is None else self.explanations[rows]
        return SplitFeatures(self.quality[rows], self.image[rows], self.text[rows], explanations)


def split_features(
    judge: Judge, ratings: Ratings, folder: Path, versions: int = 1, spoilt: int = 0, seed: int = 0
) -> SplitFeatures:
    """Compute a split's features in float16, or read them from `folder`.

    Args:
        versions: per picture, itself and its crops; spoilt: number of pictures with two degraded copies.
    """
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
        None if ratings.explanations is None else explanations_of(judge, ratings.explanations),
        compute_spoilt_features(judge, files, plan, folder, ratings.name) if plan else None,
    )


def explanations_of(judge: Judge, explanations: Sequence[str]) -> Tensor:
    """(n, d) unit embeddings of rationales; zero without a rationale."""
    vectors = torch.zeros(len(explanations), judge.encoders.width)
    rows = [i for i, text in enumerate(explanations) if text]
    if rows:
        vectors[rows] = judge.encode_prompts([explanations[i] for i in rows]).cpu()
    return vectors


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
    """Return features of pictures from the file of an earlier run, or compute them.

    Args:
        openers: open the pictures; files, copies: what the features depend on besides the encoders.
    """
    path = folder / f"{cache_key(judge, files, copies)}.safetensors"
    if not path.is_file():
        folder.mkdir(parents=True, exist_ok=True)
        parts = []
        for start in tqdm(range(0, len(openers), BATCH_SIZE), desc=f"Features of {title}", leave=False):
            parts.append(judge.encode([opener() for opener in openers[start : start + BATCH_SIZE]]))
        tensors = {
            "quality": torch.cat([part.quality for part in parts]).half().cpu(),
            "image": torch.cat([part.image for part in parts]).half().cpu(),
        }
        save_file(tensors, path.with_suffix(".partial"))
        path.with_suffix(".partial").rename(path)
    tensors = read_tensors(path)
    return PictureFeatures(tensors["quality"].float(), tensors["image"].float())


def cache_key(judge: Judge, files: Sequence[Path], copies: object) -> str:
    """Return a short hash of encoders, picture files and copies."""
    named = [(file.name, file.stat().st_size) for file in files]
    encoder = judge.config.as_dict()["encoder"]
    return hashlib.sha256(json.dumps([READING, encoder, named, copies], sort_keys=True).encode()).hexdigest()[:16]

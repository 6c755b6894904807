"""Patch embeddings of a SEPS model on the training images, as targets for an image encoder."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn
from tqdm import tqdm

from seps.common.precision import in_bfloat16
from seps.data import open_image
from seps.generator.training.data import Captioned, cached_rows, fingerprint
from seps.models.hub import load_model

BATCH_SIZE = 64  # images that the teacher encodes at once
LOOKED_AT = 256  # images used to estimate each channel's mean and deviation


class TeacherPatches:
    """A SEPS model's patch embeddings of a split's images: (V, N, C) float16 on disk, in `side` x `side` patches."""

    def __init__(self, teacher: str, captioned: Captioned, cache: Path, device: torch.device) -> None:
        model, split = load_model(teacher), captioned.split
        rows, columns = model.grid
        if rows != columns:
            raise ValueError(
                f"training.teacher is {teacher!r} with {rows} x {columns} patches, but a square is needed."
            )
        self.side, self.channels = rows, model.config.embed_size
        files, patches = split.image_files, rows * columns

        def compute() -> Iterator[NDArray[Any]]:
            model.to(device).eval()
            for start in tqdm(range(0, len(files), BATCH_SIZE), desc=f"Patches of {split.name}", leave=False):
                photos = [open_image(path) for path in files[start : start + BATCH_SIZE]]
                with in_bfloat16(device.type == "cpu"):
                    encoded = model.encode_photos(photos)[:, -patches:]  # (B, N, C), without [CLS]
                yield encoded.float().cpu().numpy()

        file, made_from = cache / f"{split.name}-{Path(teacher).name}.npy", fingerprint(split) | {"teacher": teacher}
        self.values = cached_rows(file, made_from, "<f2", (len(files), patches, self.channels), compute())
        first = torch.from_numpy(self.values[:LOOKED_AT].astype(np.float32)).flatten(0, 1)
        self.mean, self.deviation = first.mean(dim=0), first.std(dim=0).clamp_min(1e-6)  # (C,) each

    def of(self, rows: Tensor) -> Tensor:
        """Patches (B, N, C) of images by number, each channel with mean 0 and variance 1."""
        patches = torch.from_numpy(self.values[rows.numpy()].astype(np.float32))
        return (patches - self.mean) / self.deviation


class TeacherHead(nn.Module):
    """Head that predicts the teacher's patches from an image encoder's cells; trained along and not saved."""

    def __init__(self, width: int, side: int, teacher_side: int, channels: int) -> None:
        super().__init__()
        if teacher_side % side:
            raise ValueError(
                f"The teacher's grid is {teacher_side} patches wide, but it must be a multiple of the image "
                f"encoder's, which is {side}."
            )
        self.side, self.each, self.channels = side, teacher_side // side, channels
        self.project = nn.Linear(width, self.each**2 * channels)

    def forward(self, grid: Tensor) -> Tensor:
        """Cells (B, G, D) to patches (B, N, C), row by row."""
        count, side, each = len(grid), self.side, self.each
        blocks = self.project(grid).view(count, side, side, each, each, self.channels)
        return blocks.transpose(2, 3).reshape(count, (side * each) ** 2, self.channels)

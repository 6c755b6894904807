"""Patch embeddings of a SEPS model on the training images, as targets for an image encoder."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import torch
from torch import Tensor, nn
from tqdm import tqdm

from seps.checks import read_json_file
from seps.data import open_image
from seps.files import write_atomically
from seps.generator.data import Captioned, fingerprint
from seps.models.hub import load_model
from seps.models.model import SEPSModel
from seps.precision import in_bfloat16

BATCH_SIZE = 64  # images that the teacher encodes at once
LOOKED_AT = 256  # images used to estimate each channel's mean and deviation


class TeacherPatches:
    """A SEPS model's patch embeddings of a split's images.

    Args:
        teacher: name or folder of the model (`load_model`); captioned: the images; cache: cache folder.
        device: on which the teacher computes.

    Attributes:
        values: (V, N, C) float16, on disk; side: of the grid of patches; channels: C.
    """

    def __init__(self, teacher: str, captioned: Captioned, cache: Path, device: torch.device) -> None:
        model = load_model(teacher)
        rows, columns = model.grid
        if rows != columns:
            raise ValueError(
                f"training.teacher is {teacher!r} with a grid of {rows} x {columns}, but a square grid is needed."
            )
        self.side, self.channels = rows, model.config.embed_size
        self.values = patches_of(model, teacher, captioned, cache, device)
        first = torch.from_numpy(self.values[:LOOKED_AT].astype(np.float32)).flatten(0, 1)
        self.mean, self.deviation = first.mean(dim=0), first.std(dim=0).clamp_min(1e-6)  # (C,) each

    def of(self, rows: Tensor) -> Tensor:
        """Patches (B, N, C) of images by number, each channel with mean 0 and variance 1."""
        patches = torch.from_numpy(self.values[rows.numpy()].astype(np.float32))
        return (patches - self.mean) / self.deviation


class TeacherHead(nn.Module):
    """Head that predicts the teacher's patches from an image encoder's cells; trained along and not saved.

    Args:
        width: D, channels of the cells; side: of their grid; teacher_side, channels: of the teacher's patches.

    Raises:
        ValueError: the teacher's grid is no multiple of the encoder's.
    """

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


def patches_of(
    model: SEPSModel, name: str, captioned: Captioned, cache: Path, device: torch.device
) -> np.ndarray[tuple[int, ...], np.dtype[np.float16]]:
    """Patch embeddings (V, N, C) without [CLS] as float16 on disk, created if missing."""
    split, stem = captioned.split, Path(name).name
    file, note = cache / f"{split.name}-{stem}.npy", cache / f"{split.name}-{stem}.json"
    made_from = fingerprint(split) | {"teacher": name}
    if file.is_file() and note.is_file() and read_json_file(note) == made_from:
        return np.load(file, mmap_mode="r")
    model = model.to(device).eval()
    patches, width = model.grid[0] * model.grid[1], model.config.embed_size
    with write_atomically(file) as partial, partial.open("wb") as stream:
        shape = (len(split.image_files), patches, width)
        np.lib.format.write_array_header_1_0(stream, {"descr": "<f2", "fortran_order": False, "shape": shape})
        for start in tqdm(range(0, shape[0], BATCH_SIZE), desc=f"Patches of {split.name}", leave=False):
            photos = [open_image(path) for path in split.image_files[start : start + BATCH_SIZE]]
            with in_bfloat16(device.type == "cpu"):
                encoded = model.encode_photos(photos)[:, -patches:]  # (B, N, C)
            stream.write(encoded.float().cpu().numpy().astype("<f2").tobytes())
    note.write_text(json.dumps(made_from) + "\n", encoding="utf-8")
    return np.load(file, mmap_mode="r")

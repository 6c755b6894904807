"""Features of a split's pictures from a frozen image encoder, cached next to the run."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import torch
from torch import Tensor
from tqdm import tqdm

from seps.checks import read_json_file
from seps.data import open_image
from seps.data.augmentation import augment_image, item_random
from seps.data.layout import Split
from seps.files import write_atomically
from seps.generator.data import fingerprint
from seps.generator.encoders import ImageEncoder
from seps.generator.network import GeneratorNetwork, to_values
from seps.precision import in_bfloat16

BATCH_SIZE = 32  # pictures that are encoded at once
Features = np.ndarray[tuple[int, ...], np.dtype[np.float16]]


def features_of(
    network: GeneratorNetwork, split: Split, cache: Path, mirrored: bool = False, crops: int = 0
) -> Features:
    """Compute or read the cells (V, K, G, D) of a split's pictures, float16 on disk in `cache`.

    Args:
        network: with a frozen image encoder.
        mirrored: add mirrored pictures; crops: number of random crops, see `augment_image`. K is 1 + mirrored + crops.

    Raises:
        ValueError: an unreadable image.
    """
    encoders, size = network.config.encoders, network.config.image_size
    views = 1 + mirrored + crops
    stem = f"{split.name}-{encoders.vision}-{size}{'-mirrored' if mirrored else ''}{f'-{crops}-crops' if crops else ''}"
    file, note = cache / f"{stem}.npy", cache / f"{stem}.json"
    made_from = fingerprint(split) | {"vision": encoders.vision, "weights": encoders.vision_weights}
    if file.is_file() and note.is_file() and read_json_file(note) == made_from:
        return np.load(file, mmap_mode="r")
    cache.mkdir(parents=True, exist_ok=True)
    files = split.image_files
    with write_atomically(file) as partial, partial.open("wb") as stream:
        shape = (len(files), views, network.images.side**2, network.images.width)
        np.lib.format.write_array_header_1_0(stream, {"descr": "<f2", "fortran_order": False, "shape": shape})
        for start in tqdm(range(0, len(files), BATCH_SIZE), desc=f"Features of {split.name}", leave=False):
            images = [open_image(path) for path in files[start : start + BATCH_SIZE]]
            pictures = to_values(images, size)
            seen = [pictures, *[pictures.flip(3)] * mirrored]
            for crop in range(crops):
                rngs = (item_random(0, crop, start + number, "image") for number in range(len(images)))
                seen.append(to_values(list(map(augment_image, images, rngs)), size))
            cells = [cells_of(network.images, view.to(network.device)) for view in seen]
            stream.write(torch.stack(cells, dim=1).numpy().astype("<f2").tobytes())
    note.write_text(json.dumps(made_from) + "\n", encoding="utf-8")
    return np.load(file, mmap_mode="r")


@torch.no_grad()
def cells_of(images: ImageEncoder, pictures: Tensor) -> Tensor:
    """Cells (B, G, D) of pictures (B, 3, S, S), row by row, on the CPU."""
    with in_bfloat16(pictures.device.type == "cpu"):
        maps = images.maps(pictures.contiguous(memory_format=torch.channels_last))
    return maps.float().flatten(2).transpose(1, 2).cpu()


def maps_of(features: Features, rows: Tensor, side: int, training: bool) -> Tensor:
    """Maps (B, D, side, side) of pictures by number, in training of each at random one of its views."""
    views = torch.randint(features.shape[1], (len(rows),)) if training else torch.zeros_like(rows)
    cells = torch.from_numpy(features[rows.numpy(), views.numpy()].astype(np.float32))  # (B, G, D)
    return cells.transpose(1, 2).unflatten(2, (side, side))

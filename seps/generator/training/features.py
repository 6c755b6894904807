"""Features of a split's pictures from a frozen image encoder, cached next to the run."""

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import torch
from torch import Tensor
from tqdm import tqdm

from seps.common.precision import in_bfloat16
from seps.data import open_image
from seps.data.dataset import augment_image, item_random
from seps.data.layout import Split
from seps.generator.model.encoders import ImageEncoder
from seps.generator.model.network import GeneratorNetwork, to_values
from seps.generator.training.data import cached_rows, fingerprint

BATCH_SIZE = 32  # pictures that are encoded at once
Features = np.ndarray[tuple[int, ...], np.dtype[np.float16]]


def features_of(
    network: GeneratorNetwork, split: Split, cache: Path, mirrored: bool = False, crops: int = 0
) -> Features:
    """Compute or read the cells (V, K, G, D) of a split's pictures from a frozen encoder, float16 in `cache`."""
    encoders, size = network.config.encoders, network.config.image_size
    views = 1 + mirrored + crops
    stem = f"{split.name}-{encoders.vision}-{size}{'-mirrored' if mirrored else ''}{f'-{crops}-crops' if crops else ''}"
    made_from = fingerprint(split) | {"vision": encoders.vision, "weights": encoders.vision_weights}
    files, images = split.image_files, network.images
    shape = (len(files), views, images.side**2, images.width)

    def compute() -> Iterator[Features]:
        for start in tqdm(range(0, len(files), BATCH_SIZE), desc=f"Features of {split.name}", leave=False):
            opened = [open_image(path) for path in files[start : start + BATCH_SIZE]]
            pictures = to_values(opened, size)
            seen = [pictures, *[pictures.flip(3)] * mirrored]
            for crop in range(crops):
                rngs = (item_random(0, crop, start + number, "image") for number in range(len(opened)))
                seen.append(to_values(list(map(augment_image, opened, rngs)), size))
            yield torch.stack([cells_of(images, view.to(network.device)) for view in seen], dim=1).numpy()

    return cached_rows(cache / f"{stem}.npy", made_from, "<f2", shape, compute())


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

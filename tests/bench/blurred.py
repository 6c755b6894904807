"""Blurred patches as `measure_blurred` encodes them, a batch of pictures at a time, beside one after another."""

from __future__ import annotations

import torch
from PIL import Image, ImageFilter

from seps import SEPSModel
from seps.encoders.preprocessing import squash
from seps.models.blurring import TOGETHER, pasted, patch_boxes
from tests.bench.effects import best


def blurred_pictures(model: SEPSModel, count: int = TOGETHER) -> list[Image.Image]:
    """A picture of noise with the pixels of one patch blurred, for each of the first `count` patches."""
    noise = torch.randint(256, (64, 64, 3), generator=torch.Generator().manual_seed(0), dtype=torch.uint8)
    squashed = squash(Image.fromarray(noise.numpy()), model.config.vision)
    blurred = squashed.filter(ImageFilter.GaussianBlur(squashed.width / model.grid[1]))
    return [pasted(squashed, blurred, box) for box in patch_boxes(squashed.width, model.grid)[:count]]


def blurred_side_by_side(model: SEPSModel, name: str, rounds: int) -> dict[str, float]:
    """A batch of blurred pictures encoded together and one by one, as the app does so that others are answered in
    between; printed, and by name in seconds."""
    pictures = blurred_pictures(model)
    model.encode_photos(pictures[:1])
    turns = [
        (
            best(lambda: model.encode_photos(pictures), 1),
            best(lambda: [model.encode_photos([one]) for one in pictures], 1),
        )
        for _ in range(rounds)
    ]
    batch, single = min(turn[0][0] for turn in turns), min(turn[1][0] for turn in turns)
    difference = float((turns[0][0][1] - torch.cat(turns[0][1][1])).abs().max())
    print(
        f"{model.device.type:5} {name:9} {len(pictures)} blurred pictures of {len(patch_boxes(1, model.grid))}   "
        f"one by one {1e3 * single:7.0f} ms   batch {1e3 * batch:6.0f} ms   ratio {single / batch:5.1f}   "
        f"largest difference {difference:.1e}",
        flush=True,
    )
    return {"seconds": batch, "single_seconds": single, "ratio": single / batch, "difference": difference}

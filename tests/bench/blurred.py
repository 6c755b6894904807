"""Blurred patches as `measure_blurred` encodes them, one picture per pass on a CPU, against a whole row in one pass."""

from __future__ import annotations

import torch
from PIL import Image, ImageFilter
from torch import Tensor

from seps import SEPSModel
from seps.encoders.preprocessing import squash
from seps.explanation.blurring import TOGETHER, paste_box, patch_boxes
from tests.bench.effects import best


def blurred_pictures(model: SEPSModel, count: int = TOGETHER) -> list[Image.Image]:
    """A picture of noise with the pixels of one patch blurred, for each of the first `count` patches."""
    noise = torch.randint(256, (64, 64, 3), generator=torch.Generator().manual_seed(0), dtype=torch.uint8)
    squashed = squash(Image.fromarray(noise.numpy()), model.config.vision)
    blurred = squashed.filter(ImageFilter.GaussianBlur(squashed.width / model.grid[1]))
    return [paste_box(squashed, blurred, box) for box in patch_boxes(squashed.width, model.grid)[:count]]


@torch.no_grad()
def in_one_pass(model: SEPSModel, pictures: list[Image.Image]) -> Tensor:
    """Patch embeddings (B, N[+1], C), all pictures in one pass of the encoder; the model in evaluation mode."""
    embeddings: Tensor = model.img_enc(model.preprocess(pictures).to(model.device))  # of (B, 3, S, S)
    return embeddings


def blurred_side_by_side(model: SEPSModel, name: str, rounds: int) -> dict[str, float]:
    """A row of blurred pictures as they are measured and in one pass, which take turns; printed, and by name in
    seconds. A ratio above 1 says by how much one pass would be slower."""
    pictures = blurred_pictures(model)
    model.encode_photos(pictures[:1])
    measured, together = [], []
    for _ in range(rounds):
        measured.append(best(lambda: model.encode_photos(pictures), 1))
        together.append(best(lambda: in_one_pass(model, pictures), 1))
    seconds, batch = min(run[0] for run in measured), min(run[0] for run in together)
    difference = float((measured[0][1] - together[0][1]).abs().max())
    print(
        f"{model.device.type:5} {name:9} {len(pictures)} blurred pictures of {model.grid[0] * model.grid[1]}   "
        f"as measured {1e3 * seconds:6.0f} ms   in one pass {1e3 * batch:6.0f} ms   ratio {batch / seconds:5.1f}   "
        f"largest difference {difference:.1e}",
        flush=True,
    )
    return {"seconds": seconds, "batch_seconds": batch, "ratio": batch / seconds, "difference": difference}

"""The precomputed drawing shown when the view "Generate" opens, written by `python -m demo.opening` and checked by a
test. It belongs to one generator's weights and is not shown with others."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from PIL import Image
from safetensors import SafetensorError, safe_open
from safetensors.numpy import save_file

from demo.service.generating.request import DrawingRequest
from seps.models.shipped import shipped_models

FILE = Path(__file__).resolve().parents[3] / "assets" / "opening" / "drawing.safetensors"

GENERATOR = "generator.json"  # by which a generator's folder is known


@dataclass(frozen=True)
class PrecomputedDrawing:
    """A finished drawing: its request and the shown steps."""

    asked: DrawingRequest
    steps: list[DrawnStep]


def save_precomputed(drawing: PrecomputedDrawing, weights: str, file: Path = FILE) -> None:
    """Write a drawing of one seed; `weights` identifies the generator, see `weights_digest`."""
    asked, steps = drawing.asked, drawing.steps
    attention = steps[-1].attention
    assert attention is not None
    frames = np.stack([np.asarray(step.pictures[0]) for step in steps])  # (F, side, side, 3)
    shown = np.array([step.step for step in steps])
    settings = {"text": asked.text, "steps": asked.steps, "guidance": asked.guidance, "seed": asked.seeds[0]}
    save_file(
        {"frames": frames, "shown": shown, "attention": attention.astype(np.float16)},
        file,
        {"weights": weights, **{name: str(value) for name, value in settings.items()}},
    )


def read_precomputed(weights: str, file: Path = FILE) -> PrecomputedDrawing | None:
    """Read a drawing; None if it is missing, unreadable or belongs to other weights."""
    try:
        with safe_open(file, "numpy") as stored:
            settings = stored.metadata() or {}
            if settings.get("weights") != weights:
                return None
            frames, shown, attention = (stored.get_tensor(name) for name in ("frames", "shown", "attention"))
            asked = DrawingRequest(
                settings["text"], int(settings["steps"]), float(settings["guidance"]), (int(settings["seed"]),)
            )
            return PrecomputedDrawing(asked, steps_of(asked.steps, frames, shown, attention.astype(np.float32)))
    except (OSError, SafetensorError, KeyError, ValueError):
        return None


def steps_of(total: int, frames: Sequence[Any], shown: Sequence[int], attention: Any) -> list[DrawnStep]:
    """Return the steps of a drawing, the last one with its attention."""
    last = len(frames) - 1
    return [
        DrawnStep(int(step), total, [Image.fromarray(frame)], attention if place == last else None)
        for place, (step, frame) in enumerate(zip(shown, frames, strict=True))
    ]


def weights_digest() -> str:
    """Return the sha256 of the shipped generator's weights, in hexadecimal; ValueError if none ships."""
    folder = shipped_models(GENERATOR).get("generator")
    if folder is None:
        raise ValueError("No generator ships with this copy of the app.")
    digest = hashlib.sha256()
    for file in sorted(folder.glob("*.safetensors")):
        digest.update(file.read_bytes())
    return digest.hexdigest()


@dataclass(frozen=True)
class DrawnStep:
    """A step of a drawing.

    Attributes:
        step: completed steps, of `steps`.
        pictures: one per seed, as estimated; final after the last step.
        attention: after the last step, (B, L, side, side) for B seeds and the L tokens of the caption: each token's
            fraction of weight at each place, see `WordAttention.maps`; else None.
    """

    step: int
    steps: int
    pictures: list[Image.Image]
    attention: NDArray[np.float32] | None

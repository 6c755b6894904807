"""The drawing that Generate opens with, written by `python -m demo.opening`; not shown with other weights."""

import hashlib
from dataclasses import dataclass
from pathlib import Path

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
class DrawnStep:
    """A step of a drawing."""

    step: int  # completed ones, of `steps`
    steps: int
    pictures: list[Image.Image]  # one per seed, as estimated; final after the last step
    # (B, L, side, side) of B seeds and L tokens, see `WordAttention.maps`; only after the last step
    attention: NDArray[np.float32] | None


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
            maps = [None] * (len(frames) - 1) + [attention.astype(np.float32)]
            steps = [
                DrawnStep(int(step), asked.steps, [Image.fromarray(frame)], maps_of_step)
                for step, frame, maps_of_step in zip(shown, frames, maps, strict=True)
            ]
            return PrecomputedDrawing(asked, steps)
    except (OSError, SafetensorError, KeyError, ValueError):
        return None


def weights_digest() -> str:
    """Return the sha256 of the shipped generator's weights, in hexadecimal; ValueError if none ships."""
    folder = shipped_models(GENERATOR).get("generator")
    if folder is None:
        raise ValueError("No generator ships with this copy of the app.")
    digest = hashlib.sha256()
    for file in sorted(folder.glob("*.safetensors")):
        digest.update(file.read_bytes())
    return digest.hexdigest()

"""Initial content of each view, chosen by measurements and written by `python -m demo.examples`."""

from __future__ import annotations

import json
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

from demo.galleries.gallery import Gallery

OPENINGS_FILE = Path(__file__).resolve().parents[2] / "assets" / "opening" / "examples.json"
PHOTOGRAPHS, SCENES = "examples", "scenes"  # their choices also apply to other galleries


@dataclass(frozen=True)
class Opening:
    """Initial content of a view.

    Attributes:
        index: of the photograph in its gallery; captions: one, or those to compare.
        against: the index of a second photograph, if any.
    """

    index: int
    captions: tuple[str, ...]
    against: int | None = None


@lru_cache(maxsize=1)
def load_openings() -> dict[str, dict[str, Any]]:
    """Read the file: by gallery, the choice of each view with its measurements, and "chips"."""
    galleries: dict[str, dict[str, Any]] = json.loads(OPENINGS_FILE.read_text(encoding="utf-8"))["galleries"]
    return galleries


def choices_of(gallery: Gallery) -> dict[str, Any]:
    """Return the choices of a gallery: its own, else the scenes' for drawn pictures and the examples' for
    others."""
    kind = PHOTOGRAPHS if all(item.known is None for item in gallery.items) else SCENES
    return load_openings().get(gallery.name, load_openings()[kind])


def first_captions(gallery: Gallery) -> tuple[str, ...]:
    """Return the suggested captions of a gallery's search, the initial one first."""
    return gallery.captions or tuple(choices_of(gallery)["chips"])


def get_opening(gallery: Gallery, view: str) -> Opening | None:
    """Return the initial content of a view in a gallery; None if none was chosen or its photographs are missing."""
    choice = choices_of(gallery).get(view)
    keys = {item.key: index for index, item in enumerate(gallery.items)}
    if choice is None or not {choice["photo"], choice.get("against", choice["photo"])} <= keys.keys():
        return None
    return Opening(keys[choice["photo"]], tuple(choice["captions"]), keys.get(choice.get("against", "")))

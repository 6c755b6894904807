"""The first view, stored by `python -m demo.opening`; it belongs to one model's weights and the gallery of examples."""

import hashlib
import json
from pathlib import Path
from typing import Any

ASSETS = Path(__file__).resolve().parents[2] / "assets"
FILE = ASSETS / "opening" / "first.json"
WEIGHTS = ASSETS / "models" / "photos" / "model.safetensors"


def weights_digest() -> str:
    """sha256 of the shipped model's weights, in hexadecimal."""
    return hashlib.sha256(WEIGHTS.read_bytes()).hexdigest()


def first_view(file: Path = FILE) -> dict[str, Any] | None:
    """Return {weights, examples, ranking, viewer}; None if unreadable, or if it belongs to other weights."""
    try:
        view: dict[str, Any] = json.loads(file.read_text(encoding="utf-8"))
        return view if view["weights"] == weights_digest() else None
    except (OSError, ValueError, KeyError):
        return None

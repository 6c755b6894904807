"""Recipes: JSON files with a "training" section, those of the package by name."""

from __future__ import annotations

from importlib import resources
from pathlib import Path
from typing import Any

from seps.checks import read_json_file


def recipe_folder(room: str) -> Path:
    """The folder of a room's recipes: "judge", for one."""
    return Path(str(resources.files("seps"))) / room / "recipes"


def names_in(room: str) -> list[str]:
    """The names of a room's recipes."""
    return sorted(file.stem for file in recipe_folder(room).glob("*.json"))


def read_parts(room: str, name_or_path: str | Path) -> tuple[Path, dict[str, Any], Any]:
    """A recipe's file, its values, and its "training" section, {} where it has none.

    Args:
        room: whose recipes are known by name; name_or_path: one of them, or a JSON file.

    Raises:
        ValueError: no such recipe, or one that holds no keys and values.
    """
    names = names_in(room)
    path = recipe_folder(room) / f"{name_or_path}.json" if str(name_or_path) in names else Path(name_or_path)
    if not path.is_file():
        raise ValueError(f"{str(name_or_path)!r} is neither a JSON file nor one of {', '.join(names)}.")
    values = read_json_file(path)
    if not isinstance(values, dict):
        raise ValueError(f"{path} holds a {type(values).__name__}, but keys and values are needed.")
    return path, values, values.pop("training", {})

"""Recipes: JSON files with a system's config and a "training" section, those of the package by name."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import replace
from importlib import resources
from pathlib import Path
from typing import Any, Protocol, TypeVar

from seps.checks import read_json_file

MAX_EPOCHS, MAX_BATCH = 100_000, 1_000_000
MAX_SEED = 2**32 - 1  # epochs and processes multiply it, and a generator's seed has 64 bits

Check = Callable[[str, Any], object]  # of a setting's name and value; raises ValueError


class PlainValues(Protocol):
    """A config or settings: a frozen dataclass that gives its values as a recipe holds them."""

    def as_dict(self) -> dict[str, Any]:
        """Return the values by name."""


Config = TypeVar("Config", bound=PlainValues)
Settings = TypeVar("Settings", bound=PlainValues)


def recipe_files(folder: str) -> dict[str, Path]:
    """List the recipes that come with the package, by name.

    Args:
        folder: inside the package: "judge/recipes", for one.
    """
    files = (Path(str(resources.files("seps"))) / folder).glob("*.json")
    return {file.stem: file for file in sorted(files)}


def find_recipe(name_or_path: str | Path, folder: str) -> Path:
    """Find a recipe's file, by its path or by its name in a folder of the package.

    Raises:
        ValueError: no such recipe; the message names those of the package.
    """
    files = recipe_files(folder)
    path = files.get(str(name_or_path), Path(name_or_path))
    if not path.is_file():
        raise ValueError(f"{str(name_or_path)!r} is neither a JSON file nor one of {', '.join(files)}.")
    return path


def read_parts(
    path: Path, config: Callable[[dict[str, Any]], Config], settings: Callable[[Any], Settings]
) -> tuple[Config, Settings]:
    """Read a recipe's two parts.

    Args:
        path: the recipe's file.
        config: makes the config of all values but the "training" section.
        settings: makes the settings of that section, which is {} where the recipe has none.

    Raises:
        ValueError: no keys and values there, or what config and settings raise; the message names the file.
    """
    values = read_json_file(path)
    if not isinstance(values, dict):
        raise ValueError(f"{path} holds a {type(values).__name__}, but keys and values are needed.")
    section = values.pop("training", {})
    try:
        return config(values), settings(section)
    except ValueError as error:
        raise ValueError(f"{path}: {error}") from error


def write_recipe(out: Path, config: PlainValues, settings: PlainValues) -> None:
    """Write recipe.json into a run's folder: what the run is trained by, to be read again and shared."""
    recipe = config.as_dict() | {"training": settings.as_dict()}
    (out / "recipe.json").write_text(json.dumps(recipe, indent=2) + "\n", encoding="utf-8")


def first_settings(out: Path, read: Callable[[Path], tuple[Config, Settings]]) -> Settings | None:
    """Return the settings that a run began with; None where its recipe cannot be read any more.

    Args:
        out: the run's folder; read: reads a recipe of its system.
    """
    try:
        return read(out / "recipe.json")[1]
    except ValueError:
        return None


def overridden(settings: Any, **values: Any) -> Any:
    """Return a recipe's settings with these in place of its own; what is None stays the recipe's.

    Raises:
        ValueError: a value outside its range.
    """
    return replace(settings, **{name: value for name, value in values.items() if value is not None})


def check_settings(settings: object, checks: Mapping[str, Check]) -> None:
    """Check settings one by one, in the order of the table; types are checked where a recipe is read.

    Args:
        settings: have an attribute of each name; checks: a check by name, told "training.NAME" and the value.

    Raises:
        ValueError: the first that does not fit.
    """
    for name, check in checks.items():
        check(f"training.{name}", getattr(settings, name))

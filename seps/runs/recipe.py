"""Recipes: JSON files with a system's config and a "training" section, those of the package by name."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from importlib import resources
from pathlib import Path
from typing import Annotated, Any, TypeVar, cast

from seps.checks import read_json, read_json_file, shown
from seps.fields import Fields, between, field_types, split_hint
from seps.files import write_json

MAX_EPOCHS, MAX_BATCH = 100_000, 1_000_000
MAX_SEED = 2**32 - 1  # epochs and processes multiply it, and a generator's seed has 64 bits

Epochs = Annotated[int, between(1, MAX_EPOCHS)]
BatchSize = Annotated[int, between(1, MAX_BATCH)]
Seed = Annotated[int, between(0, MAX_SEED)]

Config = TypeVar("Config", bound=Fields)
Settings = TypeVar("Settings", bound=Fields)


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


def read_parts(path: Path, config: type[Config], settings: type[Settings]) -> tuple[Config, Settings]:
    """Read a recipe's two parts.

    Args:
        path: the recipe's file.
        config: of all values but the "training" section; settings: of that section, which is {} where there is none.

    Raises:
        ValueError: no keys and values there, or what does not fit config or settings; the message names the file.
    """
    values = read_json_file(path)
    if not isinstance(values, dict):
        raise ValueError(f"{path} holds a {type(values).__name__}, but keys and values are needed.")
    section = values.pop("training", {})
    try:
        return config.from_dict(values), settings.from_dict(section)
    except ValueError as error:
        raise ValueError(f"{path}: {error}") from error


def write_recipe(out: Path, config: Fields, settings: Fields) -> None:
    """Write recipe.json into a run's folder: what the run is trained by, to be read again and shared."""
    recipe = config.as_dict() | {"training": settings.as_dict()}
    write_json(out / "recipe.json", recipe)


def first_settings(out: Path, read: Callable[[Path], tuple[Fields, Settings]]) -> Settings | None:
    """Return the settings that a run began with; None where its recipe cannot be read any more.

    Args:
        out: the run's folder; read: reads a recipe of its system.
    """
    try:
        return read(out / "recipe.json")[1]
    except ValueError:
        return None


def with_values(config: Config, settings: Settings, assignments: Sequence[str]) -> tuple[Config, Settings]:
    """Put values in place of a recipe's.

    Args:
        config, settings: the recipe's two parts.
        assignments: such as "training.epochs=3" or "network.top_k=4": a key with its sections, and JSON or plain text.

    Raises:
        ValueError: no key and value, a section that is none, or as `Fields.from_dict`.
    """
    values = {**config.as_dict(), "training": settings.as_dict()}
    for text in assignments:
        path, equals, value = text.partition("=")
        *sections, name = path.strip().split(".")
        place: Any = values
        for section in sections:
            place = place.get(section) if isinstance(place, dict) else None
        if not equals or not name or not isinstance(place, dict):
            raise ValueError(f"--set {shown(text)} names no key of the recipe: write it as training.epochs=3.")
        place[name] = _parsed(value.strip())
    training = values.pop("training")
    return type(config).from_dict(values), type(settings).from_dict(training)


def options_elsewhere(config: type[Fields], settings: type[Fields]) -> dict[str, str]:
    """Tell what is meant by options that are none of a trainer's, but keys of its recipes, or of other programs'.

    Args:
        config, settings: the recipe's two parts.

    Returns:
        Of each key's name, such as "margin", a clause for `seps.cli.Parser`.
    """
    meant: dict[str, str] = {}
    for key in (*_keys("training.", settings), *_keys("", config)):
        meant.setdefault(key.rpartition(".")[2], f"it is a key of recipes: give --set {key}=VALUE")
    keys = {**settings.elsewhere, **config.elsewhere}
    return meant | {name: f"{meaning}, a key of recipes: see --set" for name, meaning in keys.items()}


def _keys(prefix: str, part: type[Fields]) -> Iterator[str]:
    """The keys that --set takes: those of a part and of the parts in it."""
    for name, hint in field_types(cast("type", part)).items():
        kind = split_hint(hint)[0]
        if issubclass(kind, Fields):
            yield from _keys(f"{prefix}{name}.", kind)
        else:
            yield f"{prefix}{name}"


def _parsed(text: str) -> Any:
    """A value as JSON has it, or as it stands: none needs quotation marks."""
    try:
        return read_json(text, "the value")
    except ValueError:
        return text


def overridden(settings: Settings, **values: Any) -> Settings:
    """Return a recipe's settings with these in place of its own; what is None stays the recipe's.

    Raises:
        ValueError: a value outside its range.
    """
    return replace(settings, **{name: value for name, value in values.items() if value is not None})

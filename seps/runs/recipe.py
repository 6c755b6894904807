"""Recipes: JSON files with a system's config and a "training" section; the package's by name."""

from argparse import Namespace
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from types import MappingProxyType
from typing import Annotated, Any, TypeVar, cast

from seps.common.checks import read_json, read_json_file, shown
from seps.common.fields import Fields, between, field_types, split_hint
from seps.common.files import write_json
from seps.models.config import find_recipe as find_recipe
from seps.models.config import recipe_files as recipe_files

MAX_EPOCHS, MAX_BATCH = 100_000, 1_000_000
MAX_SEED = 2**32 - 1  # epochs and processes multiply it, and a generator's seed has 64 bits

Epochs = Annotated[int, between(1, MAX_EPOCHS)]
BatchSize = Annotated[int, between(1, MAX_BATCH)]
Seed = Annotated[int, between(0, MAX_SEED)]

Config = TypeVar("Config", bound=Fields)
Settings = TypeVar("Settings", bound=Fields)


def read_parts(path: Path, config: type[Config], settings: type[Settings]) -> tuple[Config, Settings]:
    """Read a recipe's config and its "training" section, by default {}; ValueError names the file."""
    values = read_json_file(path)
    if not isinstance(values, dict):
        raise ValueError(f"{path} holds a {type(values).__name__}, but keys and values are needed.")
    section = values.pop("training", {})
    try:
        return config.from_dict(values), settings.from_dict(section)
    except ValueError as error:
        raise ValueError(f"{path}: {error}") from error


def write_recipe(out: Path, config: Fields, settings: Fields) -> None:
    """Write recipe.json to a run's folder."""
    write_json(out / "recipe.json", config.as_dict() | {"training": settings.as_dict()})


def first_settings(out: Path, read: Callable[[Path], tuple[Fields, Settings]], settings: Settings) -> Settings:
    """Return the original settings of a run's folder, or `settings` if its recipe cannot be read."""
    try:
        return read(out / "recipe.json")[1]
    except ValueError:
        return settings


def read_options(
    read: Callable[[str], tuple[Config, Settings]], options: Namespace, changes: Sequence[str] = ()
) -> tuple[Config, Settings]:
    """Read the recipe of a training program with `changes`, as for `with_values`, its --set and its --seed."""
    seed = [] if options.seed is None else [f"training.seed={options.seed}"]
    return with_values(*read(options.recipe), [*changes, *options.set, *seed])


def with_values(config: Config, settings: Settings, assignments: Sequence[str]) -> tuple[Config, Settings]:
    """Override values of a recipe.

    Args:
        assignments: such as "training.epochs=3" or "network.top_k=4": a key with its sections, and JSON or plain text.
            In a list of sections, such as a generator's training.stages, a key is set in each ("training.epochs",
            "training.stages.epochs") or in one, counted from 1 ("training.stages.2.epochs").
    """
    values = {**asdict(config), "training": asdict(settings)}  # sections that as_dict leaves out by default, too
    for text in assignments:
        path, equals, value = text.partition("=")
        *sections, name = path.strip().split(".")
        places: list[Any] = [values]
        for section in sections:
            places = [inner for place in places for inner in _inside(place, section)]
        places = [part for place in places for part in _with_key(place, name)]
        if not equals or not name or not places:
            raise ValueError(f"--set {shown(text)} names no key of the recipe: write it as training.epochs=3.")
        for place in places:
            place[name] = _parsed(value.strip())
    training = values.pop("training")
    return type(config).from_dict(values), type(settings).from_dict(training)


def _inside(place: Any, section: str) -> list[Any]:
    """Return a section: for a list, all its parts or the one with this number, from 1; [] if it does not exist."""
    if isinstance(place, list | tuple):
        if section.isdecimal():
            return list(place[int(section) - 1 : int(section)]) if int(section) else []
        return [inner for part in place for inner in _inside(part, section)]
    return [place[section]] if isinstance(place, dict) and section in place else []


def _with_key(place: Any, name: str) -> list[dict[str, Any]]:
    """Return the sections to set a key in: this one, or if only parts of its lists have the key, all of these."""
    if isinstance(place, list | tuple):
        return [part for part in place if isinstance(part, dict)]
    if not isinstance(place, dict):
        return []
    lists = (parts for parts in place.values() if isinstance(parts, list | tuple))
    having = [part for parts in lists for part in parts if isinstance(part, dict) and name in part]
    return [place] if name in place or not having else having


def options_elsewhere(
    config: type[Fields], settings: type[Fields], options: Mapping[str, str] = MappingProxyType({})
) -> dict[str, str]:
    """Return clauses for `seps.common.cli.Parser`, by name: of keys of recipes, and of other programs' `options`."""
    known = [*_keys("training.", settings), *_keys("", config)]
    nearest = sorted(known, key=lambda key: (not key.startswith("training."), key.count(".")), reverse=True)
    keys = {key.rpartition(".")[2]: key for key in nearest}  # of several the one with the fewest sections
    meant = {name: f"it is a key of recipes: give --set {key}=VALUE" for name, key in keys.items()}
    for name, meaning in {**settings.elsewhere, **config.elsewhere}.items():
        named = meaning.partition(" ")[0].rstrip(",")
        is_key = named in known or named.rpartition(".")[0] in known  # network.top_k is a key of a mapping
        key = named if is_key else keys.get(named)
        end = f": give --set {key}=VALUE" if key else ", a key of recipes: see --set"
        meant[name] = meaning + end
    return meant | dict(options)


def _keys(prefix: str, part: type[Fields]) -> Iterator[str]:
    """Yield the keys accepted by --set: of a part and its nested parts, also in lists."""
    for name, hint in field_types(cast("type", part)).items():
        kind, inner, _ = split_hint(hint)
        kinds = [each for each in (kind, *inner) if isinstance(each, type) and issubclass(each, Fields)]
        if kinds:
            yield from _keys(f"{prefix}{name}.", kinds[0])
        else:
            yield f"{prefix}{name}"


def _parsed(text: str) -> Any:
    """Parse JSON, or return the text unchanged, so that strings need no quotation marks."""
    try:
        return read_json(text, "the value")
    except ValueError:
        return text

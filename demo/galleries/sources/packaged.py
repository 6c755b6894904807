"""Photographs that ship with the app or with installed Python packages, with captions written for this project, and
hand-drawn boxes of the things in them that the captions name.

The captions were written only from the photographs, before any model had scored them. Imports are light because the
page shows these photographs before the libraries are loaded.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from functools import lru_cache
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from PIL import Image

from seps.media.photos import open_image

GALLERIES = Path(__file__).resolve().parents[3] / "assets" / "galleries"
EXAMPLES_FILE = GALLERIES / "examples.json"

REGIONS_FILE = GALLERIES / "regions.json"
Box = tuple[float, float, float, float]  # left, top, right, bottom, in shares of the picture


@dataclass(frozen=True)
class Example:
    """One photograph and its captions.

    `package` is the name it is installed by, and `file` starts with its import name; for a photograph that ships with
    the app, `package` is None and `file` is a path in assets/galleries. `captions` are sentences of 5 to 15 words,
    `dense` a description of 60 to 150 words. `licence` is the stated licence, `licence_link` its URL, `link` the
    photograph's page.
    """

    name: str
    package: str | None
    file: str
    licence: str
    credit: str
    captions: tuple[str, ...]
    dense: str
    licence_link: str | None = None
    link: str | None = None

    def photo(self) -> Image.Image:
        """Return the photograph in sRGB; ValueError if its file is not found."""
        return open_image(self.path())

    def path(self) -> Path:
        """Return its file, in the repo or in the installed package; ValueError if it is not found."""
        return self._shipped() if self.package is None else self._installed()

    def _shipped(self) -> Path:
        file = GALLERIES / self.file
        if not file.is_file():
            raise ValueError(
                f'The photograph "{self.name}" is missing from assets/galleries/{self.file}: check the repo out again.'
            )
        return file

    def _installed(self) -> Path:
        module, _, path = self.file.partition("/")
        package = find_spec(module)  # which imports nothing: some of these packages take seconds
        if package is None or not package.submodule_search_locations:
            raise ValueError(
                f'The photograph "{self.name}" comes with the package {self.package}, which is not installed: '
                f"pip install {self.package}."
            )
        file = Path(package.submodule_search_locations[0]) / path
        if not file.is_file():
            raise ValueError(
                f'The photograph "{self.name}" should come with the package {self.package} as {self.file}, but the '
                f"installed version has no such file: pip install --upgrade {self.package}."
            )
        return file


def load_examples() -> list[Example]:
    """Return every example, in the order of the gallery, without opening photographs."""
    records = json.loads(EXAMPLES_FILE.read_text(encoding="utf-8"))
    return [Example(**record | {"captions": tuple(record["captions"])}) for record in records]


@dataclass(frozen=True)
class Thing:
    """A thing in a photograph.

    Attributes:
        phrase: its name, "an officer's hat"; None for a part without its own phrase.
        words: words for it in captions, in lower case.
        boxes: their union closely contains it.
    """

    phrase: str | None
    words: frozenset[str]
    boxes: tuple[Box, ...]


@dataclass(frozen=True)
class Regions:
    """The `things` in a photograph, and further `captions` of it."""

    captions: tuple[str, ...]
    things: tuple[Thing, ...]

    @property
    def phrases(self) -> tuple[str, ...]:
        """A phrase per thing, in the order of the file."""
        return tuple(thing.phrase for thing in self.things if thing.phrase)


@lru_cache(maxsize=1)
def load_regions() -> dict[str, Regions]:
    """Return the regions of the examples by name, without photographs that have none."""
    photographs = json.loads(REGIONS_FILE.read_text(encoding="utf-8"))["photographs"]
    return {name: Regions(tuple(known["captions"]), things_of(known["things"])) for name, known in photographs.items()}


def things_of(rows: list[dict[str, Any]]) -> tuple[Thing, ...]:
    """Parse the things of the file."""
    return tuple(
        Thing(row["phrase"], frozenset(row["words"]), tuple((x, y, right, down) for x, y, right, down in row["boxes"]))
        for row in rows
    )

"""Photographs that ship with the app or with installed packages, with captions written before any model had scored
them, and hand-drawn boxes of the objects they name. Imports are light: the page shows them before libraries load."""

import json
from dataclasses import dataclass
from functools import lru_cache
from importlib.util import find_spec
from pathlib import Path

from PIL import Image

from seps.media.photos import open_image

GALLERIES = Path(__file__).resolve().parents[3] / "assets" / "galleries"
EXAMPLES_FILE = GALLERIES / "examples.json"

REGIONS_FILE = GALLERIES / "regions.json"
Box = tuple[float, float, float, float]  # left, top, right, bottom, in shares of the picture


@dataclass(frozen=True)
class Example:
    """One photograph and its captions."""

    name: str
    package: str | None  # name by which it is installed; None if it ships with the app
    file: str  # in assets/galleries, or after the package's import name
    licence: str
    credit: str
    captions: tuple[str, ...]  # sentences of 5 to 15 words
    dense: str  # 60 to 150 words
    licence_link: str | None = None
    link: str | None = None  # the photograph's page

    def photo(self) -> Image.Image:
        """Return the photograph in sRGB; ValueError if its file is not found."""
        return open_image(self.path())

    def path(self) -> Path:
        """Return its file, in the repo or in the installed package; ValueError if it is not found."""
        title = f'The photograph "{self.name}"'
        if self.package is None:
            file = GALLERIES / self.file
            missing = f"{title} is missing from assets/galleries/{self.file}: check the repo out again."
        else:
            module, _, path = self.file.partition("/")
            package = find_spec(module)  # which imports nothing: some of these packages take seconds
            if package is None or not package.submodule_search_locations:
                raise ValueError(
                    f"{title} comes with the package {self.package}, which is not installed: "
                    f"pip install {self.package}."
                )
            file = Path(package.submodule_search_locations[0]) / path
            missing = (
                f"{title} should come with the package {self.package} as {self.file}, but the installed version has "
                f"no such file: pip install --upgrade {self.package}."
            )
        if not file.is_file():
            raise ValueError(missing)
        return file


def load_examples() -> list[Example]:
    """Return every example, in the order of the gallery, without opening photographs."""
    records = json.loads(EXAMPLES_FILE.read_text(encoding="utf-8"))
    return [Example(**record | {"captions": tuple(record["captions"])}) for record in records]


@dataclass(frozen=True)
class Thing:
    """A thing in a photograph."""

    phrase: str | None  # "an officer's hat"; None for a part without its own phrase
    words: frozenset[str]  # for it in captions, in lower case
    boxes: tuple[Box, ...]  # their union closely contains it


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
    return {
        name: Regions(
            tuple(known["captions"]),
            tuple(
                Thing(row["phrase"], frozenset(row["words"]), tuple((x, y, x2, y2) for x, y, x2, y2 in row["boxes"]))
                for row in known["things"]
            ),
        )
        for name, known in photographs.items()
    }

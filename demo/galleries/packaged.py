"""Photographs that ship with the app or with installed Python packages, with captions written for this project.

The captions were written only from the photographs, before any model had scored them. Imports are light because the
page shows these photographs before the libraries are loaded.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path

from PIL import Image

from seps.photos import open_image

GALLERIES = Path(__file__).resolve().parents[2] / "assets" / "galleries"
EXAMPLES_FILE = GALLERIES / "examples.json"


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

"""Photographs that installed Python packages already carry, under captions written for this project.

The captions were written from the photographs alone, before any model had scored them. This module imports nothing
that takes long: the page shows these photographs before the libraries are there.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path

from PIL import Image

EXAMPLES_FILE = Path(__file__).resolve().parents[2] / "assets" / "galleries" / "examples.json"


@dataclass(frozen=True)
class Example:
    """One photograph and its captions.

    `package` is the name it is installed by; `file` starts with the name it is imported by. `captions` are sentences
    of 5 to 15 words, `dense` a description of 60 to 150 words. `licence` is what the package states of the photograph.
    """

    name: str
    package: str
    file: str
    licence: str
    credit: str
    captions: tuple[str, ...]
    dense: str

    def photo(self) -> Image.Image:
        """The photograph in RGB, read from the installed package; ValueError where it cannot be found."""
        module, _, path = self.file.partition("/")
        package = find_spec(module)  # which imports nothing: some of these packages take seconds
        if package is None or not package.submodule_search_locations:
            raise ValueError(
                f'The photograph "{self.name}" comes with the package {self.package}, which is not installed: '
                f"pip install {self.package}."
            )
        found = Path(package.submodule_search_locations[0]) / path
        if not found.is_file():
            raise ValueError(
                f'The photograph "{self.name}" should come with the package {self.package} as {self.file}, but the '
                f"installed version has no such file: pip install --upgrade {self.package}."
            )
        with Image.open(found) as image:
            return image.convert("RGB")


def load_examples() -> list[Example]:
    """Every example, in the order of the gallery; no photograph is opened yet."""
    records = json.loads(EXAMPLES_FILE.read_text(encoding="utf-8"))
    return [Example(**record | {"captions": tuple(record["captions"])}) for record in records]

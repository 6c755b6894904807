"""Where tables stand in a page, and what stands there when they are made anew.

A line `<!-- table: NAME FILE ... -->` is followed by what the function NAME of the page's module makes of the files of
figures, whose paths are relative to the page as a link's are; `sentence` in place of `table` marks a paragraph. The
table ends at the first empty line. A table of figures that others published is marked `<!-- cited -->` and left alone.
"""

from __future__ import annotations

import csv
import json
import re
from pathlib import Path
from types import ModuleType
from typing import Any

from tests.helpers.cards import captioner, experiments, generator, guide, judge, photos, scale, scenes

ROOT = Path(__file__).resolve().parents[3]
PAGES: dict[str, ModuleType] = {
    "README.md": guide,
    "assets/guide/experiments.md": experiments,
    "assets/guide/results.md": guide,
    "assets/guide/scale.md": scale,
    "assets/models/photos/README.md": photos,
    "assets/models/scenes/README.md": scenes,
    "assets/models/judge/README.md": judge,
    "assets/models/generator/README.md": generator,
    "assets/models/captioner/README.md": captioner,
}
MARKED = re.compile(r"^(<!-- (?:table|sentence): (\w+) ([^>]+) -->\n)((?:(?!<!--).+\n)*)", re.MULTILINE)


def remade(page: str, root: Path = ROOT) -> str:
    """Make a page's tables anew.

    Args:
        page: its path in the repo, a key of PAGES.
        root: the repo, or a copy of these pages and the files behind them.

    Returns:
        the page's whole text.

    Raises:
        ValueError: a marker names a table that the page's module does not have.
        OSError: a marker names a file that cannot be read.
    """

    def block(match: re.Match[str]) -> str:
        marker, name, files, _ = match.groups()
        if name not in PAGES[page].__all__:
            known = ", ".join(sorted(PAGES[page].__all__))
            raise ValueError(f"{page} has a table {name!r}, but its module in tests/helpers/cards has only {known}.")
        figures = (read_figures((root / page).parent / file) for file in files.split())
        text: str = getattr(PAGES[page], name)(*figures)
        return f"{marker}{text}\n"

    return MARKED.sub(block, (root / page).read_text(encoding="utf-8"))


def read_figures(file: Path) -> Any:
    """Read a file of figures: JSON as it is, CSV as a dict a row."""
    if file.suffix == ".json":
        return json.loads(file.read_text(encoding="utf-8"))
    with file.open(encoding="utf-8", newline="") as stream:
        return [{name: number(cell) for name, cell in row.items()} for row in csv.DictReader(stream)]


def number(cell: str) -> float | str:
    """A cell of a CSV file as a number where it is one."""
    try:
        return float(cell)
    except ValueError:
        return cell

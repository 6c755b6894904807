"""Find the generated tables of a page and rebuild them.

A line `<!-- table: NAME FILE ... -->` is followed by the output of the page's function NAME for the files of
figures, with paths relative to the page as in links; `sentence` instead of `table` marks a paragraph. The
table ends at the first empty line. A table of figures that others published is marked `<!-- cited -->` and not changed.
"""

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
    """Rebuild a page's tables.

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
    """Read a file of figures: JSON parsed, CSV as a dict per row."""
    if file.suffix == ".json":
        return json.loads(file.read_text(encoding="utf-8"))
    with file.open(encoding="utf-8", newline="") as stream:
        return [{name: number(cell) for name, cell in row.items()} for row in csv.DictReader(stream)]


def number(cell: str) -> float | str:
    """A cell of a CSV file, as a number if possible."""
    try:
        return float(cell)
    except ValueError:
        return cell

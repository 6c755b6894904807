"""The training guide's advice and healthy ranges, in one table, advice.csv."""

import csv
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

from seps.common.cli import Parser

KEPT_OFF = 0.05  # how far from its target the kept ratio may be
MAX_RATIO_WEIGHT = 5.0
MIN_KEPT, MAX_KEPT = 50, 150  # patches
HEALTHY = {"loss": (10.0, 30.0), "align": (8.0, 25.0), "ratio": (0.0, 0.01)}  # the first two at the start of training
CLAIMED_KEPT = {0.0: (0.2, 0.8), 1.0: (0.45, 0.55), 2.0: (0.48, 0.52), 5.0: (0.5, 0.5)}  # by ratio weight, target 0.5


class Advice(NamedTuple):
    """One row of the table: a setting of a recipe, its usual value, when to change it, and who says so."""

    setting: str
    usual: str
    raise_it: str
    lower_it: str
    source: str


with (Path(__file__).parent / "advice.csv").open(newline="", encoding="utf-8") as file:
    ADVICE = tuple(Advice(**row) for row in csv.DictReader(file))


def table() -> str:
    """Return the advice as a Markdown table."""
    head = ("setting", "usual", "raise it", "lower it", "who says so")
    return "\n".join(f"| {' | '.join(row)} |" for row in (head, ("---",) * len(head), *ADVICE))


def main(arguments: Sequence[str] | None = None) -> int:
    """Print the table; returns the program's exit code."""
    Parser(prog="python -m seps.training.guide", description=main.__doc__).parse_args(arguments)
    print(table())
    return 0


if __name__ == "__main__":
    sys.exit(main())

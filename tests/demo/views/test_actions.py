"""The guide's table of actions has every endpoint and every command, and none that is not there."""

from __future__ import annotations

import argparse
import re
from pathlib import Path

from demo.__main__ import parser
from demo.page.api import Endpoints

GUIDE = (Path(__file__).parents[3] / "assets" / "guide" / "use.md").read_text()


def named(column: int) -> set[str]:
    """The names in a column of the table of actions, without those of other programs."""
    table = GUIDE[GUIDE.index("| action |") :].split("\n\n")[0].splitlines()[2:]
    cells = [row.strip("|").split("|")[column] for row in table]
    return {name for cell in cells for name in re.findall(r"`([a-z_]+)`", cell)}


def test_every_endpoint_stands_in_the_guide() -> None:
    assert named(1) == {name for name in vars(Endpoints) if not name.startswith("_") and name != "draw"}


def test_every_command_stands_in_the_guide() -> None:
    (commands,) = [action for action in parser()._actions if isinstance(action, argparse._SubParsersAction)]
    assert named(2) == set(commands.choices)

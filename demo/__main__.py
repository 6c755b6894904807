"""The app without a browser, see `demo.commands`: `python -m demo --help`. Arguments are read, and paths checked,
before torch and the models are imported, which takes seconds."""

import sys
from collections.abc import Callable, Sequence

from typer import Typer

from demo.commands.explain import explain
from demo.commands.figure import figure
from demo.commands.generate import generate
from demo.commands.judge import judge
from demo.commands.lesson import lesson
from demo.commands.rank import rank
from demo.commands.why import why
from seps.common.cli import print_error

PROGRAM = Typer(
    help="SEPS Explorer without a browser.",
    add_completion=False,
    context_settings={"help_option_names": ["-h", "--help"]},
    rich_markup_mode=None,  # help texts hold brackets
    pretty_exceptions_enable=False,
)
COMMANDS: tuple[Callable[..., None], ...] = (explain, rank, judge, why, generate, figure, lesson)
for command in COMMANDS:  # options and help follow from each signature
    PROGRAM.command()(command)


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the program; returns its exit code."""
    try:
        PROGRAM(arguments, prog_name="python -m demo")
    except SystemExit as end:
        return int(end.code or 0)
    except (ValueError, OSError) as error:
        return print_error(error)
    return 0


if __name__ == "__main__":
    sys.exit(main())

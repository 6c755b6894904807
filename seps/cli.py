"""What every program shares: input that cannot be used is told after `error: `, and the exit code is 2."""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from difflib import get_close_matches
from math import isfinite
from pathlib import Path
from typing import Any

NEAR = 0.6  # how alike, of 1, an option and the one that is meant must be, their dashes apart
FAILED = 2  # the exit code
MOST = 2**63 - 1  # what counters and generators of random numbers can hold


class Parser(argparse.ArgumentParser):
    """An argument parser whose error on an option that is not there says what is meant, or names the nearest that is.

    Args:
        elsewhere: gives the options of other programs, without dashes before them and with underscores in them: what
            is meant here, a clause. It is called for an error alone, so that it may import what takes long.
    """

    def __init__(self, *args: Any, elsewhere: Callable[[], Mapping[str, str]] = dict, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.elsewhere = elsewhere

    def parse_known_args(self, args: Any = None, namespace: Any = None) -> Any:
        """Parse as argparse does, but refuse an option that is not there before its value is taken for something."""
        words = [str(word) for word in (sys.argv[1:] if args is None else args)]
        options = sorted(set(_options(self)))
        for word in words[: words.index("--")] if "--" in words else words:
            name = word.partition("=")[0]
            if name.startswith("--") and not any(option.startswith(name) for option in options):
                self.error(f"unrecognized arguments: {name}{self._meant(name, options)}")
        return super().parse_known_args(args, namespace)

    def _meant(self, name: str, options: list[str]) -> str:
        """The end of the sentence on an option that is not there: what is meant by it; "" where nobody knows."""
        same = name.replace("_", "-")
        if same not in options:
            meaning = self.elsewhere().get(name.removeprefix("--").replace("-", "_"))
            if meaning:
                return f"; {meaning}"
        near = get_close_matches(same.removeprefix("--"), [option.removeprefix("--") for option in options], 1, NEAR)
        return f"; did you mean --{near[0]}?" if near else ""


def _options(parser: argparse.ArgumentParser) -> Iterator[str]:
    """The options of a parser and of its commands."""
    for action in parser._actions:  # argparse has no public list of them
        yield from (option for option in action.option_strings if option.startswith("--"))
        if isinstance(action, argparse._SubParsersAction):
            for command in action.choices.values():
                yield from _options(command)


@contextmanager
def errors_in_one_line() -> Iterator[None]:
    """End the program with exit code 2 and one line on stderr where input cannot be used."""
    try:
        yield
    except (ValueError, OSError) as error:
        raise SystemExit(print_error(one_line(str(error)))) from error


def print_error(error: object) -> int:
    """Print what is wrong on stderr, after `error: `; a list of problems keeps its lines. Returns the exit code."""
    print(f"error: {error}", file=sys.stderr)
    return FAILED


def one_line(message: str) -> str:
    """Return a message that lists problems on lines of their own, `DataError`'s for one, in one line."""
    return " ".join(message.replace(":\n  ", ": ").replace("\n  ", "; ").split())


def check_folder(folder: Path, expected: str, or_file: bool = False) -> None:
    """Raise ValueError where there is no such folder, nor a file if that will do; `expected` says what to give."""
    if not folder.is_dir() and not (or_file and folder.is_file()):
        kind = "is a file" if folder.exists() else "does not exist"
        raise ValueError(f"The folder {folder} {kind}: give {expected}.")


def check_output(file: Path) -> None:
    """Raise ValueError where a file cannot be written: its folder lacks, it is a folder itself, or it is protected."""
    if not file.parent.is_dir():
        raise ValueError(f"The folder {file.parent} does not exist, so that {file.name} cannot be written: make it.")
    if file.is_dir():
        raise ValueError(f"{file} is a folder, so that no file can be written there: name a file in it.")
    if not os.access(file if file.exists() else file.parent, os.W_OK):
        raise ValueError(f"{file} cannot be written, its place is protected: name another.")


def whole_number(text: str) -> int:
    """Return an option's whole number, at most MOST either way: a `type` for argparse, which tells anything else."""
    try:
        value = int(text)
    except ValueError as error:
        raise argparse.ArgumentTypeError(f"{_shortened(text)} is given, but a whole number is needed") from error
    if abs(value) > MOST:
        raise argparse.ArgumentTypeError(f"{_shortened(text)} is too large, at most {MOST} can be counted with")
    return value


def add_set_option(parser: argparse.ArgumentParser) -> None:
    """Give a program that trains the option --set, see `seps.runs.recipe.with_values`."""
    parser.add_argument(
        "--set",
        action="append",
        default=[],
        metavar="KEY=VALUE",
        help="instead of the recipe's value, as training.epochs=3; any key of the recipe, and as often as needed",
    )


def finite_number(text: str) -> float:
    """Return an option's number: a `type` for argparse, which tells anything else, and what is infinite."""
    try:
        value = float(text)
    except ValueError:
        value = float("nan")
    if not isfinite(value):
        raise argparse.ArgumentTypeError(f"{_shortened(text)} is given, but a finite number is needed")
    return value


def _shortened(text: str) -> str:
    return repr(text if len(text) <= 20 else f"{text[:20]}...")

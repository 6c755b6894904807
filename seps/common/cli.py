"""Shared behaviour of the command-line programs: unusable input is reported after `error: ` with exit code 2."""

import argparse
import os
import sys
import warnings
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from difflib import get_close_matches
from math import isfinite
from pathlib import Path
from typing import Any

from seps.common.text import ListError, printable

NEAR = 0.6  # similarity in [0, 1], without dashes, above which an unknown option is taken for a misspelt one
FAILED = 2  # the exit code
MOST = 2**63 - 1  # what counters and generators of random numbers can hold


class Parser(argparse.ArgumentParser):
    """Argument parser that names the intended option, also one of other programs (`elsewhere`), or the nearest."""

    def __init__(self, *args: Any, elsewhere: Callable[[], Mapping[str, str]] = dict, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.elsewhere = elsewhere

    def parse_known_args(self, args: Any = None, namespace: Any = None) -> Any:
        """Parse as argparse does, but reject an unknown option before its value is taken for something else."""
        words = [str(word) for word in (sys.argv[1:] if args is None else args)]
        options = sorted(set(_options(self)))
        for word in words[: words.index("--")] if "--" in words else words:
            name = word.partition("=")[0]
            if name.startswith("--") and not any(option.startswith(name) for option in options):
                self.error(f"unrecognized arguments: {name}{self._meant(name, options)}")
        return super().parse_known_args(args, namespace)

    def _meant(self, name: str, options: list[str]) -> str:
        """Return the end of the message for an unknown option: the intended option, or "" if none is known."""
        same = name.replace("_", "-")
        if same not in options:
            meaning = self.elsewhere().get(name.removeprefix("--").replace("-", "_"))
            if meaning:
                return f"; {meaning}"
        near = get_close_matches(same.removeprefix("--"), [option.removeprefix("--") for option in options], 1, NEAR)
        return f"; did you mean --{near[0]}?" if near else ""


def _options(parser: argparse.ArgumentParser) -> Iterator[str]:
    """Yield the options of a parser and of its subcommands."""
    for action in parser._actions:  # argparse has no public list of them
        yield from (option for option in action.option_strings if option.startswith("--"))
        if isinstance(action, argparse._SubParsersAction):
            for command in action.choices.values():
                yield from _options(command)


@contextmanager
def errors_in_one_line() -> Iterator[None]:
    """End the program with exit code 2 and one line on stderr for unusable input; print warnings in one line."""
    plain, warnings.formatwarning = warnings.formatwarning, _warning_line
    try:
        yield
    except (ValueError, OSError) as error:
        line = " ".join(str(error).replace(":\n  ", ": ").replace("\n  ", "; ").split())  # of a `DataError` several
        raise SystemExit(print_error(line)) from error
    finally:
        warnings.formatwarning = plain


def _warning_line(
    message: Warning | str, category: type[Warning], filename: str, lineno: int, line: str | None = None
) -> str:
    """Format a warning; omit the code location for warnings of SEPS."""
    if category.__module__.startswith("seps."):
        return f"Warning: {message}\n"
    return f"{filename}:{lineno}: {category.__name__}: {message}\n"


def print_error(error: object) -> int:
    """Print an error on stderr after `error: ` and return the exit code; a list of problems keeps its lines."""
    print(f"error: {printable(error, keep=chr(10) if isinstance(error, ListError) else '')}", file=sys.stderr)
    return FAILED


def check_folder(folder: Path, expected: str, or_file: bool = False) -> None:
    """Raise ValueError if the folder does not exist (nor a file, with `or_file`); `expected` says what to give."""
    if not folder.is_dir() and not (or_file and folder.is_file()):
        kind = "is a file" if folder.exists() else "does not exist"
        raise ValueError(f"The folder {folder} {kind}: give {expected}.")


def check_output(file: Path) -> None:
    """Raise ValueError if a file cannot be written: its folder is missing, it is a folder, or it is protected."""
    if not file.parent.is_dir():
        raise ValueError(f"The folder {file.parent} does not exist, so that {file.name} cannot be written: make it.")
    if file.is_dir():
        raise ValueError(f"{file} is a folder, so that no file can be written there: name a file in it.")
    if not os.access(file if file.exists() else file.parent, os.W_OK):
        raise ValueError(f"{file} cannot be written, its place is protected: name another.")


def whole_number(text: str) -> int:
    """Parse an integer between -MOST and MOST, as a `type` for argparse."""
    try:
        value = int(text)
    except ValueError as error:
        raise argparse.ArgumentTypeError(f"{_shortened(text)} is given, but a whole number is needed") from error
    if abs(value) > MOST:
        raise argparse.ArgumentTypeError(f"{_shortened(text)} is too large, at most {MOST} can be counted with")
    return value


def add_set_option(parser: argparse.ArgumentParser) -> None:
    """Add the option --set to a training program, see `seps.runs.recipe.with_values`."""
    does = "instead of the recipe's value, as training.epochs=3; any key of the recipe, and as often as needed"
    parser.add_argument("--set", action="append", default=[], metavar="KEY=VALUE", help=does)


def finite_number(text: str) -> float:
    """Parse a finite number, as a `type` for argparse."""
    try:
        value = float(text)
    except ValueError:
        value = float("nan")
    if not isfinite(value):
        raise argparse.ArgumentTypeError(f"{_shortened(text)} is given, but a finite number is needed")
    return value


def _shortened(text: str) -> str:
    return repr(text if len(text) <= 20 else f"{text[:20]}...")

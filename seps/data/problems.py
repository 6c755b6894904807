"""Reading files whose problems are collected, so that one error lists them all."""

import re
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, TypeGuard

from seps.common.checks import read_json, read_utf8
from seps.common.numbers import amount
from seps.common.text import ListError

LISTED = 20  # problems of one kind that a message spells out

LINE_END = re.compile(r"\r\n?|\n")

MISSING = "Missing"
UNREADABLE = "Not readable"


class DataError(ListError):
    """Data that do not fit their layout. The message lists all problems, the first 20 problems of each kind."""


class Problems:
    """Problems of some data, grouped by kind; `subject` begins the message."""

    def __init__(self, subject: str) -> None:
        self.subject = subject
        self.kinds: dict[str, list[str]] = {}

    def add(self, kind: str, problem: str) -> None:
        """Note a problem; in the list it stands without a full stop."""
        self.kinds.setdefault(kind, []).append(problem.removesuffix("."))

    def raise_any(self) -> None:
        """Raise one DataError that lists every problem noted; do nothing without problems."""
        if not self.kinds:
            return
        message = [f"{self.subject}: {amount(sum(map(len, self.kinds.values())), 'problem')}."]
        for kind, problems in self.kinds.items():
            message.append(f"{kind} ({len(problems)}):")
            message += [f"  {problem}" for problem in problems[:LISTED]]
            if len(problems) > LISTED:
                message.append(f"  and {len(problems) - LISTED} more")
        raise DataError(*message)


def read_text(path: Path, problems: Problems) -> str | None:
    """Return a UTF-8 file's text; None and a noted problem if it is missing or unreadable."""
    try:
        return read_utf8(path.read_bytes())
    except FileNotFoundError:
        problems.add(MISSING, path.name)
    except (OSError, ValueError) as error:
        problems.add(UNREADABLE, f"{path.name}: {error}")
    return None


def read_lines(path: Path, problems: Problems) -> list[str] | None:
    """Return a text file's lines without the spaces around them; None as `read_text`."""
    text = read_text(path, problems)
    if text is None:
        return None
    lines = LINE_END.split(text)  # splitlines() would also break at separators within a caption
    return [line.strip() for line in (lines if lines[-1] else lines[:-1])]


def parse_object(content: str | bytes, subject: str) -> dict[str, Any]:
    """Parse a JSON object; ValueError as `read_json`, or for other JSON values."""
    value = read_json(content, subject)
    if not isinstance(value, dict):
        raise ValueError(f"{subject} holds a JSON {type(value).__name__}, but an object {{...}} is needed.")
    return value


def parse_objects(lines: Sequence[str], kind: str, problems: Problems) -> Iterator[tuple[int, dict[str, Any]]]:
    """Yield the JSON object of each line with its number, from 1; a line that has none is noted as of this kind."""
    for number, line in enumerate(lines, start=1):
        try:
            record = parse_object(line, f"line {number}")
        except ValueError as error:
            problems.add(kind, str(error))
        else:
            yield number, record


def is_text(value: object) -> TypeGuard[str]:
    """Return whether a value is a text that is not blank."""
    return isinstance(value, str) and bool(value.strip())

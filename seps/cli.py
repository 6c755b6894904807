"""What every program shares: input that cannot be used is told in one line."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def errors_in_one_line() -> Iterator[None]:
    """End the program with exit code 2 and one line on stderr where input cannot be used."""
    try:
        yield
    except (ValueError, OSError) as error:
        print(f"error: {one_line(str(error))}", file=sys.stderr)
        raise SystemExit(2) from error


def one_line(message: str) -> str:
    """A message that lists problems on lines of their own, `DataError`'s for one, in one line."""
    return " ".join(message.replace(":\n  ", ": ").replace("\n  ", "; ").split())

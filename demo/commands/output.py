"""What commands print, and the files that they read and write."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from typer import Option

from demo.drawing.formats import check_format
from seps.common.cli import check_output
from seps.common.numbers import written
from seps.common.text import printable

if TYPE_CHECKING:
    from demo.galleries.reading.photos import Photo
    from demo.service.captions import Reading

MODELS = "photos or scenes, a folder such as RUN/best, or a hub repo (owner/name)"
Model = Annotated[str, Option(help=MODELS)]
Dense = Annotated[str | None, Option(help="an optional dense caption")]


def notify(line: str) -> None:
    """Log one line to stderr."""
    print(printable(line), file=sys.stderr)


def read_with_note(file: Path) -> Photo:
    """Read a photograph, and print what should be known of it."""
    from demo.galleries.reading.photos import read_photo

    photo = read_photo(file)
    if photo.note:
        notify(photo.note)
    return photo


def report_note(reading: Reading) -> None:
    """Tell what the model may not read of a caption."""
    if reading.note:
        notify(reading.note)


def kind_of(output: Path) -> str:
    """Return the kind of file that its ending says."""
    return output.suffix.lstrip(".").lower()


def check_output_kind(output: Path | None, kinds: Sequence[str]) -> None:
    """Raise ValueError if a file cannot be written, or its ending is none of these; None is allowed."""
    if output is not None:
        check_output(output)
        check_format(kind_of(output), kinds)


def describe_written_file(file: Path) -> str:
    """Return a message about a written file, with its size."""
    return f"{file} is written: {written(file.stat().st_size / 1e6, '.1f')} MB."

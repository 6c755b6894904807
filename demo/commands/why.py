"""`python -m demo why PHOTO CAPTION --other OTHER_PHOTO`: why a photograph, or a caption, ranks before another."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from typer import Option

from demo.commands.output import (
    Dense,
    Model,
    check_output_kind,
    describe_written_file,
    kind_of,
    notify,
    read_with_note,
    report_note,
)
from demo.drawing.formats import CONTRASTS
from demo.galleries.reading.paths import check_photo_path
from demo.service.models.own_models import MODEL, fetch_model
from seps.common.numbers import written

if TYPE_CHECKING:
    from seps import Explanation


def why(
    photo: Path,
    caption: str,
    other: Annotated[Path | None, Option(help="another photograph, for the same caption")] = None,
    other_caption: Annotated[
        str | None, Option(metavar="CAPTION", help="another caption, for the same photograph")
    ] = None,
    dense: Dense = None,
    word: Annotated[
        int | None, Option(help="draw both maps of the word at this place of the list printed, from 1")
    ] = None,
    output: Annotated[
        Path | None, Option("-o", "--output", help=f"file; its ending says which: {', '.join(CONTRASTS)}, html")
    ] = None,
    model: Model = MODEL,
) -> None:
    """Explain why a photograph, or a caption, ranks before another."""
    fetch_model(model)
    if (other is None) == (other_caption is None):
        raise ValueError("Give --other, another photograph, or --other-caption, another caption: one of the two.")
    check_photo_path(photo)
    if other is not None:
        check_photo_path(other)
        if other.samefile(photo):
            raise ValueError("--other is the same photograph: name another one.")
    else:
        text, other_text = (" ".join((each or "").split()) for each in (caption, other_caption))
        if other_text in ("", text):
            problem = "is the same caption" if other_text else "is empty"
            raise ValueError(f"--other-caption {problem}: write another one for the photograph.")
        if (dense or "").strip():
            needed = "one caption of two photographs (--other), not with --other-caption"
            raise ValueError(f"--dense goes with {needed}: leave it.")
    check_output_kind(output, (*CONTRASTS, "html"))
    from demo.notebook.views import contrast_page
    from demo.record.contrast import Side, contrast, contrast_sentences
    from demo.service.captions import read_caption, read_pair
    from demo.service.models.start import open_model
    from demo.views.why.export import why_file

    service = open_model(model)
    photos = [read_with_note(photo).image, read_with_note(other or photo).image]
    readings = [read_caption(service.model, text) for text in (caption, other_caption or caption)]
    for reading in dict.fromkeys(readings):
        report_note(reading)
    dense = read_pair(service.model, caption, dense)[1]
    records = [
        service.explain_photo(photo, reading.text, dense) for photo, reading in zip(photos, readings, strict=True)
    ]
    titles = [photo.stem, (other or photo).stem]

    def side(title: str, caption: str, record: Explanation) -> Side:
        attribution, *others = service.split_all(record)  # of the sparse alignment, and of a dense caption's own
        return Side(title, caption, record, attribution, 0, 0, *others)

    left, right = (
        side(title, reading.text, record) for title, reading, record in zip(titles, readings, records, strict=True)
    )
    result = contrast(left, right)
    part = None
    if word is not None:
        if not 1 <= word <= len(result.words):
            raise ValueError(f"--word is {word}, but there are words 1 to {len(result.words)}.")
        part = result.words[word - 1]
    if output is not None:
        layer = "mask" if part is None else part.layer
        if kind_of(output) == "html":
            output.write_text(contrast_page(result, photos, service.name, layer), encoding="utf-8")
            notify(describe_written_file(output))
        else:
            file = why_file(result, (photos[0], photos[1]), service.name, kind_of(output), layer)
            output.write_bytes(file.content)
    print("\n".join(contrast_sentences(result)))
    for place, row in enumerate((*result.words, *result.rest), start=1):
        columns = "".join(f"{'-' if value is None else written(value, '.4f'):>9}" for value in (row.left, row.right))
        number = f"{place:4}" if row.number >= 0 else " " * 4
        print(f"{number}  {row.title:20}{columns}  {written(row.difference, '+.4f')}")

"""Files to take away: pictures, rankings as CSV, explanations as JSON. The same for the page, the API and the shell."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Sequence
from dataclasses import dataclass

from PIL import Image

from demo.explain.layers import Layer
from demo.explain.outline import Outline
from demo.explain.record import plain
from demo.figures.export import file_name, render
from demo.figures.formats import EXPLANATIONS, PICTURES, TYPES, check_format
from demo.figures.overlay import Heading, compare_picture, picture
from demo.figures.palette import DARK, LIGHT
from demo.galleries.index import IndexedGallery
from demo.service.retrieval import RetrievalService
from demo.service.threads import drawing
from seps import Explanation


@dataclass(frozen=True)
class Download:
    """A file: its name, its bytes and their media type."""

    name: str
    content: bytes
    media_type: str


@drawing
def explanation_file(
    photo: Image.Image,
    record: Explanation,
    heading: Heading,
    title: str,
    kind: str,
    layer: str = "mask",
    opacity: float = 0.75,
    lines: bool = True,
    dark: bool = False,
    objects: Sequence[Outline] = (),
) -> Download:
    """One photograph's explanation as a picture, or as JSON with every number.

    Args:
        photo: any size; record: its explanation.
        heading: what is written into the picture; title: of the photograph, for the file's name.
        kind: "png" (two pixels a CSS pixel), "svg", "pdf" or "json".
        layer, opacity in [0, 1], lines: how the picture is drawn, see `demo.explain.layers`; objects: outlined on top.

    Raises:
        ValueError: another kind, an unknown layer or one that the record has not, an opacity out of range.
    """
    check_format(kind, EXPLANATIONS)
    if not 0.0 <= opacity <= 1.0:
        raise ValueError(f"opacity is {opacity}, but it must be between 0 and 1.")
    name = file_name(heading.model, title, layer, kind)
    if kind == "json":
        told = {
            "model": heading.model,
            "photo": title,
            "caption": heading.caption,
            "dense_caption": heading.dense_caption,
            "explanation": plain(record),
        }
        return Download(name, json.dumps(told, ensure_ascii=False, indent=1).encode(), TYPES[kind])
    palette = DARK if dark else LIGHT
    figure = picture(photo, record, Layer.parse(layer), heading, palette, opacity, lines, objects)
    return Download(name, render(figure, kind), TYPES[kind])


@drawing
def comparison_file(
    photo: Image.Image,
    captions: Sequence[str],
    records: Sequence[Explanation],
    model: str,
    title: str,
    kind: str,
    layer: str = "mask",
    dark: bool = False,
    credit: str = "",
    objects: Sequence[Sequence[Outline]] = (),
) -> Download:
    """Several captions over one photograph, side by side on one colour scale; arguments as `explanation_file`,
    `objects` for each caption."""
    check_format(kind, PICTURES)
    palette = DARK if dark else LIGHT
    figure = compare_picture(
        photo, captions, records, Layer.parse(layer), model, palette, credit=credit, objects=objects
    )
    return Download(file_name(model, title, f"compare-{layer}", kind), render(figure, kind), TYPES[kind])


def ranking_file(columns: Sequence[str], rows: Sequence[Sequence[object]], model: str, title: str) -> Download:
    """A ranking as CSV, in UTF-8 with a byte order mark, so that spreadsheets read it.

    A text that a spreadsheet would run as a formula gets an apostrophe before it.
    """
    buffer = io.StringIO()
    writer = csv.writer(buffer)
    writer.writerow(columns)
    writer.writerows([harmless(value) for value in row] for row in rows)
    return Download(file_name(model, title, "ranking", "csv"), buffer.getvalue().encode("utf-8-sig"), TYPES["csv"])


def harmless(value: object) -> object:
    """The value, text marked as text where a spreadsheet would take it for a formula."""
    return f"'{value}" if isinstance(value, str) and value[:1] in "=+-@\t\r" and value else value


def images_csv(service: RetrievalService, indexed: IndexedGallery, caption: str, dense: str | None) -> Download:
    """The whole ranking of a gallery for a caption."""
    ranking = service.rank_images(indexed, caption, dense)
    items = indexed.gallery.items
    rows = [
        [rank, items[index].key, items[index].title, round(score, 6), ranking.reading.text]
        for rank, (index, score) in enumerate(zip(ranking.order, ranking.scores, strict=True), start=1)
    ]
    return ranking_file(("rank", "photo", "title", "score", "caption"), rows, service.name, indexed.gallery.name)


def captions_csv(
    service: RetrievalService, indexed: IndexedGallery, index: int, pool: str | None, typed: str
) -> Download:
    """The whole ranking of captions for a photograph."""
    ranking = service.rank_captions(indexed, index, pool, typed)
    truth = {True: "yes", False: "no", None: ""}
    rows = [
        [rank, caption, round(score, 6), truth[correct]]
        for rank, (caption, score, correct) in enumerate(
            zip(ranking.captions, ranking.scores, ranking.correct, strict=True), start=1
        )
    ]
    title = indexed.gallery.items[index].title
    return ranking_file(("rank", "caption", "score", "written for this photo"), rows, service.name, title)

"""`python -m demo lesson [PHOTO CAPTION] -o FILE`: the method's nine steps on one photograph, as a file."""

from __future__ import annotations

import argparse
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from demo.drawing.formats import check_format
from demo.galleries.paths import check_photo_path
from seps.cli import check_output
from seps.numbers import written

if TYPE_CHECKING:
    from demo.galleries.index import IndexedGallery
    from demo.service.retrieval import RetrievalService

KINDS = ("pdf", "zip", "gif", "html")


def add_lesson_command(commands: Any) -> Any:
    """Give the program the command; returns its parser."""
    command = commands.add_parser("lesson", help="walk through the method on a photograph, step by step, as a file")
    command.add_argument("photo", type=Path, nargs="?", help="a photograph, with a caption; without, a worked example")
    command.add_argument("caption", nargs="?")
    command.add_argument("--dense", help="an optional dense caption")
    command.add_argument("--credit", default="", help="author and licence of the photograph, for every page")
    command.add_argument(
        "-o",
        "--output",
        type=Path,
        required=True,
        help="file; its ending says which: pdf (a page a step), zip (of PNG files), gif or html (needs no server)",
    )
    return command


def check_lesson(options: argparse.Namespace) -> None:
    """Validate arguments without a model; ValueError if invalid."""
    if options.photo is not None:
        check_photo_path(options.photo)
    if options.photo is not None and not (options.caption or "").strip():
        raise ValueError("The lesson on a photograph needs a caption: write one after it.")
    if options.photo is None and (options.dense or options.credit):
        raise ValueError("--dense and --credit need your own photograph: give PHOTO and CAPTION.")
    check_output(options.output)
    check_format(options.output.suffix.lstrip(".").lower(), KINDS)


def make_lesson(options: argparse.Namespace, notify: Callable[[str], Any]) -> None:
    """Walk through the method, and write the file."""
    from tqdm import tqdm

    from demo.record.settings import evaluation_knobs
    from demo.service.captions import read_caption
    from demo.views.lesson.files import lesson_file
    from demo.views.lesson.walk import WalkRequest

    service, indexed, index, caption, dense = opened(options)
    if note := read_caption(service.model, caption).note:
        notify(note)
    kind = options.output.suffix.lstrip(".").lower()
    request = WalkRequest(service, indexed, index, caption, dense, evaluation_knobs(service.model))
    content = lesson_file(request, "png" if kind == "zip" else kind, progress=tqdm).content
    options.output.write_bytes(content)
    print(f"{options.output} is written: {written(len(content) / 1e6, '.1f')} MB.")


def opened(options: argparse.Namespace) -> tuple[RetrievalService, IndexedGallery, int, str, str | None]:
    """Return the service with its gallery, the photograph's position there, its caption and its dense caption or None.

    A user's photograph is ranked among the model's gallery.
    """
    from tqdm import tqdm

    from demo.galleries.cache import default_cache
    from demo.galleries.examples import examples_gallery
    from demo.galleries.folder import photo_gallery
    from demo.galleries.index import index_gallery
    from demo.galleries.openings import first_captions
    from demo.galleries.scenes import scenes_gallery
    from demo.service.retrieval import RetrievalService
    from demo.service.start import MODEL, SCENES_ENCODER, open_model

    bare = open_model(options.model or MODEL)
    gallery = scenes_gallery() if bare.model.config.text.encoder == SCENES_ENCODER else examples_gallery()
    if options.photo is not None:
        (item,) = photo_gallery(options.photo).items
        items = (replace(item, credit=options.credit), *gallery.items)
        gallery = replace(gallery, items=items, table=f"{gallery.name}-and-yours")
    indexed = index_gallery(bare.model, gallery, default_cache(), tqdm)
    service = RetrievalService(bare.model, bare.name, [indexed], unmatched_rule=bare.unmatched_rule, known=bare.known)
    if options.photo is not None:
        return service, indexed, 0, options.caption, options.dense
    caption = first_captions(indexed.gallery)[0]
    index = service.rank_images(indexed, caption).order[0]
    return service, indexed, index, caption, gallery.items[index].dense

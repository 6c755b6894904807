"""`python -m demo lesson [PHOTO CAPTION] -o FILE`: the method's nine steps on one photograph, as a file."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from typer import Argument, Option

from demo.commands.output import Dense, Model, check_output_kind, describe_written_file, kind_of, report_note
from demo.galleries.reading.paths import check_photo_path
from demo.service.models.own_models import MODEL, fetch_model

if TYPE_CHECKING:
    from demo.galleries.indexes.index import IndexedGallery
    from demo.service.retrieval import RetrievalService

KINDS = ("pdf", "zip", "gif", "html")
FILE = "file; its ending says which: pdf (a page a step), zip (of PNG files), gif or html (needs no server)"


def lesson(
    output: Annotated[Path, Option("-o", "--output", help=FILE)],
    photo: Annotated[Path | None, Argument(help="a photograph, with a caption; without, a worked example")] = None,
    caption: str = Argument(""),
    dense: Dense = None,
    credit: Annotated[str, Option(help="author and licence of the photograph, for every page")] = "",
    model: Model = MODEL,
) -> None:
    """Write the steps of the method on a photograph to a file."""
    fetch_model(model)
    if photo is not None:
        check_photo_path(photo)
        if not caption.strip():
            raise ValueError("The lesson on a photograph needs a caption: write one after it.")
    elif dense or credit:
        raise ValueError("--dense and --credit need your own photograph: give PHOTO and CAPTION.")
    check_output_kind(output, KINDS)
    from tqdm import tqdm

    from demo.galleries.gallery import first_captions
    from demo.record.settings import evaluation_knobs
    from demo.service.captions import read_caption
    from demo.views.lesson.files import lesson_file
    from demo.views.lesson.walk import WalkRequest

    if photo is None:
        service, indexed = open_gallery(model)
        caption = first_captions(indexed.gallery)[0]
        index = service.rank_images(indexed, caption).order[0]
        dense = indexed.gallery.items[index].dense
    else:
        (service, indexed), index = open_gallery(model, photo, credit), 0
    report_note(read_caption(service.model, caption))
    kind = kind_of(output)
    request = WalkRequest(service, indexed, index, caption, dense, evaluation_knobs(service.model))
    output.write_bytes(lesson_file(request, "png" if kind == "zip" else kind, progress=tqdm).content)
    print(describe_written_file(output))


def open_gallery(model: str, photo: Path | None = None, credit: str = "") -> tuple[RetrievalService, IndexedGallery]:
    """Return the model's service and its gallery, of which a user's photograph becomes the first."""
    from tqdm import tqdm

    from demo.galleries.indexes.index import index_gallery
    from demo.galleries.reading.paths import default_cache
    from demo.galleries.sources.folder import photo_gallery
    from demo.galleries.sources.named import examples_gallery
    from demo.galleries.sources.scenes import scenes_gallery
    from demo.service.models.start import SCENES_ENCODER, open_model
    from demo.service.retrieval import RetrievalService

    bare = open_model(model)
    gallery = scenes_gallery() if bare.model.config.text.encoder == SCENES_ENCODER else examples_gallery()
    if photo is not None:
        (item,) = photo_gallery(photo).items
        items = (replace(item, credit=credit), *gallery.items)
        gallery = replace(gallery, items=items, table=f"{gallery.name}-and-yours")
    indexed = index_gallery(bare.model, gallery, default_cache(), tqdm)
    return RetrievalService(bare.model, bare.name, [indexed]), indexed

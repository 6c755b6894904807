"""The lesson to take away: as a file of all steps, and as a page that needs no server."""

from __future__ import annotations

from typing import TYPE_CHECKING

from demo.drawing.formats import Download, file_name
from demo.drawing.palette import DARK, LIGHT
from demo.galleries.index import IndexedGallery
from demo.record.photo import credit_of
from demo.record.settings import Knobs, evaluation_knobs
from demo.record.table import say
from demo.screens.lesson.walk import keep_probability, told_steps, walk, walk_value
from demo.service.masks import read_mask
from demo.service.retrieval import RetrievalService
from seps.progress import Progress

if TYPE_CHECKING:
    from demo.screens.lesson.slide_parts import Lesson

KINDS = {  # the ending and the media type of each
    "pdf": ("pdf", "application/pdf"),
    "png": ("zip", "application/zip"),
    "gif": ("gif", "image/gif"),
    "html": ("html", "text/html"),
}


def lesson_file(
    service: RetrievalService,
    indexed: IndexedGallery,
    index: int,
    caption: str,
    dense: str | None,
    kind: str,
    knobs: Knobs | None = None,
    mask: str = "",
    dark: bool = False,
    progress: Progress = False,
) -> Download:
    """The whole lesson as PDF (a page a step), PNG (a zip, a file a step), GIF, or HTML (a page that needs no server).

    Args:
        indexed, index: the photograph; caption, dense: as typed, or no dense caption.
        kind: of KINDS; knobs: settings of the pass, those that the model is evaluated with where left out.
        mask: the decision by hand of the last step as links write it, or empty; dark: in the dark palette.
        progress: as in `seps.progress.with_progress`; what it raises ends the work.

    Raises:
        ValueError: another kind; as `walk_value`.
    """
    # Matplotlib is imported with the first picture.
    from demo.screens.lesson.export import lesson_gif, lesson_pdf, lesson_pngs

    if kind not in KINDS:
        raise ValueError(f"format is {kind!r}, but it must be one of {', '.join(KINDS)}.")
    knobs = knobs or evaluation_knobs(service.model)
    ending, media_type = KINDS[kind]
    name = file_name(service.name, indexed.gallery.items[index].title, "lesson", ending)
    if kind == "html":
        whole = lesson_page(service, indexed, index, caption, dense, knobs, mask)
        return Download(name, whole.encode(), media_type)
    lesson = made_lesson(service, indexed, index, caption, dense, knobs, mask)
    draw = {"pdf": lesson_pdf, "png": lesson_pngs, "gif": lesson_gif}[kind]
    content = draw(lesson, DARK if dark else LIGHT, progress)
    return Download(name, content, media_type)


def made_lesson(
    service: RetrievalService,
    indexed: IndexedGallery,
    index: int,
    caption: str,
    dense: str | None,
    knobs: Knobs,
    mask: str = "",
) -> Lesson:
    """What the slides are drawn from; arguments and errors as `lesson_file`."""
    from demo.screens.lesson.slide_parts import Lesson, LessonHeading, LessonStep

    item = indexed.gallery.items[index]
    decision = read_mask(mask, service.model.cross_net.num_patches)
    walked = walk(service, indexed, index, caption, dense, knobs, decision)
    return Lesson(
        photo=item.photo(),
        record=walked.record,
        heading=LessonHeading(walked.caption, service.name, walked.rank, walked.total, credit_of(item)),
        steps=[LessonStep.read(step) for step in told_steps(service, walked, walked.total)],
        before=walked.before if walked.changed else None,
        dense_words=tuple(walked.dense_words or ()),
        top_k=walked.knobs.top_k,
        keep_probability=keep_probability(walked).numpy() if walked.knobs.decision == "gumbel" else None,
        trial=walked.trial,
    )


def lesson_page(
    service: RetrievalService,
    indexed: IndexedGallery,
    index: int,
    caption: str,
    dense: str | None,
    knobs: Knobs,
    mask: str = "",
) -> str:
    """The lesson as a page that needs no server: its steps can be turned, and nothing is computed anew.

    Arguments and errors as `lesson_file`.
    """
    from demo.notebook.page import page  # Matplotlib is imported with the first file

    value = walk_value(service, indexed, index, caption, dense, knobs, mask=mask)
    *others, last = value["steps"]  # whose note tells how to decide by hand
    still = {"still": True, "formats": [], "idle": [], "steps": [*others, {**last, "note": ""}]}
    return page("lesson", value | still, say("file.lesson", caption=value["caption"]))

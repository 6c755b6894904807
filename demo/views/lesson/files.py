"""The lesson to take away: as a file of all steps, and as a page that needs no server."""

from __future__ import annotations

from typing import TYPE_CHECKING

from demo.drawing.formats import Download, check_format, file_name
from demo.drawing.palette import DARK, LIGHT
from demo.record.photo import get_credit
from demo.record.texts.table import say
from demo.views.lesson.walk import WalkRequest, keep_probability, told_steps, walk, walk_value
from seps.common.progress import Progress

if TYPE_CHECKING:
    from demo.views.lesson.slide_parts import Lesson

ENDINGS = {"pdf": "pdf", "png": "zip", "gif": "gif", "html": "html"}


def lesson_file(request: WalkRequest, kind: str, dark: bool = False, progress: Progress = False) -> Download:
    """Return all steps as PDF, a zip of PNGs, GIF or HTML; ValueError for other kinds, and as `walk_value`."""
    # Matplotlib is imported with the first picture.
    from demo.views.lesson.export import lesson_gif, lesson_pdf, lesson_pngs

    check_format(kind, (*ENDINGS,))
    title = request.indexed.gallery.items[request.index].title
    name = file_name(request.service.name, title, "lesson", ENDINGS[kind])
    if kind == "html":
        return Download(name, lesson_page(request).encode())
    draw = {"pdf": lesson_pdf, "png": lesson_pngs, "gif": lesson_gif}[kind]
    return Download(name, draw(made_lesson(request), DARK if dark else LIGHT, progress))


def made_lesson(request: WalkRequest) -> Lesson:
    """Return what the slides are drawn from; errors as `walk_value`."""
    from demo.views.lesson.slide_parts import Lesson

    service, item = request.service, request.indexed.gallery.items[request.index]
    walked = walk(request)
    return Lesson(
        photo=item.photo(),
        record=walked.record,
        caption=walked.caption,
        model=service.name,
        rank=walked.rank,
        total=walked.total,
        steps=told_steps(service, walked),
        trial=walked.trial,
        credit=get_credit(item),
        before=walked.before if walked.changed else None,
        dense_words=tuple(walked.dense_words or ()),
        top_k=walked.knobs.top_k,
        keep_probability=keep_probability(walked).numpy() if walked.knobs.decision == "gumbel" else None,
    )


def lesson_page(request: WalkRequest) -> str:
    """Return the lesson as a page that needs no server: its steps can be turned, but nothing is computed."""
    from demo.notebook.page import page  # Matplotlib is imported with the first file

    value = walk_value(request)
    *others, last = value["steps"]  # whose note tells how to decide by hand
    still = {"still": True, "idle": [], "steps": [*others, {**last, "note": ""}]}
    return page("lesson", value | still, say("file.lesson", caption=value["caption"]))

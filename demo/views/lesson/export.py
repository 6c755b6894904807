"""The lesson as files: nine slides as PDF and PNG, and a moving GIF of one run through the method."""

from collections.abc import Mapping
from io import BytesIO
from itertools import product
from typing import Any
from zipfile import ZIP_STORED, ZipFile, ZipInfo

import numpy as np
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.backends.backend_pdf import PdfPages
from matplotlib.figure import Figure
from matplotlib.font_manager import FontProperties
from matplotlib.patches import Rectangle
from matplotlib.textpath import text_to_path
from PIL import Image

from demo.drawing.formats import file_name
from demo.drawing.letters import fit_letters
from demo.drawing.page import MARGIN, POINT, Page, hush_missing_glyphs, wrapped
from demo.drawing.palette import LIGHT, Palette
from demo.drawing.render import METADATA, render
from demo.record.texts.table import mathtext, say
from demo.service.threads import drawing
from demo.views.lesson.equations import facts_of, file_equation, file_numbers, legend
from demo.views.lesson.slide_parts import HEIGHT, INNER, SMALL, WIDTH, Box, Lesson, canvas, label
from demo.views.lesson.slides import STEP_PICTURES
from demo.views.lesson.steps import IDS, STEPS
from seps.common.progress import Progress, with_progress

TITLE, SENTENCES, EQUATION, SYMBOLS, TENSORS = 24, (14.0, 13.0, 12.0, 11.0, 10.0), 18.0, 9.5, 11.0
BAND = (MARGIN, 427, INNER, 78)  # the equations and the tensors' shapes
SYMBOLS_TOP, TENSORS_TOP = 38, 56  # lines of the band
STAGES = (0.25, 0.5, 0.75, 1.0)  # of a step's picture, a frame each
PASSING, RESTING = 350, 3500  # milliseconds that a frame stays
GIF_WIDTHS = (960, 800, 640, 480, 320)
GIF_BYTES = 3 * 10**6
COLOURS = 256
CAPTION_TOP, CREDIT_TOP, CREDIT = 507, 522, 8  # the foot: places of its two lines, and the letters of the second


def facts(lesson: Lesson) -> set[str]:
    """Return what holds for the lesson's equations, see `facts_of`."""
    return facts_of(lesson.record, bool(lesson.dense_words), lesson.keep_probability is not None)


def step_figure(lesson: Lesson, step: int, palette: Palette = LIGHT, progress: float = 1.0) -> Figure:
    """Draw one step, 1 to 9, as a slide of 16 to 9; `progress`, in (0, 1]: how much of the picture is there. Not for
    several threads at once, see `demo.service.threads.drawing`."""
    page, text = Page(WIDTH, HEIGHT, palette), lesson.steps[step - 1]
    progress_bar, gap = canvas(page, (MARGIN, 20, INNER, 5)), 6
    width = (INNER + gap) / STEPS - gap
    for i in range(STEPS):
        colour = palette.accent if i < step else palette.line
        progress_bar.add_patch(Rectangle((i * (width + gap), 0), width, 5, facecolor=colour, linewidth=0))
    page.text(MARGIN, 32, [str(step)], TITLE, fontweight="bold", color=palette.accent)
    page.text(MARGIN + 34, 32, wrapped(text["title"], INNER - 34, TITLE, bold=True, most=1), TITLE, fontweight="bold")
    _draw_sentence(page, text["sentence"])
    STEP_PICTURES[step - 1](page, lesson, progress)
    _draw_band(page, IDS[step - 1], facts(lesson), text)
    quiet = palette.quiet
    caption = wrapped(say("file.caption", caption=lesson.caption), INNER - 270, SMALL, most=1)
    model = wrapped(say("file.seps_model", model=lesson.model), 250, SMALL, most=1)
    page.text(MARGIN, CAPTION_TOP, caption, SMALL, color=quiet)
    page.text(WIDTH - MARGIN, CAPTION_TOP, model, SMALL, ha="right", color=quiet)
    if lesson.credit:
        credit = wrapped(say("file.photograph", credit=lesson.credit), INNER, CREDIT, most=1)
        page.text(MARGIN, CREDIT_TOP, credit, CREDIT, color=quiet)
    return page.figure


def _draw_sentence(page: Page, sentence: str) -> None:
    """Draw two lines of about one length, in letters as large as fit; what fits in none ends with an ellipsis."""
    for size, width in product(SENTENCES, (0.7, 0.8, 0.9, 1.0)):
        lines = wrapped(sentence, width * INNER, size, most=3)
        if len(lines) < 3:
            break
    else:
        lines = wrapped(sentence, INNER, size, most=2)
    page.text(MARGIN, 82, lines, size, symbols=True)


def _draw_band(page: Page, name: str, holds: set[str], step: Mapping[str, Any]) -> None:
    """Draw the equation with its number in the paper, over what its symbols stand for and the tensors' shapes."""
    shown = {latex for latex, _ in legend(name, holds, file=True)}
    listed = [f"${row['latex']}$  {row['says']}" for row in step["legend"] if row["latex"] in shown]
    left, top, width, height = BAND
    axes = canvas(page, BAND)
    axes.add_patch(Rectangle((0, 0), width, height, facecolor=page.palette.ground, linewidth=0))
    axes.add_patch(Rectangle((0, 0), 4, height, facecolor=page.palette.accent, linewidth=0))
    room = (SYMBOLS_TOP if listed else TENSORS_TOP) - 4
    _draw_equation(page, f"${file_equation(name, holds)}$", (left + 18, top + 2, width - 130, room))
    number = file_numbers(name, holds)
    page.text(left + width - 14, top + 10, [number], TENSORS, ha="right", color=page.palette.quiet)
    if listed:
        symbols = "      ".join(listed)
        label(page, left + 18, top + SYMBOLS_TOP, symbols, SYMBOLS, width - 32, color=page.palette.quiet)
    shapes = [
        f"{mathtext(tensor['name'])}: "
        + (" \N{MULTIPLICATION SIGN} ".join(map(str, tensor["shape"])) or say("file.one_number"))
        for tensor in step["tensors"]
    ]
    if shapes:
        letters = {"color": page.palette.quiet, "math_fontfamily": "dejavusans"}
        label(page, left + 18, top + TENSORS_TOP, "      ".join(shapes), TENSORS, width - 32, **letters)


def _draw_equation(page: Page, equation: str, box: Box) -> None:
    """Draw an equation at the left of a box, halfway down, in letters as small as the box needs."""
    left, top, width, height = box
    letters = FontProperties(size=EQUATION, math_fontfamily="stix")
    measured = text_to_path.get_text_width_height_descent(equation, letters, ismath=True)
    wide, tall, depth = (POINT * length for length in measured)
    scale = min(1.0, width / wide, height / tall)
    baseline = top + (height + scale * tall) / 2 - scale * depth
    style: dict[str, Any] = {"color": page.palette.ink, "math_fontfamily": "stix", "va": "baseline"}
    page.figure.text(left / WIDTH, 1 - baseline / HEIGHT, equation, fontsize=scale * EQUATION, **style)


def lesson_pdf(lesson: Lesson, palette: Palette = LIGHT, progress: Progress = False) -> bytes:
    """Return the steps as a PDF, one page each; the same bytes for the same lesson."""
    hush_missing_glyphs()
    buffer = BytesIO()
    with PdfPages(buffer, metadata=METADATA["pdf"]) as pages:
        for step in with_progress(range(1, STEPS + 1), say("file.drawing_steps"), progress):
            _add_page(pages, lesson, step, palette)
    return buffer.getvalue()


def lesson_pngs(lesson: Lesson, palette: Palette = LIGHT, progress: Progress = False) -> bytes:
    """Return the steps as a zip of PNG files of 1920 by 1080 pixels; the same bytes for the same lesson."""
    buffer = BytesIO()
    with ZipFile(buffer, "w", ZIP_STORED) as archive:
        for step in with_progress(range(1, STEPS + 1), say("file.drawing_steps"), progress):
            name = file_name(lesson.model, "lesson", str(step), "png")
            archive.writestr(ZipInfo(name), _picture(lesson, step, palette))
    return buffer.getvalue()


def lesson_gif(lesson: Lesson, palette: Palette = LIGHT, progress: Progress = False) -> bytes:
    """Return one run through the method as an endless GIF of at most 3 MB: each step's picture builds up and rests."""
    stages = list(product(range(1, STEPS + 1), STAGES))
    listed = with_progress(stages, say("file.drawing_frames"), progress)
    frames = [_frame(lesson, step, palette, stage) for step, stage in listed]
    durations = [RESTING if stage == 1 else PASSING for _, stage in stages]
    content = b""
    for width in GIF_WIDTHS:
        size = width, width * 9 // 16
        content = _gif([frame.resize(size, Image.Resampling.LANCZOS) for frame in frames], durations)
        if len(content) <= GIF_BYTES:
            break
    return content


# Each step by itself takes its turn among all that is drawn: others' pictures do not wait for the whole file.
@drawing
def _add_page(pages: PdfPages, lesson: Lesson, step: int, palette: Palette) -> None:
    figure = step_figure(lesson, step, palette)
    fit_letters(figure, "pdf")
    pages.savefig(figure, dpi=figure.dpi)


@drawing
def _picture(lesson: Lesson, step: int, palette: Palette) -> bytes:
    return render(step_figure(lesson, step, palette), "png")


@drawing
def _frame(lesson: Lesson, step: int, palette: Palette, stage: float) -> Image.Image:
    """Draw a slide with one pixel to a CSS pixel."""
    hush_missing_glyphs()
    figure = step_figure(lesson, step, palette, stage)
    fit_letters(figure, "gif")
    canvas_of = FigureCanvasAgg(figure)
    canvas_of.draw()
    return Image.fromarray(np.asarray(canvas_of.buffer_rgba())).convert("RGB").reduce(2)


def _gif(frames: list[Image.Image], durations: list[int]) -> bytes:
    """Encode frames with one table of colours, so that what stays the same is written once."""
    width, height = frames[0].size
    finished = [frame for frame, duration in zip(frames, durations, strict=True) if duration == RESTING]
    sheet = Image.new("RGB", (width, height * len(finished)))
    for i, frame in enumerate(finished):
        sheet.paste(frame, (0, i * height))
    table = sheet.quantize(COLOURS, Image.Quantize.MEDIANCUT)
    first, *rest = [frame.quantize(palette=table, dither=Image.Dither.NONE) for frame in frames]
    buffer = BytesIO()
    first.save(buffer, "GIF", save_all=True, append_images=rest, duration=durations, loop=0, optimize=False)
    return buffer.getvalue()

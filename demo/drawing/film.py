"""Export of a caption's mask in a video, as a GIF, a film, a curve, a table or JSON."""

import tempfile
from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache
from io import BytesIO
from pathlib import Path
from typing import Any

import cv2
import numpy as np
from matplotlib.figure import Figure
from matplotlib.font_manager import FontProperties, findfont
from numpy.typing import NDArray
from PIL import Image, ImageDraw, ImageFont

from demo.drawing import formats
from demo.drawing.formats import PICTURES, VIDEOS, Download, check_format, file_name, json_file
from demo.drawing.layered import Shades, composed, veil
from demo.drawing.letters import find_missing_letters, report_missing, split_font_runs
from demo.drawing.page import clean
from demo.drawing.palette import CURVES, LIGHT, OPACITY
from demo.drawing.rankings import ranking_file
from demo.drawing.render import render
from demo.galleries.sources.video import clock
from demo.service.timeline import Timeline
from seps.common.numbers import rounded, written

WIDTH = 480  # pixels of a film's frames
LETTERS = 15  # pixels
FILM_FONT = FontProperties(family="DejaVu Sans")


def video_file(
    images: Iterable[Image.Image], grid: tuple[int, int], lines: Sequence[Timeline], model: str, title: str, kind: str
) -> Download:
    """Export captions of a video as one of VIDEOS; GIF and films show the first one's mask. `images` are the F frames,
    `grid` (H, W) patches. ValueError for another kind, and for "mp4" if this OpenCV does not write H.264, with a hint
    to webm."""
    check_format(kind, VIDEOS)
    if kind == "csv":
        return timeline_csv(lines, model, title)
    name, first = file_name(model, title, "timeline", kind), lines[0]
    if kind == "json":
        return json_file(name, _record(lines, model, title))
    if kind in PICTURES:
        return Download(name, render(_curve(lines, title), kind))
    drawn = (_burnt(image, grid, first, i) for i, image in enumerate(images))
    return Download(name, _gif(drawn, first.seconds) if kind == "gif" else _film(drawn, first.seconds, kind))


def timeline_csv(lines: Sequence[Timeline], model: str, title: str) -> Download:
    """Write S(I, T) over time, a column per caption."""
    captions = [line.reading.text for line in lines]
    rows = [
        [rounded(float(seconds), 3), *(rounded(float(line.scores[i]), 6) for line in lines)]
        for i, seconds in enumerate(lines[0].seconds)
    ]
    return ranking_file(["seconds", *captions], rows, model, f"{title} timeline")


def _record(lines: Sequence[Timeline], model: str, title: str) -> dict[str, Any]:
    def plain(values: NDArray[np.float64], digits: int = 6) -> list[float]:
        return [rounded(float(value), digits) for value in values]

    return {
        "model": model,
        "video": title,
        "seconds": plain(lines[0].seconds, 3),
        "frame_cosine": plain(lines[0].frame_cosine),
        "captions": [
            {
                "caption": line.reading.text,
                "score": plain(line.scores),
                "moments": list(line.moments),
                "kept": [np.flatnonzero(mask).tolist() for mask in line.masks],
                "mask_iou": plain(line.mask_iou),
            }
            for line in lines
        ],
    }


def _curve(lines: Sequence[Timeline], title: str) -> Figure:
    """Plot S(I, T) over time, a curve per caption, with its moments marked."""
    figure = Figure(figsize=(7.5, 3.2), facecolor=LIGHT.paper, layout="constrained")
    axes = figure.add_subplot()
    for number, (line, colour) in enumerate(zip(lines, CURVES, strict=False)):
        below = number % 2  # labels of neighbouring curves keep apart
        axes.plot(line.seconds, line.scores, color=colour, linewidth=1.4, label=clean(line.reading.text))
        best = list(line.moments)
        axes.plot(line.seconds[best], line.scores[best], "o", color=colour, markersize=5)
        for moment in best:
            axes.annotate(
                clock(float(line.seconds[moment])),
                (line.seconds[moment], line.scores[moment]),
                xytext=(0, -6 if below else 6),
                textcoords="offset points",
                ha="center",
                va="top" if below else "bottom",
                color=colour,
                fontsize=7,
            )
    axes.margins(y=0.15)
    axes.set(xlabel="seconds", ylabel="S(I, T)", title=clean(title))
    axes.spines[["top", "right"]].set_visible(False)
    axes.legend(frameon=False, fontsize=8)
    return figure


def durations(seconds: NDArray[np.float64]) -> list[float]:
    """Return the duration of each frame in seconds, until the next; the last is as long as the one before."""
    if len(seconds) == 1:
        return [1.0]
    steps = np.diff(seconds)
    return [float(step) for step in (*steps, steps[-1])]


def _burnt(image: Image.Image, grid: tuple[int, int], line: Timeline, index: int) -> NDArray[np.uint8]:
    """Draw a frame with its mask, and time, S(I, T) and caption below: (height, WIDTH, 3), both even."""
    mask = line.masks[index].reshape(grid)
    height = max(2, 2 * round(image.height * WIDTH / image.width / 2))
    colours = np.broadcast_to(veil(), (*grid, 3))
    below = composed(image, Shades(colours, np.where(mask, 0.0, OPACITY), ~mask), WIDTH, height)
    heading = f"{clock(float(line.seconds[index]))}   S(I, T) {written(float(line.scores[index]), '.4f')}"
    if index == 0:
        report_missing(find_missing_letters(clean(line.reading.text), FILM_FONT))
    texts = [heading, *broken(clean(line.reading.text), _load_font(str(findfont(FILM_FONT))), WIDTH - 16)]
    foot = 2 * round((len(texts) * (LETTERS + 5) + 10) / 2)
    canvas = Image.new("RGB", (WIDTH, height + foot), "white")
    canvas.paste(Image.fromarray(below), (0, 0))
    draw = ImageDraw.Draw(canvas)
    for row, text in enumerate(texts):
        left = 8.0
        for piece, font in _split_by_font(text):
            draw.text((left, height + 5 + row * (LETTERS + 5)), piece, font=font, fill="black", anchor="la")
            left += font.getlength(piece)
    return np.asarray(canvas)


def _split_by_font(text: str) -> list[tuple[str, ImageFont.FreeTypeFont]]:
    return [(piece, _load_font(file)) for piece, file in split_font_runs(text, FILM_FONT)]


@lru_cache(maxsize=16)
def _load_font(file: str) -> ImageFont.FreeTypeFont:
    return ImageFont.truetype(file, LETTERS)


def broken(text: str, font: ImageFont.FreeTypeFont, width: float, most: int = 3) -> list[str]:
    """Wrap a text to at most `most` lines of this width in pixels, ending with an ellipsis if cut."""
    lines = [""]
    for word in text.split():
        longer = f"{lines[-1]} {word}".strip()
        runs = [(longer, font)] if longer.isascii() else _split_by_font(longer)
        if not lines[-1] or sum(run_font.getlength(run) for run, run_font in runs) <= width:
            lines[-1] = longer
        else:
            lines.append(word)
    return lines if len(lines) <= most else [*lines[: most - 1], f"{lines[most - 1]} ..."]


def _gif(frames: Iterator[NDArray[np.uint8]], seconds: NDArray[np.float64]) -> bytes:
    first, *others = (Image.fromarray(frame).quantize(128) for frame in frames)
    buffer = BytesIO()
    times = [max(20, round(1000 * second)) for second in durations(seconds)]
    first.save(buffer, "GIF", save_all=True, append_images=others, duration=times, loop=0)
    return buffer.getvalue()


def _film(frames: Iterator[NDArray[np.uint8]], seconds: NDArray[np.float64], kind: str) -> bytes:
    """Encode frames as a film at `FILM_RATE`, repeated for their durations; ValueError if OpenCV lacks the codec."""
    with tempfile.TemporaryDirectory() as folder:
        file, writer = Path(folder, f"film.{kind}"), None
        shown, end = 0, 0.0
        try:
            for frame, second in zip(frames, durations(seconds), strict=True):
                if writer is None:
                    writer = formats.film_writer(file, kind, (frame.shape[1], frame.shape[0]))
                end += second
                while shown < max(1, round(end * formats.FILM_RATE)):
                    writer.write(cv2.cvtColor(frame, cv2.COLOR_RGB2BGR))
                    shown += 1
        finally:
            if writer is not None:
                writer.release()
        return file.read_bytes()

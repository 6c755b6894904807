"""Letters that a figure's font lacks: drawn with another installed font, or named."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from io import BytesIO
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from fontTools.fontBuilder import FontBuilder
from fontTools.pens.ttGlyphPen import TTGlyphPen
from matplotlib.figure import Figure
from PIL import Image

from demo.drawing import letters
from demo.drawing.letters import MissingLettersError, forget_fonts
from demo.drawing.page import text_width, wrapped
from demo.drawing.render import render
from demo.views.lesson.export import lesson_gif, lesson_pdf, lesson_pngs
from demo.views.lesson.slide_parts import Lesson
from tests.demo.drawing.test_film import line, written
from tests.demo.views.lesson.test_export import lesson_of

CREDIT = "照片王小明, CC BY 4.0"
NAMES = re.escape("照 片 王 小 明 (on Debian and Ubuntu, apt-get install fonts-noto-cjk adds one)")


@pytest.fixture(autouse=True)
def no_other_fonts(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Only fonts that come with Matplotlib, wherever the tests run."""
    kept = [entry for entry in letters.fontManager.ttflist if "mpl-data" in entry.fname]
    before = letters.fontManager.ttflist
    letters.fontManager.ttflist = kept
    monkeypatch.setattr(letters, "findSystemFonts", list)
    forget_fonts()
    yield
    letters.fontManager.ttflist = before
    forget_fonts(["Square"])


def install(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Install a font in which each letter of the credit is a filled square."""
    pen = TTGlyphPen(None)
    pen.moveTo((0, 0))
    for corner in ((0, 800), (800, 800), (800, 0)):
        pen.lineTo(corner)
    pen.closePath()
    wide = [c for c in dict.fromkeys(CREDIT) if not c.isascii()]
    names = [".notdef", *(f"letter{i}" for i in range(len(wide)))]
    font = FontBuilder(1000)
    font.setupGlyphOrder(names)
    font.setupCharacterMap({ord(c): name for c, name in zip(wide, names[1:], strict=True)})
    square = pen.glyph()
    font.setupGlyf(dict.fromkeys(names, square))
    font.setupHorizontalMetrics(dict.fromkeys(names, (1000, 0)))
    font.setupHorizontalHeader(ascent=800, descent=-200)
    font.setupNameTable({"familyName": "Square", "styleName": "Regular"})
    font.setupOS2()
    font.setupPost()
    file = folder / "square.ttf"
    font.save(file)
    monkeypatch.setattr(letters, "findSystemFonts", lambda: [str(file)])
    forget_fonts()


def figure_of(text: str, **style: Any) -> Figure:
    figure = Figure(figsize=(4, 1))
    figure.text(0.02, 0.4, text, fontsize=20, **style)
    return figure


@pytest.mark.parametrize("kind", ["png", "pdf"])
def test_letters_that_no_font_has_are_named(kind: str, caplog: pytest.LogCaptureFixture) -> None:
    with pytest.raises(MissingLettersError, match=NAMES):
        render(figure_of(CREDIT), kind, strict=True)
    assert not caplog.messages
    render(figure_of(CREDIT), kind)
    assert re.search(NAMES, caplog.text) and "drawn as boxes" in caplog.text


def test_letters_of_an_svg_stay_text() -> None:
    assert "照片" in render(figure_of(CREDIT), "svg").decode()


@pytest.mark.parametrize("style", [{}, {"fontfamily": "serif"}, {"fontweight": "bold"}, {"fontstyle": "italic"}])
def test_another_installed_font_draws_them(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, style: dict[str, str]
) -> None:
    install(tmp_path, monkeypatch)
    with Image.open(BytesIO(render(figure_of("照", **style), "png"))) as image:
        dark = np.asarray(image.convert("L")) < 128
    rows, columns = dark.any(axis=1), dark.any(axis=0)
    assert dark.sum() == rows.sum() * columns.sum() > 100  # a filled square, no empty box
    assert render(figure_of("照", **style), "pdf").startswith(b"%PDF")


def test_words_are_measured_with_the_font_that_draws_them(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    install(tmp_path, monkeypatch)
    assert text_width("照" * 10, 12) == pytest.approx(10 * 16, rel=0.02)  # 12 points are 16 CSS pixels
    assert [len(line) for line in wrapped("照" * 10, 82, 12)] == [5, 5]


def test_what_draws_nothing_is_left_out() -> None:
    assert render(figure_of("a heart \u2764\ufe0f and a joiner \u200d"), "png", strict=True).startswith(b"\x89PNG")


@pytest.mark.parametrize(("text", "package"), [("\U0001fae0", "fonts-symbola"), ("ᚠ𐎀", "fonts-noto-core")])
def test_the_message_names_a_package_that_has_them(text: str, package: str) -> None:
    with pytest.raises(MissingLettersError, match=package):
        render(figure_of(text), "png", strict=True)


def test_a_film_draws_its_caption_with_other_fonts_too(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    for kind in ("gif", "webm", "png"):
        caplog.clear()
        written(kind, line("a dog 照"))
        assert len(caplog.messages) == 1 and "照" in caplog.text
    install(tmp_path, monkeypatch)
    with Image.open(BytesIO(written("gif", line("照照照照")).content)) as image:
        foot = np.asarray(image.convert("L"))[-25:]
    assert (foot < 128).sum() > 4 * 100  # of 12 x 12 pixels each


@pytest.mark.parametrize("export", [lesson_pdf, lesson_pngs, lesson_gif])
def test_a_lesson_names_letters_that_no_font_has(
    export: Callable[[Lesson], bytes], caplog: pytest.LogCaptureFixture
) -> None:
    export(lesson_of(caption="a dog 照"))
    assert "照" in caplog.text

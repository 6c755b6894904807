import re
from collections.abc import Iterator
from io import BytesIO
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from matplotlib.figure import Figure
from PIL import Image

from demo.drawing import letters
from demo.drawing.letters import MissingLettersError
from demo.drawing.page import text_width, wrapped
from demo.drawing.render import render
from demo.views.lesson import export
from demo.views.lesson.export import lesson_pdf
from tests.demo.drawing.test_film import line, written
from tests.demo.views.lesson.test_export import lesson_of

CREDIT = "照片王小明, CC BY 4.0"
NAMES = re.escape("照 片 王 小 明 (on Debian and Ubuntu, apt-get install fonts-noto-cjk adds one)")
CIRCLED = "\u24b6"  # a letter of STIX, which DejaVu lacks


@pytest.fixture(autouse=True)
def own_fonts(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Only the fonts that come with Matplotlib, wherever the tests run, and a damaged file."""
    own = [entry for entry in letters.fontManager.ttflist if "mpl-data" in entry.fname]
    monkeypatch.setattr(letters.fontManager, "ttflist", own)
    (tmp_path / "damaged.ttf").write_bytes(b"no font")
    monkeypatch.setattr(letters, "findSystemFonts", lambda: [str(tmp_path / "damaged.ttf")])
    forget_fonts()
    yield
    forget_fonts()


def forget_fonts() -> None:
    letters._installed.cache_clear()
    letters.fallback_of.cache_clear()


def figure_of(text: str, **style: Any) -> Figure:
    figure = Figure(figsize=(4, 1))
    figure.text(0.02, 0.4, text, fontsize=20, **style)
    return figure


def test_letters_that_no_font_has_are_named(caplog: pytest.LogCaptureFixture) -> None:
    with pytest.raises(MissingLettersError, match=NAMES):
        render(figure_of(CREDIT), "png", strict=True)
    assert not caplog.messages
    render(figure_of(CREDIT), "png")
    assert re.search(NAMES, caplog.text) and "drawn as boxes" in caplog.text


def test_another_installed_font_draws_and_measures_them(caplog: pytest.LogCaptureFixture) -> None:
    def drawn(text: str, **style: str) -> Any:
        with Image.open(BytesIO(render(figure_of(text, **style), "png", strict=True))) as image:
            return np.asarray(image.convert("L"))

    assert np.array_equal(drawn(CIRCLED), drawn(CIRCLED, fontfamily="STIXGeneral"))
    assert not np.array_equal(drawn(CIRCLED), drawn("A"))
    assert render(figure_of(CIRCLED), "pdf", strict=True).startswith(b"%PDF")
    assert text_width(CIRCLED * 10, 12) == pytest.approx(10 * text_width(CIRCLED, 12), rel=0.02)
    assert [len(row) for row in wrapped(CIRCLED * 10, 5.5 * text_width(CIRCLED, 12), 12)] == [5, 5]
    written("gif", line(f"a dog {CIRCLED}"))
    assert not caplog.messages


def test_what_draws_nothing_is_left_out() -> None:
    assert render(figure_of("a heart \u2764\ufe0f and a joiner \u200d"), "png", strict=True).startswith(b"\x89PNG")


def test_films_and_lessons_name_letters_that_no_font_has(
    caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(export, "STEPS", 1)
    monkeypatch.setattr(export, "step_figure", lambda *_: figure_of("a dog 照"))
    written("gif", line("a dog 照"))
    assert len(caplog.messages) == 1 and "照" in caplog.text
    caplog.clear()
    lesson_pdf(lesson_of())
    assert "照" in caplog.text

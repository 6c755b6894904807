import re
from collections.abc import Callable, Iterator
from dataclasses import replace
from io import BytesIO
from itertools import combinations, pairwise
from typing import Any

import numpy as np
import pytest
import torch
from matplotlib.colors import to_hex
from matplotlib.figure import Figure
from matplotlib.text import Text
from matplotlib.transforms import BboxBase
from PIL import Image, ImageSequence

from demo.assistant.requests import Cancelled
from demo.drawing.palette import DARK, LIGHT
from demo.record.counterfactual import Trial
from demo.record.settings import evaluation_knobs
from demo.service.experiments.counterfactual import Decided
from demo.service.retrieval import RetrievalService
from demo.views.lesson import export
from demo.views.lesson.equations import file_equation
from demo.views.lesson.export import (
    GIF_BYTES,
    RESTING,
    STAGES,
    Lesson,
    facts,
    lesson_gif,
    lesson_pdf,
    lesson_pngs,
    step_figure,
)
from demo.views.lesson.files import lesson_file, made_lesson
from demo.views.lesson.steps import IDS
from demo.views.lesson.walk import WalkRequest
from seps import CrossSparseAggrNet, Explanation, explain
from tests.demo.drawing.test_render import pages
from tests.helpers.models.records import random_record

COUNT, TIMES = 9, "\N{MULTIPLICATION SIGN}"
TENSORS = [{"name": "D_s", "shape": [28]}, {"name": "V", "shape": [28, 16]}]
STEPS = [
    {"title": f"Title {i}", "sentence": f"What happens in step {i}.", "tensors": TENSORS, "legend": []}
    for i in range(1, COUNT + 1)
]
SETTINGS: list[dict[str, Any]] = [{}, {"variant": "released"}, {"decision": "gumbel", "seed": 3}]
PHOTO = Image.radial_gradient("L").resize((140, 80))


def lesson_of(record: Explanation | None = None, caption: str = "a dog on grass", rank: int | None = 3) -> Lesson:
    record = record or random_record(dense=True)
    trial = Trial(Decided(record) if rank is None else Decided(record, rank, 22))
    return Lesson(PHOTO, record, caption, "photos", rank, 22, STEPS, trial, dense_words=["a", "long", "one"])


def request_of(service: RetrievalService, **settings: Any) -> WalkRequest:
    indexed, knobs = service.find("examples"), replace(evaluation_knobs(service.model), **settings)
    item = indexed.gallery.items[2]
    return WalkRequest(service, indexed, 2, item.captions[0], item.dense, knobs)


def equations(lesson: Lesson) -> list[str]:
    return [file_equation(name, facts(lesson)) for name in IDS]


def letters(figure: Figure) -> str:
    """Everything that is written on a slide, a line each."""
    return "\n".join(
        text.get_text() for text in [*figure.texts, *(text for axes in figure.axes for text in axes.texts)]
    )


def text_boxes(figure: Figure) -> list[tuple[str, BboxBase]]:
    """Every text that is seen with its extents in pixels, those at the ticks of axes among them."""
    figure.draw_without_rendering()
    texts = [text for text in figure.findobj(Text) if isinstance(text, Text) and text.get_visible()]
    return [(text.get_text(), text.get_window_extent()) for text in texts if text.get_text().strip()]


def misplaced(figure: Figure) -> list[tuple[str, ...]]:
    """Pairs of texts that lie across each other, and texts that reach over the slide's edges."""
    (width, height), boxes = figure.bbox.size, text_boxes(figure)
    inner = [(text, box.padded(-1.0)) for text, box in boxes]
    pairs = [(text, other) for (text, box), (other, beside) in combinations(inner, 2) if box.overlaps(beside)]
    over = [(text,) for text, box in boxes if min(box.p0) < 0 or box.x1 > width or box.y1 > height]
    return [*pairs, *over]


@pytest.mark.parametrize("step", range(1, COUNT + 1))
def test_slide_has_its_texts_shapes_and_numbers(step: int) -> None:
    lesson, palette = lesson_of(), (LIGHT, DARK)[step % 2]
    figure, record = step_figure(lesson, step, palette), lesson.record
    written = letters(figure)
    texts: dict[int, list[str]] = {
        1: [f"4 {TIMES} 7 = 28 patches", "$v_{28}$"],
        2: ["Sparse caption: 6 word tokens", "Dense caption: 3 word tokens, 0.5 times as many", "dog", "##s", "long"],
        3: [rf"{weight:g} $\times" for weight in record.sparse.coefficients.values()],
        4: ["14 of 28 patches kept", "cut after 14: score "],
        5: ["14 of 28 patches kept", "All 5 aggregated tokens"],
        6: ["5 aggregated tokens", "6 tokens in all"],
        7: [f"6 tokens {TIMES} 6 words", "5 highest maxima", f"{record.sparse_alignment.matrix.max():.3g}"],
        8: [f"{record.similarity:.4f}", "rank 3", "of 22 photos"] + [f"{term:+.4f}" for term in record.terms.values()],
        9: ["14 of 28 patches kept", "rank of 22", f"{record.similarity:.2f}"]
        + [f"{term:+.2f}" for term in record.terms.values()],
    }
    common = [
        str(step),
        f"Title {step}",
        f"What happens in step {step}.",
        "Caption: a dog on grass",
        f": 28 {TIMES} 16",
    ]
    assert [text for text in [*common, *texts[step]] if text not in written] == []
    assert f"${equations(lesson)[step - 1]}$" in written and misplaced(figure) == []
    assert to_hex(figure.get_facecolor()) == palette.paper


@pytest.mark.slow
@pytest.mark.parametrize(("settings", "with_dense"), zip(SETTINGS, (True, False, False), strict=True), ids=str)
def test_no_text_lies_across_another(service: RetrievalService, settings: dict[str, Any], with_dense: bool) -> None:
    item, request = service.find("examples").gallery.items[2], request_of(service, **settings)
    lesson = made_lesson(request if with_dense else replace(request, dense=None))
    for step in range(1, COUNT + 1):
        figure = step_figure(lesson, step)
        assert (step, misplaced(figure)) == (step, [])
        assert f"Picture: {item.credit}, {item.licence}" in letters(figure)


def test_matrix_marks_the_maxima_of_rows_and_columns() -> None:
    record = random_record()
    axes = step_figure(lesson_of(record), 7).axes
    (matrix,) = [panel for panel in axes if panel.collections]
    marks = [(int(y), int(x)) for part in matrix.collections for x, y in np.asarray(part.get_offsets())]
    values = record.sparse_alignment.matrix.T  # (L, M)
    best = [*enumerate(values.argmax(axis=1)), *((row, column) for column, row in enumerate(values.argmax(axis=0)))]
    assert sorted(marks) == sorted(best)


def test_what_moved_is_told() -> None:
    record, before = random_record(seed=0), random_record(seed=1)
    lesson = replace(lesson_of(record), before=before)
    gained = int((record.sparse.kept & ~before.sparse.kept).sum())
    lost = int((before.sparse.kept & ~record.sparse.kept).sum())
    assert gained and f"{gained} gained (+), {lost} lost" in letters(step_figure(lesson, 4))
    assert {f"{value:+.4f}" for value in before.terms.values()} <= set(letters(step_figure(lesson, 8)).split("\n"))


def test_drawn_decision_shows_probabilities_and_no_rank() -> None:
    record = random_record()
    chances = np.linspace(0.1, 0.9, 28)
    lesson = replace(lesson_of(record, rank=None), keep_probability=chances)
    figure = step_figure(lesson, 4)
    assert "kept by this draw" in letters(figure) and "cut after" not in letters(figure)
    (bars,) = [axes for axes in figure.axes if len(axes.patches) == 28]
    assert [bar.get_height() for bar in bars.patches] == pytest.approx(chances[np.argsort(record.sparse.rank)])  # type: ignore[attr-defined]
    assert "not ranked:" in letters(step_figure(lesson, 8))


def test_pdf_has_a_page_a_step(service: RetrievalService, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(export, "STEPS", 2)  # a page takes long
    content = lesson_file(request_of(service), "pdf").content
    assert content.startswith(b"%PDF") and pages(content) == 2
    assert b"/FontFile2" in content and b"/Type3" not in content
    boxes = set(re.findall(rb"/MediaBox \[([^\]]+)\]", content))
    assert boxes == {b" 0 0 720 405 "}


@pytest.mark.parametrize("draw", [lesson_pdf, lesson_pngs, lesson_gif])
def test_a_file_tells_of_each_picture_and_ends_where_it_is_cancelled(
    draw: Callable[..., bytes], monkeypatch: pytest.MonkeyPatch
) -> None:
    drawn, shown = list[int](), list[tuple[str, int]]()

    def counted(lesson: Lesson, step: int, *looks: Any) -> Figure:
        drawn.append(step)
        return Figure(figsize=(1, 1))

    def progress(items: Any, desc: str) -> Iterator[Any]:
        for number, item in enumerate(items):
            shown.append((desc, len(items)))
            if number == 2:
                raise Cancelled
            yield item

    monkeypatch.setattr(export, "step_figure", counted)
    with pytest.raises(Cancelled):
        draw(lesson_of(), LIGHT, progress)
    assert (len(drawn), len(shown)) == (2, 3)  # what was cancelled before the third is drawn no further
    assert all(desc.startswith("Drawing") and count >= COUNT for desc, count in shown)


@pytest.mark.slow
def test_gif_builds_every_step_up() -> None:
    content = lesson_gif(lesson_of())
    with Image.open(BytesIO(content)) as image:
        frames = []
        for frame in ImageSequence.Iterator(image):
            frames.append((frame.info["duration"], np.asarray(frame.convert("RGB"))))
        assert image.size == (960, 540) and image.info["loop"] == 0
    resting = [picture for duration, picture in frames if duration >= RESTING]
    assert len(resting) == COUNT and 2 * COUNT <= len(frames) <= COUNT * len(STAGES) and len(content) <= GIF_BYTES
    assert all((frame != other).any() for frame, other in pairwise(resting))


@pytest.mark.parametrize("by_hand", [True, False], ids=["by hand", "highest effect"])
def test_the_decision_by_hand_stands_beside_the_models(by_hand: bool) -> None:
    decided, now = random_record(seed=0), random_record(seed=1)
    lesson = replace(lesson_of(decided), trial=Trial(Decided(decided, 3, 22), Decided(now, 5, 22), by_hand))
    figure = step_figure(lesson, 9)
    written = letters(figure).split("\n")
    numbers = {f"{decided.similarity:.2f}", f"{now.similarity:.2f}", f"{now.similarity - decided.similarity:+.2g}"}
    assert numbers | {"rank of 22", "3", "5", "+2", "change", "by hand" if by_hand else "without it"} <= set(written)
    gained, lost = decided.sparse.kept < now.sparse.kept, decided.sparse.kept > now.sparse.kept
    assert (f"{gained.sum()} added (+), {lost.sum()} dropped (\N{MINUS SIGN}) by hand" in written) == by_hand


def test_cls_token_stands_among_the_tokens() -> None:
    torch.manual_seed(0)
    network = CrossSparseAggrNet(16, 28, use_paper_version=True).eval()
    record = explain(network, torch.randn(29, 16), torch.randn(5, 16), grid=(4, 7))
    written = letters(step_figure(lesson_of(record), 6))
    assert "[CLS]" in written and "7 tokens in all" in written and "cls" in equations(lesson_of(record))[5]


def test_grid_too_small_for_tokens_is_told() -> None:
    with pytest.warns(UserWarning, match="0 aggregated tokens"):
        record = random_record(grid=(1, 2))
    lesson = lesson_of(record)
    assert "This branch merges no tokens" in letters(step_figure(lesson, 5))
    assert "1 token in all" in letters(step_figure(lesson, 6))

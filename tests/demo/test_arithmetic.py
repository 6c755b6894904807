from __future__ import annotations

import gradio as gr
import numpy as np
import pytest
import torch
from matplotlib.figure import Figure

from demo.paint import figures
from demo.views.arithmetic import numbers, random_record, show
from seps import Explanation

Inputs = tuple[str, int, float, float, int, bool, bool, int]
DEFAULTS: Inputs = ("paper", 14, 0.5, 0.4, 6, True, True, 0)
CASES: list[Inputs] = [
    DEFAULTS,
    ("released", 14, 0.5, 0.4, 6, True, True, 0),
    ("paper", 5, 0.3, 0.9, 1, False, False, 3),
    ("released", 16, 1.0, 1.0, 12, False, True, 4),  # nothing dropped
]


@pytest.fixture(scope="module", params=CASES, ids=lambda case: f"{case[0]}-{case[1]}")
def record(request: pytest.FixtureRequest) -> Explanation:
    return random_record(*request.param)


def shown_array(figure: Figure) -> np.ndarray[tuple[int, ...], np.dtype[np.float64]]:
    return np.asarray(figure.axes[0].images[0].get_array())


def cell_colours(figure: Figure, rows: int, columns: int) -> list[tuple[int, ...]]:
    """The pixel in the upper left quarter of each cell, clear of the crosses, row by row."""
    pixels = figures.rgb(figure)
    centres = [(column - 0.35, row - 0.35) for row in range(rows) for column in range(columns)]
    places = figure.axes[0].transData.transform(centres)
    return [tuple(pixels[pixels.shape[0] - 1 - int(y), int(x)]) for x, y in places]


def test_mask_picture_shows_the_kept_patches(record: Explanation) -> None:
    for branch in (record.sparse, record.dense):
        if branch is None:
            continue
        picture = next(p for p in figures.branch_pictures(record, branch, 1) if p.title == "Decision mask")
        assert np.array_equal(shown_array(picture.figure) > 0.5, record.on_grid(branch.kept))
        bright = tuple(figures.COLOUR_MAP(1.0, bytes=True)[:3])
        colours = cell_colours(picture.figure, *record.grid)
        assert [colour == bright for colour in colours] == branch.kept.tolist()
        assert picture.sentence.startswith(f"{branch.kept.sum()} of {branch.kept.size} patches kept")


def test_pictures_show_the_record(record: Explanation) -> None:
    pictures = {p.title: p for p in figures.branch_pictures(record, record.sparse, 2)}
    assert np.allclose(shown_array(pictures["Total score"].figure), record.on_grid(record.sparse.score))
    weights = record.sparse.aggregation_weights
    assert weights is not None
    token = pictures[f"Aggregated token 2 of {len(weights)}"]
    assert np.allclose(shown_array(token.figure), record.on_grid(weights[1]))
    assert np.allclose(shown_array(pictures["Extra token"].figure), record.on_grid(record.sparse.extra_weights))
    crosses = sum(len(np.asarray(c.get_offsets())) for c in token.figure.axes[0].collections)
    assert crosses == (~record.sparse.kept).sum()
    matrix = figures.matrix_picture(record.sparse_alignment)
    assert np.array_equal(shown_array(matrix.figure), record.sparse_alignment.matrix.T)


def test_bars_lead_from_zero_to_the_similarity(record: Explanation) -> None:
    axes = figures.terms_picture(record).figure.axes[0]
    bars = [(bar.get_x(), bar.get_x() + bar.get_width()) for bar in axes.patches]  # type: ignore[attr-defined]
    *terms, total = bars
    assert terms[0][0] == 0 and total == (0, record.similarity)
    assert [start for start, _ in terms[1:]] == pytest.approx([end for _, end in terms[:-1]])
    assert terms[-1][1] == pytest.approx(record.similarity, abs=1e-6)
    written = [text.get_text() for text in axes.texts]
    assert written == [*(f"{value:+.4f}" for value in record.terms.values()), f"{record.similarity:.4f}"]


@pytest.mark.parametrize("palette", [figures.LIGHT, figures.DARK])
def test_rgb_is_the_whole_figure(palette: figures.Palette) -> None:
    figure = figures.patch_figure(np.eye(4), np.eye(4, dtype=bool), "value", palette)
    pixels = figures.rgb(figure)
    width, height = figure.get_size_inches() * figures.DPI
    assert pixels.dtype == np.uint8 and pixels.shape == (int(height), int(width), 3)
    assert "#" + bytes(pixels[0, 0].tolist()).hex() == palette.paper
    assert figures.png(pixels).startswith(b"\x89PNG")


def test_shown_terms_add_up(record: Explanation) -> None:
    found = numbers(record)
    assert sum(found["terms"].values()) == pytest.approx(found["similarity"], abs=1e-6)


def test_show_writes_out_the_record() -> None:
    record = random_record(*DEFAULTS)
    found, summary, patches, matrix, terms, token = show()
    assert found == numbers(record)
    assert f"{record.similarity:.4f}" in summary
    assert "98 of 196 patches kept" in summary and "39 aggregated tokens" in summary
    assert patches.count("<img") == 16 and matrix.count("<img") == 1 and terms.count("<img") == 1
    assert all(f"{value:+.6f}" in terms for value in record.terms.values())
    assert token.maximum == 39


def test_same_inputs_same_pictures_and_the_global_generator_stays() -> None:
    before = torch.get_rng_state()
    assert show(side=6)[:5] == show(side=6)[:5]
    assert torch.equal(torch.get_rng_state(), before)
    assert show(side=6)[0] != show(side=6, seed=1)[0]


def test_ratios_change_neither_patches_nor_words() -> None:
    one, other = random_record(*DEFAULTS), random_record("paper", 14, 0.3, 0.7, 6, True, True, 0)
    assert np.array_equal(one.sparse.score, other.sparse.score)


def test_no_aggregated_token_left() -> None:
    with pytest.warns(UserWarning, match="0 aggregated tokens"):
        found, summary, patches, *_, token = show("paper", 4, 0.1, 0.1, words=1, cls=False)
    assert found["aggregated_tokens"] == 0 and "0 aggregated tokens" in summary
    assert "Aggregated token" not in patches and not token.interactive


@pytest.mark.parametrize(
    ("inputs", "message"),
    [
        ({"sparse_ratio": 0.0}, r"sparse_ratio is 0\.0, but it must lie in \(0, 1\]"),
        ({"aggr_ratio": 1.5}, r"aggr_ratio is 1\.5, but it must lie in \(0, 1\]"),
        ({"side": 17}, "side is 17, but it must be a whole number from 4 to 16"),
        ({"words": 2.5}, r"words is 2\.5, but it must be a whole number from 1 to 12"),
        ({"seed": float("nan")}, "seed is nan"),
        ({"token": 0}, "token is 0, but it must be a whole number from 1 to 256"),
        ({"variant": "best"}, "variant is 'best', but it must be one of paper, released"),
        ({"seed": None}, "seed is None"),
        ({"sparse_ratio": "half"}, "sparse_ratio is 'half'"),
    ],
)
def test_bad_input_is_told_in_words(inputs: dict[str, float], message: str) -> None:
    with pytest.raises(gr.Error, match=message):
        show(**inputs)  # type: ignore[arg-type]


def test_token_beyond_the_last_shows_the_last() -> None:
    _, _, patches, *_, token = show(side=6, token=256)
    assert "Aggregated token 7 of 7" in patches and token.value == 7

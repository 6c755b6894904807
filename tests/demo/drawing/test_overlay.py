from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace
from io import BytesIO
from typing import Any

import numpy as np
import pytest
from matplotlib import colormaps
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from numpy.typing import NDArray
from PIL import Image

from demo.drawing.formats import Heading
from demo.drawing.layered import Shades, composed
from demo.drawing.overlay import compare_picture, picture
from demo.drawing.page import clean, text_width, wrapped
from demo.drawing.palette import COLOUR_MAP, DARK, LIGHT, VEIL, Palette
from demo.drawing.render import render
from demo.record.layers import Layer
from demo.record.packing import overlap
from demo.record.table import SYMBOLS
from seps import Explanation
from tests.helpers.records import CASES, random_record

Pixels = NDArray[np.uint8]
Colour = tuple[int, ...]
HEADING = Heading("a dog on grass", 0.1234, "photos")
VEIL_COLOUR = tuple(bytes.fromhex(VEIL[1:]))
HIGH, WIDE = 8, 40  # pixels of the photo to a patch: flat photos are drawn fast
LAYERS = ("photo", "mask", "score", "s_st", "token:2", "extra", "word:1")
DENSE_LAYERS = ("mask:both", "mask:dense", "s_dt:dense", "token:1:dense")


def patched_photo(grid: tuple[int, int]) -> Image.Image:
    """A photo with one flat colour a patch."""
    colours = np.random.default_rng(0).integers(0, 256, (*grid, 3), dtype=np.uint8)
    return Image.fromarray(colours.repeat(HIGH, axis=0).repeat(WIDE, axis=1))


def photo_axes(figure: Figure, grid: tuple[int, int]) -> list[Axes]:
    """The axes with a photo, in grid coordinates."""
    return [axes for axes in figure.axes if (*axes.get_ylim(), *axes.get_xlim()) == (grid[0], 0, 0, grid[1])]


def pixels(figure: Figure) -> Pixels:
    return np.asarray(Image.open(BytesIO(render(figure, "png"))).convert("RGB"))


def centres(shown: Pixels, axes: Axes, grid: tuple[int, int]) -> list[Colour]:
    """The pixel at the centre of each patch, row by row."""
    places = [(column + 0.5, row + 0.5) for row in range(grid[0]) for column in range(grid[1])]
    return [tuple(shown[shown.shape[0] - 1 - int(y), int(x)].tolist()) for x, y in axes.transData.transform(places)]


def greys_of(photo: Image.Image) -> NDArray[np.float64]:
    """The grey of each patch of a patched photo, (N,)."""
    return np.asarray(photo.convert("L"), dtype=float)[::HIGH, ::WIDE].reshape(-1)


def laid_over(
    photo: Image.Image, values: NDArray[Any], low: float, high: float, opacity: float = 1.0
) -> NDArray[np.float64]:
    """The visible colours of values over a patched photo: (N, 3), as strong as the root of their share."""
    fractions = (values - low) / (high - low)
    over = opacity * np.sqrt(fractions)[:, None]
    return greys_of(photo)[:, None] * (1 - over) + colormaps[COLOUR_MAP](fractions, bytes=True)[:, :3] * over


def letters(figure: Figure) -> list[str]:
    return [text.get_text() for text in figure.texts]


def has(record: Explanation, text: str) -> bool:
    try:
        Layer.parse(text).check(record)
    except ValueError:
        return False
    return True


@pytest.mark.parametrize("text", [*LAYERS, *DENSE_LAYERS])
@pytest.mark.parametrize("case", CASES, ids=str)
def test_each_patch_has_its_colour(case: tuple[str, bool, tuple[int, int]], text: str) -> None:
    record, grid, layer = random_record(*case), case[2], Layer.parse(text)
    if text in DENSE_LAYERS and not case[1]:
        with pytest.raises(ValueError, match="needs a dense caption"):
            picture(patched_photo(grid), record, layer, HEADING)
        return
    photo = patched_photo(grid)
    plain = [tuple(colour) for colour in np.asarray(photo)[::HIGH, ::WIDE].reshape(-1, 3).tolist()]
    figure = picture(photo, record, layer, HEADING, opacity=1.0)
    (axes,) = photo_axes(figure, grid)
    drawn, values = centres(pixels(figure), axes, grid), layer.values(record)
    if layer.name == "photo":
        assert drawn == plain
    elif text == "mask:both":
        fates = values.values
        for fate, colour, before in zip(fates, drawn, plain, strict=True):
            assert (colour == VEIL_COLOUR) == (fate == 0)
            assert (colour == before) == (fate == 3)
    elif layer.name == "mask":
        assert 0 < values.kept.sum() < values.kept.size
        assert drawn == [colour if kept else VEIL_COLOUR for colour, kept in zip(plain, values.kept, strict=True)]
    else:
        seen = laid_over(photo, values.values, values.low, values.high)
        np.testing.assert_allclose(drawn, seen, atol=1)
        lowest = values.values.argmin()
        grey = greys_of(photo)[lowest]
        assert values.values[lowest] > values.low or drawn[lowest] == (grey, grey, grey)  # the photo is seen there


def test_opacity_mixes_the_layer_with_a_grey_photo() -> None:
    record = random_record(grid=(4, 7))
    photo = patched_photo((4, 7))
    for text in ("mask", "score"):
        values = Layer.parse(text).values(record)
        figure = picture(photo, record, Layer.parse(text), HEADING, opacity=0.6)
        drawn = np.array(centres(pixels(figure), photo_axes(figure, (4, 7))[0], (4, 7)))
        if text == "score":
            np.testing.assert_allclose(drawn, laid_over(photo, values.values, values.low, values.high, 0.6), atol=1)
        else:
            veiled = 0.6 * np.array(VEIL_COLOUR) + 0.4 * greys_of(photo)[:, None]
            np.testing.assert_allclose(drawn[~values.kept], veiled[~values.kept], atol=1)


def test_the_kept_region_is_outlined_and_dropped_patches_are_crossed() -> None:
    record = random_record(grid=(4, 7))
    photo = Image.new("RGB", (140, 80), "red")
    mask = pixels(picture(photo, record, Layer("mask"), HEADING, lines=False))
    figure = picture(photo, record, Layer("mask"), HEADING, lines=False)
    (axes,) = photo_axes(figure, (4, 7))
    kept = record.on_grid(record.sparse.kept)
    for row in range(4):
        for column in range(6):
            x, y = axes.transData.transform((column + 1, row + 0.5))
            white = tuple(mask[mask.shape[0] - 1 - int(y), int(x)].tolist()) == (255, 255, 255)
            assert white == (kept[row, column] != kept[row, column + 1])
    (axes,) = photo_axes(picture(photo, record, Layer("score"), HEADING, lines=False), (4, 7))
    crosses = np.concatenate([np.asarray(marks.get_offsets()) for marks in axes.collections])
    crossed = {(int(y), int(x)) for x, y in crosses}
    assert crossed == {(int(y), int(x)) for y, x in np.argwhere(~kept)}


def test_grid_lines_can_be_left_out() -> None:
    record, photo = random_record(grid=(4, 7)), Image.new("RGB", (140, 80), "black")
    for lines in (True, False):
        figure = picture(photo, record, Layer("photo"), HEADING, lines=lines)
        (axes,) = photo_axes(figure, (4, 7))
        x, y = axes.transData.transform((3, 1.5))
        shown = pixels(figure)
        assert (shown[shown.shape[0] - 1 - int(y), int(x)].max() > 0) == lines


@pytest.mark.parametrize("size", [(300, 200), (200, 300), (1, 1), (2000, 10), (10, 2000)])
@pytest.mark.parametrize("text", ["mask", "tokens"])
def test_the_photo_keeps_its_aspect_ratio(size: tuple[int, int], text: str) -> None:
    record = random_record()
    figure = picture(Image.new("RGB", size, "red"), record, Layer.parse(text), HEADING)
    weights = record.sparse.aggregation_weights
    panels = photo_axes(figure, record.grid)
    assert weights is not None and len(panels) == (len(weights) if text == "tokens" else 1)
    width, height = np.asarray(panels[0].bbox.size) / 2  # CSS pixels
    scale = max(width, height) / max(size)
    assert [width, height] == pytest.approx([max(1, scale * length) for length in size], abs=0.51)
    boxes = [panel.get_position() for panel in panels]
    assert all(0 <= box.x0 < box.x1 <= 1 and 0 <= box.y0 < box.y1 <= 1 for box in boxes)
    for i, box in enumerate(boxes):
        assert not any(box.overlaps(other) for other in boxes[i + 1 :])


def test_all_tokens_share_one_scale() -> None:
    record = random_record(grid=(5, 5))
    weights = record.sparse.aggregation_weights
    assert weights is not None
    photo = patched_photo((5, 5))
    figure = picture(photo, record, Layer("tokens"), HEADING, opacity=1.0)
    shown, values = pixels(figure), Layer("tokens").values(record)
    panels = photo_axes(figure, (5, 5))
    drawn = [centres(shown, axes, (5, 5)) for axes in panels]
    seen = [laid_over(photo, row, 0, weights.max()) for row in weights]
    np.testing.assert_allclose(drawn, seen, atol=1)
    assert {"1", str(len(weights)), "0", f"{values.high:.3g}"} <= set(letters(figure))


@pytest.mark.parametrize("palette", [LIGHT, DARK], ids=["light", "dark"])
def test_everything_is_written_in(palette: Palette) -> None:
    record = random_record(dense=True)
    heading = Heading("a dog on grass", record.similarity, "photos", "a long description", "Jane Doe, CC BY 4.0")
    figure = picture(Image.new("RGB", (30, 20)), record, Layer("score"), heading, palette)
    values, written = Layer("score").values(record), letters(figure)
    assert {
        "a dog on grass",
        "Dense caption: a long description",
        f"Similarity {record.similarity:.4f}, model: photos",
        "Jane Doe, CC BY 4.0",
        values.title,
        f"{values.low:.3g}",
        f"{values.high:.3g}",
    } <= set(written)
    terms = [text.get_text() for axes in figure.axes for text in axes.texts]
    assert terms == [*(f"{value:+.4f}" for value in record.terms.values()), f"{record.similarity:.4f}"]
    assert "#" + bytes(pixels(figure)[0, 0].tolist()).hex() == palette.paper


@pytest.mark.parametrize("name", ["s_p", "s_st", "s_dt", "s_im"])
def test_parts_are_written_as_in_the_paper(name: str) -> None:
    record, layer = random_record(dense=True), Layer(name, None, "dense" if name == "s_dt" else "sparse")
    photo, symbol = Image.new("RGB", (30, 20)), f"${SYMBOLS[name]}$"
    for figure in (
        picture(photo, record, layer, HEADING),
        compare_picture(photo, ["dog", "cat"], [record, record], layer, "photos"),
    ):
        written = letters(figure)
        assert symbol in written  # next to the scale
        assert any(text.startswith(f"Part {symbol}: ") for text in written)
        assert not any(name in text for text in written)
        assert render(figure, "svg")


def test_words_of_people_are_never_read_as_mathematics() -> None:
    record = random_record()
    words = ("$s_st$", "$", *record.sparse_alignment.words[2:])
    record = replace(record, sparse_alignment=replace(record.sparse_alignment, words=words))
    heading = Heading("s_st for $5 or $6", 0.5, "photos", "$x^2$ and s_im")
    for number in (0, 1):
        figure = picture(Image.new("RGB", (30, 20)), record, Layer("word", number), heading)
        assert heading.caption in letters(figure)
        assert "Dense caption: $x^2$ and s_im" in letters(figure)
        assert render(figure, "png")


@pytest.mark.parametrize(("count", "text"), [(2, "score"), (3, "mask"), (4, "word:1"), (5, "s_im"), (6, "extra")])
def test_comparison_has_one_scale(count: int, text: str) -> None:
    records = [random_record(seed=seed) for seed in range(count)]
    captions = [f"caption {seed}" for seed in range(count)]
    grid = records[0].grid
    layer = Layer.parse(text)
    values = [layer.values(record) for record in records]
    low, high = min(each.low for each in values), max(each.high for each in values)
    photo = patched_photo(grid)
    figure = compare_picture(photo, captions, records, layer, "photos", opacity=1.0, credit="Jane Doe")
    shown, panels = pixels(figure), photo_axes(figure, grid)
    assert len(panels) == count
    for axes, each in zip(panels, values, strict=True):
        drawn = centres(shown, axes, grid)
        if text == "mask":
            assert [colour != VEIL_COLOUR for colour in drawn] == each.kept.tolist()
        else:
            np.testing.assert_allclose(drawn, laid_over(photo, each.values, low, high), atol=1)
    written = letters(figure)
    assert {f"{i + 1}. {caption}" for i, caption in enumerate(captions)} | {"Jane Doe"} <= set(written)
    if text != "mask":
        assert written.count(f"{low:.3g}") == written.count(f"{high:.3g}") == 1
    cells = [cell.get_text() for axes in figure.axes for cell in axes.texts]
    assert cells == [f"{value:.2f}" for row in overlap(records) for value in row]


def test_what_cannot_be_compared_is_told() -> None:
    photo, records = Image.new("RGB", (30, 20)), [random_record(seed=seed) for seed in range(7)]

    def compare(captions: int, count: int, text: str = "mask") -> Callable[[], Figure]:
        return lambda: compare_picture(photo, ["dog"] * captions, records[:count], Layer.parse(text), "photos")

    for captions, count, message in (
        (1, 1, "There are 1 captions and 1 records"),
        (7, 7, "There are 7 captions and 7 records"),
        (3, 2, "There are 3 captions and 2 records"),
    ):
        with pytest.raises(ValueError, match=re.escape(message)):
            compare(captions, count)()
    with pytest.raises(ValueError, match="All tokens of several captions are too many for one picture"):
        compare(2, 2, "tokens")()
    with pytest.raises(ValueError, match='The layer "mask:dense" needs a dense caption'):
        compare(2, 2, "mask:dense")()


def test_terms_lead_from_zero_to_the_similarity() -> None:
    for case in CASES:
        record = random_record(*case)
        axes = picture(Image.new("RGB", (30, 20)), record, Layer("mask"), HEADING).axes[-1]
        bars = [(bar.get_x(), bar.get_x() + bar.get_width()) for bar in axes.patches]  # type: ignore[attr-defined]
        *terms, total = bars
        assert len(terms) == len(record.terms) and total == (0, record.similarity)
        assert terms[0][0] == 0 and [start for start, _ in terms[1:]] == pytest.approx([end for _, end in terms[:-1]])
        assert terms[-1][1] == pytest.approx(record.similarity, abs=1e-6)


def test_long_text_is_wrapped_and_cut_with_an_ellipsis() -> None:
    text = " ".join(f"word{i}" for i in range(40))
    lines = wrapped(text, 300, 12, most=100)
    assert " ".join(lines) == text and all(text_width(line, 12) <= 300 for line in lines)
    assert wrapped(text, 300, 12, most=2)[0] == lines[0]
    cut = wrapped(text, 300, 12)
    assert len(cut) == 4 and cut[-1].endswith("…") and all(text_width(line, 12) <= 300 for line in cut)
    assert text.startswith(" ".join(cut)[:-1])
    assert wrapped("short", 300, 12, most=1) == ["short"] and wrapped(" \n ", 300, 12) == []


def test_a_word_longer_than_a_line_is_broken() -> None:
    lines = wrapped("w" * 100, 200, 12, most=100)
    assert "".join(lines) == "w" * 100 and len(lines) > 3 and all(text_width(line, 12) <= 200 for line in lines)
    assert wrapped("i" * 10_000, 200, 12, most=2)[1].endswith("…")


def test_text_is_cleaned_of_what_cannot_be_printed() -> None:
    assert clean("a\tb\n\nc \x00\x1f\ud800d\ufffe") == "a b c d"
    assert clean("$x$ <b> & 犬 مرحبا 👩‍🚀") == "$x$ <b> & 犬 مرحبا 👩‍🚀"


@pytest.mark.parametrize("size", [(37, 23), (140, 140), (5, 3)])
def test_each_pixel_is_blended_with_the_colour_of_its_patch(size: tuple[int, int]) -> None:
    rng = np.random.default_rng(1)
    width, height = size
    photo = Image.fromarray(rng.integers(0, 256, (height, width, 3), dtype=np.uint8))
    laid = Shades(rng.uniform(0, 255, (7, 7, 3)), rng.choice([0.0, 0.3, 1.0], (7, 7)), rng.random((7, 7)) < 0.5)
    rows = (2 * np.arange(height) + 1) * 7 // (2 * height)  # the patch in which each pixel's centre lies
    columns = (2 * np.arange(width) + 1) * 7 // (2 * width)
    grey, opacity, colours = (part[rows][:, columns] for part in (laid.grey, laid.opacity, laid.colours))
    below = np.where(grey[..., None], np.asarray(photo.convert("L"))[..., None], np.asarray(photo))
    expected = np.rint(below * (1 - opacity[..., None]) + colours * opacity[..., None])
    assert np.array_equal(composed(photo, laid, width, height), expected)

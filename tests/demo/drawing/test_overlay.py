from dataclasses import replace
from io import BytesIO
from typing import Any

import numpy as np
import pytest
from matplotlib import colormaps
from matplotlib.axes import Axes
from matplotlib.collections import LineCollection
from matplotlib.figure import Figure
from numpy.typing import NDArray
from PIL import Image

from demo.drawing.formats import Heading
from demo.drawing.layered import Shades, composed
from demo.drawing.overlay import compare_picture, picture
from demo.drawing.palette import COLOUR_MAP, DARK, DPI, OBJECT, VEIL
from demo.drawing.render import render
from demo.galleries.annotation import SceneAnnotation
from demo.record.layers.layers import Layer
from demo.record.packing import overlap
from demo.record.scene import outlines
from seps.scenes import draw
from tests.helpers.models.records import random_record
from tests.seps.scenes.test_edit import CUP_ON_TABLE

Pixels = NDArray[np.uint8]
Colour = tuple[int, ...]
HEADING = Heading("a dog on grass", 0.1234, "photos")
VEIL_COLOUR = tuple(bytes.fromhex(VEIL[1:]))
HIGH, WIDE = 8, 40  # pixels of the photo to a patch: flat photos are drawn fast


def patched_photo(grid: tuple[int, int]) -> Image.Image:
    """A photo with one flat colour a patch."""
    colours = np.random.default_rng(0).integers(0, 256, (*grid, 3), dtype=np.uint8)
    return Image.fromarray(colours.repeat(HIGH, axis=0).repeat(WIDE, axis=1))


def photo_axes(figure: Figure, grid: tuple[int, int]) -> list[Axes]:
    """The axes with a photo, in grid coordinates."""
    return [axes for axes in figure.axes if (*axes.get_ylim(), *axes.get_xlim()) == (grid[0], 0, 0, grid[1])]


def pixels(figure: Figure, dpi: int = DPI) -> Pixels:
    return np.asarray(Image.open(BytesIO(render(figure, "png", dpi))).convert("RGB"))


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


@pytest.mark.parametrize("text", ["photo", "mask", "score", "mask:both"])
def test_each_patch_has_its_colour(text: str) -> None:
    record, grid, layer = random_record(dense=True), (4, 7), Layer.parse(text)
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


def test_the_kept_region_is_outlined_and_dropped_patches_are_crossed() -> None:
    record = random_record(grid=(4, 7))
    photo = Image.new("RGB", (140, 80), "red")
    figure = picture(photo, record, Layer("mask"), HEADING, lines=False)
    mask = pixels(figure)
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


@pytest.mark.parametrize(("size", "text"), [((300, 200), "tokens"), ((1, 1), "mask"), ((10, 2000), "mask")])
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


def test_everything_is_written_in() -> None:
    record = random_record(dense=True)
    heading = Heading("a dog on grass", record.similarity, "photos", "a long description", "Jane Doe, CC BY 4.0")
    figure = picture(Image.new("RGB", (30, 20)), record, Layer("score"), heading, DARK)
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
    assert "#" + bytes(pixels(figure)[0, 0].tolist()).hex() == DARK.paper


def test_words_of_people_are_never_read_as_mathematics() -> None:
    record = random_record()
    words = ("$s_st$", *record.sparse_alignment.words[1:])
    record = replace(record, sparse_alignment=replace(record.sparse_alignment, words=words))
    heading = Heading("s_st for $5 or $6", 0.5, "photos", "$x^2$ and s_im")
    figure = picture(Image.new("RGB", (30, 20)), record, Layer("word", 0), heading)
    assert {heading.caption, "Dense caption: $x^2$ and s_im"} <= set(letters(figure))
    assert render(figure, "png")


@pytest.mark.parametrize(("count", "text"), [(3, "mask"), (4, "word:1")])
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
    for captions, text, message in (
        (3, "mask", "There are 3 captions and 2 records"),
        (2, "tokens", "All tokens of several captions are too many for one picture"),
    ):
        with pytest.raises(ValueError, match=message):
            compare_picture(PHOTO, ["dog"] * captions, [random_record()] * 2, Layer.parse(text), "photos")


def test_terms_lead_from_zero_to_the_similarity() -> None:
    for variant in ("paper", "released"):
        record = random_record(variant, dense=True)
        axes = picture(Image.new("RGB", (30, 20)), record, Layer("mask"), HEADING).axes[-1]
        bars = [(bar.get_x(), bar.get_x() + bar.get_width()) for bar in axes.patches]  # type: ignore[attr-defined]
        *terms, total = bars
        assert len(terms) == len(record.terms) and total == (0, record.similarity)
        assert terms[0][0] == 0 and [start for start, _ in terms[1:]] == pytest.approx([end for _, end in terms[:-1]])
        assert terms[-1][1] == pytest.approx(record.similarity, abs=1e-6)


def test_each_pixel_is_blended_with_the_colour_of_its_patch() -> None:
    rng = np.random.default_rng(1)
    width, height = 37, 23
    photo = Image.fromarray(rng.integers(0, 256, (height, width, 3), dtype=np.uint8))
    laid = Shades(rng.uniform(0, 255, (7, 7, 3)), rng.choice([0.0, 0.3, 1.0], (7, 7)), rng.random((7, 7)) < 0.5)
    rows = (2 * np.arange(height) + 1) * 7 // (2 * height)  # the patch in which each pixel's centre lies
    columns = (2 * np.arange(width) + 1) * 7 // (2 * width)
    grey, opacity, colours = (part[rows][:, columns] for part in (laid.grey, laid.opacity, laid.colours))
    below = np.where(grey[..., None], np.asarray(photo.convert("L"))[..., None], np.asarray(photo))
    expected = np.rint(below * (1 - opacity[..., None]) + colours * opacity[..., None])
    assert np.array_equal(composed(photo, laid, width, height), expected)


PHOTO = Image.fromarray(draw(CUP_ON_TABLE).pixels)
CUP_HEADING = Heading("a red cup", 0.1, "scenes")
OBJECTS = outlines(SceneAnnotation(CUP_ON_TABLE), CUP_HEADING.caption)


def outlined(figure: Figure) -> int:
    """Count the pixels of the outlines' colour."""
    off = np.abs(pixels(figure, 96).astype(int) - tuple(bytes.fromhex(OBJECT[1:])))
    return int((off < 4).all(axis=2).sum())


def test_outlines_lie_where_the_objects_are() -> None:
    record = random_record(grid=(7, 7))
    figure = picture(PHOTO, record, Layer("photo"), CUP_HEADING, objects=OBJECTS)
    (axes,) = photo_axes(figure, (7, 7))
    lines_of = [each for each in axes.collections if isinstance(each, LineCollection)]
    drawn: list[Any] = [each for each in lines_of if np.ravel(each.get_linewidth())[0] == 1.7]
    assert len(drawn) == len(OBJECTS) == 4
    for outline, thing, lines in zip(OBJECTS, CUP_ON_TABLE.objects, drawn, strict=True):
        points = np.concatenate(lines.get_segments()) * 224 / 7
        x0, y0, x1, y1 = thing.box
        assert (points.min(axis=0) >= (x0 - 1, y0 - 1)).all()
        assert (points.max(axis=0) <= (x1 + 1, y1 + 1)).all()
        assert (lines.get_linestyle()[0][1] is None) == outline.mentioned == (thing.kind == "cup")
    assert {text.get_text() for text in axes.texts} == {"brown table", "red cup", "black dog", "blue ball"}
    assert outlined(figure) > 500
    assert outlined(picture(PHOTO, record, Layer("photo"), CUP_HEADING)) < 50

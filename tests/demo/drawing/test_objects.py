"""The true objects' outlines in the files: where the objects are, dashed where no phrase names them."""

from __future__ import annotations

from io import BytesIO
from typing import Any

import numpy as np
import pytest
from matplotlib.collections import LineCollection
from numpy.typing import NDArray
from PIL import Image

from demo.drawing.formats import Heading
from demo.drawing.overlay import compare_picture, picture
from demo.drawing.palette import OBJECT
from demo.drawing.render import render
from demo.galleries.annotation import SceneAnnotation
from demo.record.layers import Layer
from demo.record.outlines import outlines
from seps.scenes import draw
from tests.helpers.records import random_record
from tests.seps.scenes.test_edit import CUP_ON_TABLE

PHOTO = Image.fromarray(draw(CUP_ON_TABLE).pixels)
HEADING = Heading("a red cup", 0.1, "scenes")
OBJECTS = outlines(SceneAnnotation(CUP_ON_TABLE), HEADING.caption)
COLOUR = tuple(bytes.fromhex(OBJECT[1:]))


def is_outline(png: bytes) -> NDArray[np.bool_]:
    """Which pixels have the outlines' colour."""
    with Image.open(BytesIO(png)) as image:
        off = np.abs(np.asarray(image.convert("RGB")).astype(int) - COLOUR)
        return np.asarray((off < 4).all(axis=2))


def width(lines: Any) -> float:
    return float(lines.get_linewidth()[0])


def is_solid(lines: Any) -> bool:
    return lines.get_linestyle()[0][1] is None


def test_outlines_lie_where_the_objects_are() -> None:
    record = random_record(grid=(7, 7))
    figure = picture(PHOTO, record, Layer("photo"), HEADING, objects=OBJECTS)
    (axes,) = [axes for axes in figure.axes if axes.get_xlim() == (0, 7)]
    drawn = [
        collection
        for collection in axes.collections
        if isinstance(collection, LineCollection) and width(collection) == 1.7
    ]
    assert len(drawn) == len(OBJECTS) == 4
    for outline, thing, lines in zip(OBJECTS, CUP_ON_TABLE.objects, drawn, strict=True):
        points = np.concatenate(lines.get_segments()) * 224 / 7
        x0, y0, x1, y1 = thing.box
        assert (points.min(axis=0) >= (x0 - 1, y0 - 1)).all()
        assert (points.max(axis=0) <= (x1 + 1, y1 + 1)).all()
        assert is_solid(lines) == outline.mentioned == (thing.kind == "cup")
    assert {text.get_text() for text in axes.texts} == {"brown table", "red cup", "black dog", "blue ball"}
    assert is_outline(render(figure, "png")).sum() > 1000
    without = picture(PHOTO, record, Layer("photo"), HEADING)
    assert is_outline(render(without, "png")).sum() < 100


@pytest.mark.parametrize("kind", ["svg", "pdf"])
def test_every_format_holds_them(kind: str) -> None:
    record = random_record(grid=(7, 7))
    figure = picture(PHOTO, record, Layer("mask"), HEADING, objects=OBJECTS)
    again = picture(PHOTO, record, Layer("mask"), HEADING, objects=OBJECTS)
    content = render(figure, kind)
    assert content == render(again, kind)
    if kind == "svg":
        assert b"black dog" in content
        assert OBJECT.encode() in content


def test_each_caption_of_a_comparison_has_its_own() -> None:
    captions = ["a red cup", "a dog"]
    objects = [outlines(SceneAnnotation(CUP_ON_TABLE), text) for text in captions]
    records = [random_record(grid=(7, 7), seed=seed) for seed in range(2)]
    figure = compare_picture(PHOTO, captions, records, Layer("mask"), "scenes", objects=objects)
    solid = [
        sum(is_solid(collection) and width(collection) == 1.7 for collection in axes.collections)
        for axes in figure.axes
        if axes.get_xlim() == (0, 7)
    ]
    assert solid == [1, 1]
    assert is_outline(render(figure, "png")).sum() > 1000

"""The outlines hold what the masks hold."""

from __future__ import annotations

import numpy as np
from matplotlib.path import Path
from numpy.typing import NDArray

from demo.galleries.annotation import SceneAnnotation, labels, objects_name, title_of
from demo.record.outlines import Line, mask_lines, outlines
from demo.record.scene import UNIT, objects_value
from seps.scenes import SIDE, make_scene
from tests.seps.scenes.test_edit import CUP_ON_TABLE

CENTRES = np.stack(np.meshgrid(np.arange(SIDE), np.arange(SIDE)), axis=-1).reshape(-1, 2) / SIDE + 0.5 / SIDE


def filled(lines: tuple[Line, ...]) -> NDArray[np.bool_]:
    """The pixels with centres inside an odd number of lines."""
    inside = np.zeros(SIDE * SIDE, dtype=int)
    for line in lines:
        inside += Path(np.reshape(line, (-1, 2))).contains_points(CENTRES)
    return (inside % 2 == 1).reshape(SIDE, SIDE)


def test_a_square_has_a_square_outline() -> None:
    mask = np.zeros((SIDE, SIDE), dtype=bool)
    mask[10:20, 30:50] = True
    (line,) = mask_lines(mask)
    points = np.reshape(line, (-1, 2)) * SIDE
    np.testing.assert_allclose(points.min(axis=0), [30, 10], atol=0.01)
    np.testing.assert_allclose(points.max(axis=0), [50, 20], atol=0.01)
    assert len(points) == 9  # eight, as its corners are cut by half a pixel, and the first again
    np.testing.assert_array_equal(filled((line,)), mask)


def test_outlines_hold_the_masks_pixels() -> None:
    for index in range(0, 40, 4):
        scene = make_scene(0, "test", index)
        for outline in outlines(SceneAnnotation(scene), ""):
            np.testing.assert_array_equal(filled(outline.lines), labels(scene) == outline.number)


def test_mentioned_objects_are_told_apart() -> None:
    objects = outlines(SceneAnnotation(CUP_ON_TABLE), "a red cup and a dog")
    assert [(outline.name, outline.mentioned) for outline in objects] == [
        ("brown table", False), ("red cup", True), ("black dog", True), ("blue ball", False)
    ]  # fmt: skip


def test_the_browser_gets_the_same_lines() -> None:
    objects, values = (
        outlines(SceneAnnotation(CUP_ON_TABLE), "a cup"),
        objects_value(SceneAnnotation(CUP_ON_TABLE), "a cup"),
    )
    for outline, value in zip(objects, values, strict=True):
        assert (value["number"], value["name"], value["mentioned"]) == (outline.number, outline.name, outline.mentioned)
        for line, packed in zip(outline.lines, value["lines"], strict=True):
            np.testing.assert_allclose(np.array(packed) / UNIT, line, atol=1e-5)


def test_objects_have_names() -> None:
    assert objects_name(CUP_ON_TABLE, (1,)) == "the red cup"
    assert objects_name(CUP_ON_TABLE, (0, 3)) == "the brown table and the blue ball"
    assert title_of(CUP_ON_TABLE) == "0: brown table, red cup and 2 more"

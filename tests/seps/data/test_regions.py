from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from seps.data.regions import central_patches, centres_inside, energy_inside, mask_centres, mask_overlap, patch_overlap

sides = st.lists(st.floats(0, 1, width=32), min_size=2, max_size=2, unique=True).map(sorted)
boxes = st.builds(lambda across, down: (across[0], down[0], across[1], down[1]), sides, sides)


def test_overlap_by_hand() -> None:
    # Two rows, four columns: from the middle of the second column to the right edge, over the upper quarter.
    overlap = patch_overlap([(0.375, 0.0, 1.0, 0.25)], (2, 4))
    assert overlap.tolist() == [[0, 0.25, 0.5, 0.5], [0, 0, 0, 0]]
    assert patch_overlap([(0.0, 0.0, 1.0, 1.0)], (3, 7)).min() == pytest.approx(1)


def test_what_several_boxes_cover_counts_once() -> None:
    overlap = patch_overlap([(0.0, 0.0, 0.5, 0.5), (0.25, 0.25, 0.75, 0.75), (0.0, 0.0, 0.5, 0.5)], (2, 2))
    assert overlap.tolist() == [[1, 0.25], [0.25, 0.25]]


@given(st.lists(boxes, min_size=1, max_size=4), st.integers(1, 6), st.integers(1, 6))
def test_overlap_is_what_a_fine_raster_counts(drawn: list[tuple[float, float, float, float]], h: int, w: int) -> None:
    fine = 40
    y, x = np.meshgrid(
        (np.arange(h * fine) + 0.5) / (h * fine), (np.arange(w * fine) + 0.5) / (w * fine), indexing="ij"
    )
    inside = np.any([(x0 < x) & (x < x1) & (y0 < y) & (y < y1) for x0, y0, x1, y1 in drawn], axis=0)
    counted = inside.reshape(h, fine, w, fine).mean(axis=(1, 3))
    # A box's edge misses at most half a row and half a column of a patch's raster on each of its sides.
    np.testing.assert_allclose(patch_overlap(drawn, (h, w)), counted, atol=len(drawn) * 2 / fine)


def test_centres_by_hand() -> None:
    # Centres at 1/8, 3/8, 5/8, 7/8 across and 1/4, 3/4 down; one on an edge is inside.
    assert centres_inside([(0.375, 0.0, 1.0, 0.25)], (2, 4)).tolist() == [[False, True, True, True], [False] * 4]
    two = centres_inside([(0.0, 0.7, 0.2, 1.0), (0.8, 0.0, 1.0, 0.3)], (2, 4))
    assert two.tolist() == [[False, False, False, True], [True, False, False, False]]
    assert not centres_inside([(0.13, 0.0, 0.37, 1.0)], (2, 4)).any()


def test_no_box_covers_nothing() -> None:
    assert not patch_overlap([], (2, 3)).any() and not centres_inside([], (2, 3)).any()
    assert centres_inside([], (2, 3)).shape == (2, 3)


def test_masks_by_hand() -> None:
    mask = np.array([[1, 1, 0, 0], [1, 0, 0, 0], [0, 0, 0, 1]], dtype=bool)
    assert mask_overlap(mask, (1, 2)) == pytest.approx(np.array([[0.5, 1 / 6]]))
    assert mask_overlap(mask, (3, 4)).tolist() == mask.tolist()
    # Rows of one and a half pixels: the second row of pixels belongs half to each.
    assert mask_overlap(mask, (2, 2)) == pytest.approx(np.array([[2.5 / 3, 0], [0.5 / 3, 1 / 3]]))
    # Centres: on an edge between pixels, those on both sides count; else the pixel around it.
    assert mask_centres(mask, (1, 2)).tolist() == [[True, False]]
    assert mask_centres(mask, (3, 4)).tolist() == mask.tolist()
    assert mask_centres(mask, (2, 2)).tolist() == [[True, False], [False, True]]
    assert mask_centres(mask, (1, 1)).tolist() == [[False]]


@given(boxes, st.integers(1, 6), st.integers(1, 6), st.integers(1, 9), st.integers(1, 9))
def test_a_box_of_whole_pixels_is_its_mask(
    box: tuple[float, float, float, float], h: int, w: int, height: int, width: int
) -> None:
    x0, y0 = int(box[0] * width), int(box[1] * height)
    x1, y1 = max(x0 + 1, int(box[2] * width)), max(y0 + 1, int(box[3] * height))
    mask = np.zeros((height, width), dtype=bool)
    mask[y0:y1, x0:x1] = True
    whole = [(x0 / width, y0 / height, min(1.0, x1 / width), min(1.0, y1 / height))]
    np.testing.assert_allclose(mask_overlap(mask, (h, w)), patch_overlap(whole, (h, w)), atol=1e-12)
    # Equal except for centres on the box's edge in whole numbers that are outside it after rounding.
    wider = [(whole[0][0] - 1e-9, whole[0][1] - 1e-9, whole[0][2] + 1e-9, whole[0][3] + 1e-9)]
    assert np.array_equal(mask_centres(mask, (h, w)), centres_inside(wider, (h, w)))


@pytest.mark.parametrize(
    ("grid", "central"),
    [((1, 1), [(0, 0)]), ((3, 5), [(1, 2)]), ((2, 3), [(0, 1), (1, 1)]), ((4, 4), [(1, 1), (1, 2), (2, 1), (2, 2)])],
)
def test_central_patches(grid: tuple[int, int], central: list[tuple[int, int]]) -> None:
    mask = central_patches(grid)
    assert mask.shape == grid
    assert [tuple(place) for place in np.argwhere(mask).tolist()] == central


def test_energy_inside_by_hand() -> None:
    mask = np.zeros((4, 4), dtype=bool)
    mask[:2, :3] = True  # all of the first patch, half of the second
    overlap = mask_overlap(mask, (2, 2)).reshape(-1)
    np.testing.assert_allclose(overlap, [1, 0.5, 0, 0])
    assert energy_inside(np.array([0.5, 0.2, 0.1, 0.2]), overlap) == pytest.approx(0.6)
    assert energy_inside(np.array([0.0, 3.0, 0.0, 1.0]), overlap) == pytest.approx(0.375)

import numpy as np
import pytest
from numpy.typing import NDArray

from seps.data.objects import Region, centres_inside, patch_overlap
from seps.evaluation.grounding.collect import compute_kept_rates, measure_kept, measure_phrase
from seps.evaluation.grounding.maps import CaptionMaps
from seps.evaluation.grounding.measures import first, measure_map, order_of


def weights(*values: float) -> NDArray[np.float64]:
    return np.array(values, dtype=np.float64)


def test_a_map_by_hand() -> None:
    overlap, hits = weights(1, 0.5, 0, 0), np.array([True, False, False, True])
    assert measure_map(weights(0.5, 0.25, 0.25, 0), overlap, hits) == (0.625, 1)
    assert measure_map(weights(1, 2, 1, 0), overlap, hits) == (0.5, 0)
    assert measure_map(weights(0, 0, 0, 3), overlap, hits) == (0, 1)


def test_ties_zero_maps_and_none_are_misses() -> None:
    overlap, hits = weights(1, 1, 0, 0), np.array([True, True, False, False])
    assert measure_map(weights(0.5, 0.5, 0, 0), overlap, hits) == (1, 0)
    assert measure_map(weights(0.5, 0.5 + 1e-9, 0, 0), overlap, hits) == (1, 0)  # as heavy but for rounding
    assert measure_map(weights(0.5, 0.5001, 0, 0), overlap, hits)[1] == 1
    assert measure_map(weights(0, 0, 0, 0), overlap, hits) == (0, 0)
    assert measure_map(None, overlap, hits) == (0, 0)


def test_phrases_by_hand() -> None:
    # 4 x 4 patches, and a box over the left three eighths: the second column is half inside, its centres on the edge.
    box = [(0.0, 0.0, 0.375, 1.0)]
    region = Region(patch_overlap(box, (4, 4)).ravel(), centres_inside(box, (4, 4)).ravel())
    inside = np.zeros((4, 4))
    inside[2, 1] = 1
    maps = {"seps": inside.ravel(), "cosine": np.ones(16), "gradient": np.eye(16)[3]}
    maps |= {"effect": np.eye(16)[4], "blanked": np.zeros(16)}
    seps, effect, blanked, cosine, gradient, centre, random = measure_phrase(maps, region, (4, 4)).tolist()
    assert seps == [0.5, 1]
    assert effect == [1, 1]
    assert blanked == [0, 0]  # nowhere above 0
    assert cosine == [0.375, 0]  # all patches tie
    assert gradient == [0, 0]
    # The blob weighs e^-1/8 or e^-9/8 across, whatever the row: a quarter of the image's half is 1/8 and 3/8 away.
    near, far = np.exp(-(0.125**2) / 0.125), np.exp(-(0.375**2) / 0.125)
    assert centre == [pytest.approx((far + near / 2) / (2 * far + 2 * near)), 0.5]
    assert random == [0.375, 0.5]
    three = Region(patch_overlap(box, (3, 3)).ravel(), centres_inside(box, (3, 3)).ravel())
    assert measure_phrase({}, three, (3, 3))[6].tolist() == pytest.approx([0.375, 1 / 3])
    assert measure_phrase({}, three, (3, 3))[5][1] == 0  # one central patch with its centre outside


def test_orders_settle_ties_by_score_and_then_by_position() -> None:
    assert order_of(weights(0, 2, 0, 1), weights(0.1, 0.2, 0.9, 0.3)).tolist() == [1, 3, 2, 0]
    assert order_of(weights(0, 2, 0, 2)).tolist() == [1, 3, 0, 2]
    assert first(np.array([1, 3, 2, 0]), 2).tolist() == [False, True, False, True]


def test_kept_patches_by_hand() -> None:
    areas = np.array([[1, 0.5, 0, 0], [0, 0.25, 0.5, 0], [0, 0.25, 0.5, 1]])
    orders = {"seps": [3, 2, 1, 0], "cosine": [3, 2, 1, 0], "gradient": [0, 3, 1, 2], "centre": [1, 2, 0, 3]}
    orders |= {"effect": [0, 2, 1, 3], "blanked": [1, 3, 0, 2]}
    maps = CaptionMaps(
        (), np.array([True, True, False, False]), {name: np.array(order) for name, order in orders.items()}
    )
    assert measure_kept(maps, areas).tolist() == [
        [1.5, 0.25, 0.25],  # what the mask keeps, whatever the picture's order
        [1, 0.5, 0.5],
        [0.5, 0.25, 1.25],
        [0, 0.5, 1.5],
        [1, 0, 1],
        [0.5, 0.75, 0.75],
        [0.75, 0.375, 0.875],  # half of everything
    ]


def test_kept_rates_are_of_all_patches_together() -> None:
    kept, areas = np.array([[1.0, 0, 2], [3, 0, 0]]), np.array([[2.0, 0, 8], [6, 0, 4]])
    mentioned, other, background, more = compute_kept_rates(kept, areas, np.array([0, 1]))
    assert mentioned is not None and background is not None and more is not None
    assert other is None  # there are no other objects
    assert (mentioned.mean, mentioned.low, mentioned.high) == (0.5, 0.5, 0.5)
    assert (background.mean, background.low, background.high) == (2 / 12, 0, 0.25)
    assert (more.mean, more.low, more.high) == (3, 2, 3)  # the second image keeps no background: no ratio

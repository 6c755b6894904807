from __future__ import annotations

import numpy as np
import pytest

from demo.record.table import counted
from demo.service.whereabouts import whereabouts

AT = {
    (0, 0): "on the upper left",
    (0, 1): "in the upper middle",
    (0, 2): "on the upper right",
    (1, 0): "on the middle left",
    (1, 1): "in the centre",
    (1, 2): "on the middle right",
    (2, 0): "on the lower left",
    (2, 1): "in the lower middle",
    (2, 2): "on the lower right",
}


@pytest.mark.parametrize("place", AT)
@pytest.mark.parametrize("shape", [(3, 3), (6, 9), (14, 14), (12, 7)])
def test_a_full_ninth_is_named(place: tuple[int, int], shape: tuple[int, int]) -> None:
    amounts = np.zeros(shape)
    rows, columns = (np.arange(length) * 3 // length for length in shape)
    centre = [
        int(np.median(np.nonzero(third == expected)[0])) for third, expected in zip((rows, columns), place, strict=True)
    ]
    amounts[centre[0], centre[1]] = 2.0
    assert whereabouts(amounts) == AT[place]


@pytest.mark.parametrize(
    ("rows", "columns", "words"),
    [
        (slice(0, 4), slice(None), "at the top"),
        (slice(5, 9), slice(None), "across the middle"),
        (slice(10, 14), slice(None), "at the bottom"),
        (slice(None), slice(0, 4), "on the left"),
        (slice(None), slice(5, 9), "down the middle"),
        (slice(None), slice(10, 14), "on the right"),
    ],
)
def test_a_full_third_is_named(rows: slice, columns: slice, words: str) -> None:
    amounts = np.zeros((14, 14))
    amounts[rows, columns] = 1.0
    assert whereabouts(amounts) == words


def test_evenly_spread_amounts_have_no_place() -> None:
    assert whereabouts(np.ones((14, 14))) is None
    assert whereabouts(np.indices((14, 14)).sum(axis=0) % 2) is None  # a chessboard
    assert whereabouts(np.eye(9)) is None
    assert whereabouts(np.zeros((4, 7))) is None
    assert whereabouts(np.ones((1, 1))) is None


def test_a_third_stands_out_from_a_quarter_more_than_even() -> None:
    even = np.ones((3, 3))
    below, above = even.copy(), even.copy()
    below[2] += 0.42  # its share 1.42 / 3.42, over a third: 1.246
    above[2] += 0.44  # 1.256
    assert whereabouts(below) is None and whereabouts(above) == "at the bottom"


def test_two_far_corners_are_not_the_corner_between_them() -> None:
    amounts = np.zeros((9, 9))
    amounts[:3, 6:] = 3.0  # upper right
    amounts[6:, :3] = 2.0  # lower left
    assert whereabouts(amounts) == "on the upper right"
    amounts[:3, 6:], amounts[6:, :3], amounts[:3, 3:6] = 2.0, 2.1, 1.0
    assert whereabouts(amounts) == "at the top"  # most of the rows' is at the top, most of the columns' on the left


def test_counts_take_their_noun() -> None:
    assert [counted(1, "patch"), counted(2, "patch"), counted(0, "token")] == ["1 patch", "2 patches", "0 tokens"]

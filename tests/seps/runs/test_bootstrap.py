import numpy as np
import pytest

from seps.runs.bootstrap import bootstrap, estimate, ratio


def test_the_interval_of_a_mean_of_images() -> None:
    values = np.random.default_rng(1).normal(5.0, 2.0, 400)
    result = estimate(values, np.arange(400))
    error = values.std() / 20  # of the mean of 400
    assert result.mean == pytest.approx(values.mean())
    assert result.low == pytest.approx(values.mean() - 1.96 * error, abs=0.15 * error)
    assert result.high == pytest.approx(values.mean() + 1.96 * error, abs=0.15 * error)
    assert result == estimate(values, np.arange(400))


def test_images_are_sampled_with_all_their_values() -> None:
    # Phrases of an image agree, so that 40 images with 100 each are no surer than 40 images with one each.
    values = np.random.default_rng(2).normal(0.0, 1.0, 40)
    few, many = estimate(values, np.arange(40)), estimate(values.repeat(100), np.arange(40).repeat(100))
    assert [few.low, few.high] == pytest.approx([many.low, many.high])


def test_an_image_weighs_as_many_phrases_as_it_has() -> None:
    values, images = np.array([1.0, 1.0, 1.0, 0.0]), np.array([7, 7, 7, 3])
    result = estimate(values, images)
    assert (result.mean, result.low, result.high) == (0.75, 0.0, 1.0)  # either image may be sampled twice
    alone = estimate(values[:2], images[:2])
    assert (alone.mean, alone.low, alone.high) == (1, 1, 1)
    assert str(result) == "0.750 [0.000, 1.000]"


def test_the_interval_of_a_ratio_of_sums() -> None:
    # Of two images the ratios are 1 and 3; sampled together, 4 over 2. A sample is both of one in half of all cases.
    columns, images = np.array([[1.0, 1.0], [2.0, 1.0], [1.0, 0.0]]), np.array([0, 1, 1])
    result = bootstrap(columns, images, lambda sums: ratio(sums[..., 0], sums[..., 1]))
    assert result is not None
    assert (result.mean, result.low, result.high) == (2, 1, 3)


def test_where_there_is_nothing_below_there_is_no_ratio() -> None:
    assert np.isnan(ratio(np.array([1.0, 1.0, 0.0]), np.array([0.0, -1.0, 2.0]))).tolist() == [True, True, False]
    columns = np.array([[1.0, 0.0], [3.0, 1.0]])
    assert bootstrap(columns[:1], np.array([0]), lambda sums: ratio(sums[..., 0], sums[..., 1])) is None
    result = bootstrap(columns, np.array([0, 1]), lambda sums: ratio(sums[..., 0], sums[..., 1]))
    assert result is not None
    assert (result.mean, result.low, result.high) == (4, 3, 4)  # samples of only the first image are left out

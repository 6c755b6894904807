from dataclasses import astuple
from math import isnan

import numpy as np
import pytest
from scipy import stats

from seps.judge import metrics
from seps.runs import bootstrap


@pytest.fixture(autouse=True)
def few_draws(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bootstrap, "SAMPLES", 100)


def test_correlations_are_scipys() -> None:
    rng = np.random.default_rng(0)
    scores = rng.integers(0, 12, 80).astype(float)  # with ties
    rated = scores + rng.integers(0, 9, 80).astype(float)
    result = metrics.correlations(scores, rated)
    assert result["srocc"] == pytest.approx(stats.spearmanr(scores, rated)[0])
    assert result["krcc"] == pytest.approx(stats.kendalltau(scores, rated)[0])
    assert result["plcc"] == pytest.approx(stats.pearsonr(scores, rated)[0])
    assert all(isnan(value) for value in metrics.correlations(scores, np.ones(80)).values())


def test_partial_correlation_takes_out_what_is_shared() -> None:
    rng = np.random.default_rng(1)
    shared = rng.normal(size=4000)
    first, second = shared + rng.normal(size=4000), shared + rng.normal(size=4000)
    assert metrics.srocc(first, second) > 0.4
    assert abs(metrics.partial(first, second, shared)) < 0.05
    separate = rng.normal(size=4000)
    assert metrics.partial(shared + separate, separate - shared, shared) > 0.9


def test_intervals_hold_the_figure_and_sample_whole_prompts() -> None:
    rng = np.random.default_rng(2)
    groups = np.repeat(np.arange(20), 5)
    scores = rng.normal(size=100)
    rated = scores + rng.normal(size=100)
    figure = metrics.bootstrap_over_groups(lambda rows: metrics.srocc(scores[rows], rated[rows]), groups)
    assert figure.low < figure.mean < figure.high
    assert figure == metrics.bootstrap_over_groups(lambda rows: metrics.srocc(scores[rows], rated[rows]), groups)

    def mean_of_groups(rows: metrics.Whole) -> float:
        counts = np.bincount(groups[rows], minlength=20)
        assert bool((counts % 5 == 0).all())
        return float(counts.mean())

    assert metrics.bootstrap_over_groups(mean_of_groups, groups).mean == 5


def test_kendalls_interval_is_that_of_sampled_rows() -> None:
    rng = np.random.default_rng(3)
    groups = np.repeat(np.arange(8), 4)
    scores = rng.integers(0, 10, 32).astype(float)
    rated = scores + rng.integers(0, 8, 32).astype(float)
    quick = metrics.krcc_over_prompts(scores, rated, groups)
    plain = metrics.bootstrap_over_groups(lambda rows: metrics.krcc(scores[rows], rated[rows]), groups)
    assert astuple(quick) == pytest.approx(astuple(plain))


def test_within_prompts_is_the_mean_over_prompts() -> None:
    scores, rated = np.array([1.0, 2, 3, 1, 2, 3, 1, 2]), np.array([1.0, 2, 3, 3, 2, 1, 2, 1])
    figure, prompts = metrics.within_prompts(scores, rated, np.array([0, 0, 0, 1, 1, 1, 2, 2]))
    assert prompts == 2  # the third has two pictures
    assert figure.mean == pytest.approx(0.0)
    lonely, none = metrics.within_prompts(scores[:2], rated[:2], np.array([0, 1]))
    assert none == 0 and isnan(lonely.mean)

"""Agreement of scores with people's: rank and linear correlations, with 95% intervals over prompts."""

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import stats

from seps.runs.bootstrap import Estimate, ratio, resamples, with_interval

MIN_PICTURES = 3  # of one prompt or generator, to rank them

Floats = NDArray[np.float64]
Whole = NDArray[np.int64]


def plcc(scores: Floats, rated: Floats) -> float:
    """Pearson's linear correlation of two (n,); NaN where one of them does not vary."""
    first, second = scores - scores.mean(), rated - rated.mean()
    below = float(np.sqrt((first @ first) * (second @ second)))
    return float(first @ second) / below if below > 0 else float("nan")


def srocc(scores: Floats, rated: Floats) -> float:
    """Spearman's rank correlation of two (n,); NaN where one of them does not vary."""
    return plcc(stats.rankdata(scores), stats.rankdata(rated))


def krcc(scores: Floats, rated: Floats) -> float:
    """Return Kendall's tau-b of two (n,) samples; NaN if one of them is constant."""
    return float(stats.kendalltau(scores, rated).statistic)


def partial(scores: Floats, rated: Floats, beside: Floats) -> float:
    """Spearman's correlation of scores and ratings, with `beside` (n,) held fixed."""
    xy, xz, yz = srocc(scores, rated), srocc(scores, beside), srocc(rated, beside)
    below = np.sqrt((1 - xz**2) * (1 - yz**2))
    return float((xy - xz * yz) / below) if below > 0 else float("nan")


def rows_of(groups: Whole) -> list[Whole]:
    """Return the rows of each group of (n,), numbered from 0."""
    return [np.flatnonzero(groups == group) for group in range(int(groups.max()) + 1)]


def bootstrap_over_groups(figure: Callable[[Whole], float], groups: Whole) -> Estimate:
    """Return a figure of row numbers, which may repeat, with its interval over groups (n,), numbered from 0."""
    rows = rows_of(groups)
    counts = resamples(len(rows))  # (SAMPLES, groups)
    sampled = [figure(np.concatenate([rows[g] for g in np.repeat(np.arange(len(rows)), each)])) for each in counts]
    return with_interval(figure(np.arange(len(groups))), np.array(sampled))


def krcc_over_prompts(scores: Floats, rated: Floats, groups: Whole) -> Estimate:
    """`krcc` with its interval over groups: pairs are counted once between groups, then weighed by each sample."""
    member = np.eye(int(groups.max()) + 1)[groups]  # (n, groups)
    first, second = (np.sign(values[:, None] - values[None, :]) for values in (scores, rated))  # (n, n)
    same, varied, rated_varied = (
        member.T @ pairs @ member for pairs in (first * second, np.square(first), np.square(second))
    )  # each (groups, groups)
    weights = resamples(member.shape[1]).astype(np.float64)
    sums = [np.einsum("dg,gh,dh->d", weights, pairs, weights) for pairs in (same, varied, rated_varied)]
    below = np.sqrt(sums[1] * sums[2])
    return with_interval(krcc(scores, rated), ratio(sums[0], below))


def within_prompts(scores: Floats, rated: Floats, groups: Whole) -> tuple[Estimate, int]:
    """Return the mean SROCC among the pictures of one prompt, and how many prompts have enough pictures to rank."""
    enough = [rows for rows in rows_of(groups) if len(rows) >= MIN_PICTURES]
    each = [srocc(scores[rows], rated[rows]) for rows in enough]
    known = np.array(each)[np.isfinite(each)]
    if not len(known):
        return Estimate(float("nan"), float("nan"), float("nan")), 0
    return with_interval(float(known.mean()), resamples(len(known)) @ known / len(known)), len(known)


def agreement(scores: Floats, rated: Floats, groups: Whole) -> dict[str, Any]:
    """Return SROCC, PLCC and KRCC of (n,) scores, and under "intervals" their 95% intervals over groups."""
    figures = {
        "srocc": bootstrap_over_groups(lambda rows: srocc(scores[rows], rated[rows]), groups),
        "plcc": bootstrap_over_groups(lambda rows: plcc(scores[rows], rated[rows]), groups),
        "krcc": krcc_over_prompts(scores, rated, groups),
    }
    values: dict[str, Any] = {name: figure.mean for name, figure in figures.items()}
    return values | {"intervals": {name: [figure.low, figure.high] for name, figure in figures.items()}}


def correlations(scores: Floats, rated: Floats) -> dict[str, float]:
    """SROCC, PLCC and KRCC without intervals: what training reads each epoch."""
    return {"srocc": srocc(scores, rated), "plcc": plcc(scores, rated), "krcc": krcc(scores, rated)}

"""Agreement of scores with people's: rank and linear correlations, with 95% intervals over prompts.

Pictures of one prompt are alike, so that chance is drawn over prompts: each draw takes whole prompts anew.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from seps.numbers import written

DRAWS, SEED = 1000, 0
TAILS = (0.025, 0.975)
LEAST_PICTURES = 3  # of one prompt or generator, to rank them

Floats = NDArray[np.float64]
Whole = NDArray[np.int64]


class Figure(NamedTuple):
    """A figure with its 95% confidence interval [low, high]; NaN where there is none."""

    value: float
    low: float
    high: float

    def __str__(self) -> str:
        return f"{written(self.value, '.3f')} [{written(self.low, '.3f')}, {written(self.high, '.3f')}]"


def ranks(values: Floats) -> Floats:
    """Ranks (n,) from 1, ties sharing their mean."""
    _, place, counts = np.unique(values, return_inverse=True, return_counts=True)
    last = np.cumsum(counts)
    return ((last - counts + 1 + last) / 2)[place.reshape(-1)]


def plcc(scores: Floats, rated: Floats) -> float:
    """Pearson's linear correlation of two (n,); NaN where one of them does not vary."""
    first, second = scores - scores.mean(), rated - rated.mean()
    below = float(np.sqrt((first @ first) * (second @ second)))
    return float(first @ second) / below if below > 0 else float("nan")


def srocc(scores: Floats, rated: Floats) -> float:
    """Spearman's rank correlation of two (n,); NaN where one of them does not vary."""
    return plcc(ranks(scores), ranks(rated))


def krcc(scores: Floats, rated: Floats) -> float:
    """Kendall's tau-b of two (n,): pairs in the same order less pairs in the other, ties apart."""
    first, second = signs(scores), signs(rated)
    below = np.sqrt(float(np.square(first).sum()) * float(np.square(second).sum()))
    return float((first * second).sum()) / float(below) if below > 0 else float("nan")


def signs(values: Floats) -> Floats:
    """(n, n): the sign of each difference."""
    return np.sign(values[:, None] - values[None, :])


def partial(scores: Floats, rated: Floats, beside: Floats) -> float:
    """Spearman's correlation of scores and ratings where `beside` (n,) is held fixed."""
    xy, xz, yz = srocc(scores, rated), srocc(scores, beside), srocc(rated, beside)
    below = np.sqrt((1 - xz**2) * (1 - yz**2))
    return float((xy - xz * yz) / below) if below > 0 else float("nan")


def draws(groups: Whole) -> Whole:
    """(DRAWS, groups): how often each draw takes each group; the same whenever the number of groups is."""
    count = int(groups.max()) + 1
    return np.random.default_rng(SEED).multinomial(count, [1 / count] * count, size=DRAWS)


def over_prompts(figure: Callable[[Whole], float], groups: Whole) -> Figure:
    """A figure of rows and its interval over groups.

    Args:
        figure: rows, which may repeat, to a number; draws without one (NaN) are left out.
        groups: (n,), each row's group, from 0.
    """
    rows = [np.flatnonzero(groups == group) for group in range(int(groups.max()) + 1)]
    found = [
        figure(np.concatenate([rows[g] for g in np.repeat(np.arange(len(rows)), counts)])) for counts in draws(groups)
    ]
    return with_interval(figure(np.arange(len(groups))), np.array(found))


def with_interval(value: float, found: Floats) -> Figure:
    """A value with the interval of its draws."""
    found = found[np.isfinite(found)]
    low, high = np.quantile(found, TAILS) if len(found) else (float("nan"), float("nan"))
    return Figure(value, float(low), float(high))


def krcc_over_prompts(scores: Floats, rated: Floats, groups: Whole) -> Figure:
    """`krcc` with its interval over groups: pairs are counted once between groups, then weighed by each draw."""
    member = np.eye(int(groups.max()) + 1)[groups]  # (n, groups)
    first, second = signs(scores), signs(rated)
    same, varied, rated_varied = (
        member.T @ pairs @ member for pairs in (first * second, np.square(first), np.square(second))
    )  # each (groups, groups)
    weights = draws(groups).astype(np.float64)
    sums = [np.einsum("dg,gh,dh->d", weights, pairs, weights) for pairs in (same, varied, rated_varied)]
    below = np.sqrt(sums[1] * sums[2])
    found = np.divide(sums[0], below, out=np.full(len(below), np.nan), where=below > 0)
    return with_interval(krcc(scores, rated), found)


def within_prompts(scores: Floats, rated: Floats, groups: Whole) -> tuple[Figure, int]:
    """The mean SROCC among the pictures of one prompt, and how many prompts have enough pictures to rank."""
    each = []
    for group in range(int(groups.max()) + 1):
        rows = np.flatnonzero(groups == group)
        each.append(srocc(scores[rows], rated[rows]) if len(rows) >= LEAST_PICTURES else float("nan"))
    known = np.array(each)[np.isfinite(each)]
    if not len(known):
        return Figure(float("nan"), float("nan"), float("nan")), 0
    weights = np.random.default_rng(SEED).multinomial(len(known), [1 / len(known)] * len(known), size=DRAWS)
    return with_interval(float(known.mean()), weights @ known / len(known)), len(known)


def agreement(scores: Floats, rated: Floats, groups: Whole) -> dict[str, Any]:
    """SROCC, PLCC and KRCC, and under "intervals" each one's 95% interval over prompts.

    Args:
        scores, rated: (n,); groups: (n,), each picture's prompt, from 0.
    """
    figures = {
        "srocc": over_prompts(lambda rows: srocc(scores[rows], rated[rows]), groups),
        "plcc": over_prompts(lambda rows: plcc(scores[rows], rated[rows]), groups),
        "krcc": krcc_over_prompts(scores, rated, groups),
    }
    values: dict[str, Any] = {name: figure.value for name, figure in figures.items()}
    return values | {"intervals": {name: [figure.low, figure.high] for name, figure in figures.items()}}


def correlations(scores: Floats, rated: Floats) -> dict[str, float]:
    """SROCC, PLCC and KRCC without intervals: what training reads each epoch."""
    return {"srocc": srocc(scores, rated), "plcc": plcc(scores, rated), "krcc": krcc(scores, rated)}

"""Measure a judge: `python -m seps.judge evaluate --model judge --data DATA --split dev --json FILE`."""

from __future__ import annotations

from typing import Any

import numpy as np

from seps.judge.config import SCORES
from seps.judge.data import Ratings
from seps.judge.metrics import (
    MIN_PICTURES,
    Floats,
    Whole,
    agreement,
    bootstrap_over_groups,
    partial,
    srocc,
    within_prompts,
)
from seps.judge.network import Predictions
from seps.numbers import written
from seps.runs.bootstrap import Estimate

RANGES = 4  # parts of equal size that pictures are cut into by their ratings


def evaluate(predictions: Predictions, ratings: Ratings) -> dict[str, Any]:
    """Measure the agreement with people on a split.

    Returns:
        Plain values for JSON: "quality" and "consistency", each {"srocc", "plcc", "krcc", "intervals"};
            "within_prompt", the mean SROCC among the pictures of a prompt; "beyond_quality", agreement of consistency
            at fixed quality; "by_generator"; "by_range", from the lowest ratings to the highest; "corrections".
            Intervals are 95%, over prompts.
    """
    groups = ratings.prompt_numbers
    scores = {name: getattr(predictions, name).final.double().cpu().numpy() for name in SCORES}
    rated = {"quality": ratings.quality, "consistency": ratings.consistency}
    result: dict[str, Any] = {"split": ratings.name, "pictures": len(ratings), "prompts": int(groups.max()) + 1}
    result |= {name: agreement(scores[name], rated[name], groups) for name in SCORES}
    result["within_prompt"] = {}
    for name in SCORES:
        figure, prompts = within_prompts(scores[name], rated[name], groups)
        result["within_prompt"][name] = plain(figure) | {"prompts": prompts}
    alone, _ = within_prompts(scores["quality"], rated["consistency"], groups)
    result["beyond_quality"] = {
        "srocc_of_predicted_quality": plain(
            bootstrap_over_groups(lambda rows: srocc(scores["quality"][rows], rated["consistency"][rows]), groups)
        ),
        "within_prompt_of_predicted_quality": plain(alone),
        "partial_given_predicted_quality": plain(
            bootstrap_over_groups(
                lambda rows: partial(scores["consistency"][rows], rated["consistency"][rows], scores["quality"][rows]),
                groups,
            )
        ),
        "partial_given_rated_quality": plain(
            bootstrap_over_groups(
                lambda rows: partial(scores["consistency"][rows], rated["consistency"][rows], rated["quality"][rows]),
                groups,
            )
        ),
    }
    result["by_generator"] = {
        generator: part(scores, rated, np.flatnonzero(np.array(ratings.generators) == generator))
        for generator in sorted(set(ratings.generators))
        if generator
    }
    result["by_range"] = {
        name: [
            {"from": float(rated[name][rows].min()), "to": float(rated[name][rows].max())}
            | part({name: scores[name]}, rated, rows)
            for rows in np.array_split(np.argsort(rated[name], kind="stable"), RANGES)
            if len(rows)
        ]
        for name in SCORES
    }
    result["corrections"] = {
        name: {
            "mean": float(getattr(predictions, name).correction.abs().mean()),
            "largest": float(getattr(predictions, name).correction.abs().max()),
            "base_srocc": number(srocc(getattr(predictions, name).base.double().cpu().numpy(), rated[name])),
        }
        for name in SCORES
    }
    return result


def part(
    scores: dict[str, Floats],
    rated: dict[str, Floats],
    rows: Whole,
) -> dict[str, Any]:
    """Agreement among some rows: SROCC, mean error (score less rating) and mean absolute error."""
    values: dict[str, Any] = {"pictures": len(rows)}
    for name, score in scores.items():
        apart = score[rows] - rated[name][rows]
        enough = len(rows) >= MIN_PICTURES
        values[name] = {
            "srocc": number(srocc(score[rows], rated[name][rows])) if enough else None,
            "error": float(apart.mean()),
            "absolute_error": float(np.abs(apart).mean()),
        }
    return values


def plain(figure: Estimate) -> dict[str, Any]:
    """Return a figure as JSON holds it."""
    return {"value": number(figure.mean), "interval": [number(figure.low), number(figure.high)]}


def number(value: float) -> float | None:
    """Return the number, None for NaN, which JSON lacks."""
    return float(value) if np.isfinite(value) else None


def table(result: dict[str, Any]) -> str:
    """Return the report to print."""
    lines = [f"{result['pictures']:,} pictures of {result['prompts']:,} prompts, {result['split']}; 95% over prompts"]
    for name in SCORES:
        values = result[name]
        shown = [
            f"{key.upper()} {with_bounds(values[key], *values['intervals'][key])}" for key in ("srocc", "plcc", "krcc")
        ]
        lines.append(f"{name:12} {', '.join(shown)}")
    for name in SCORES:
        lines.append(f"within a prompt, {name}: SROCC {interval(result['within_prompt'][name])}")
    beyond = result["beyond_quality"]
    lines.append(
        f"consistency beyond quality: partial SROCC {interval(beyond['partial_given_predicted_quality'])} given the "
        f"predicted, {interval(beyond['partial_given_rated_quality'])} given the rated quality"
    )
    for generator, values in result["by_generator"].items():
        numbers = [
            f"{name} {'-' if values[name]['srocc'] is None else written(values[name]['srocc'], '.3f')} "
            f"({written(values[name]['error'], '+.3f')})"
            for name in SCORES
        ]
        lines.append(f"  {generator:22} {values['pictures']:4} pictures, SROCC (error): {', '.join(numbers)}")
    return "\n".join(lines)


def interval(values: dict[str, Any]) -> str:
    """Format a figure with its interval."""
    if values["value"] is None:
        return "none"
    return with_bounds(values["value"], *values["interval"])


def with_bounds(value: float, low: float, high: float) -> str:
    """Return a figure and the bounds of its interval."""
    value_text, low_text, high_text = (written(number, ".3f") for number in (value, low, high))
    return f"{value_text} [{low_text}, {high_text}]"

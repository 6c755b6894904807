"""Measure a judge: `python -m seps.judge evaluate --model judge --data DATA --split dev --json FILE`."""

from collections.abc import Callable
from typing import Any

import numpy as np

from seps.common.numbers import written
from seps.judge import metrics
from seps.judge.config import SCORES
from seps.judge.data import Ratings
from seps.judge.network import Predictions
from seps.runs.bootstrap import Estimate, with_bounds

RANGES = 4  # parts of equal size that pictures are cut into by their ratings


def evaluate(predictions: Predictions, ratings: Ratings) -> dict[str, Any]:
    """Measure the agreement with people on a split: plain values for JSON, with 95% intervals over prompts."""
    groups = ratings.prompt_numbers
    scores = {name: getattr(predictions, name).final.double().cpu().numpy() for name in SCORES}
    rated = {"quality": ratings.quality, "consistency": ratings.consistency}
    result: dict[str, Any] = {"split": ratings.name, "pictures": len(ratings), "prompts": int(groups.max()) + 1}
    result |= {name: metrics.agreement(scores[name], rated[name], groups) for name in SCORES}
    within = {name: metrics.within_prompts(scores[name], rated[name], groups) for name in SCORES}
    result["within_prompt"] = {name: plain(figure) | {"prompts": prompts} for name, (figure, prompts) in within.items()}
    quality, consistency, wanted = scores["quality"], scores["consistency"], rated["consistency"]

    def over_prompts(figure: Callable[[metrics.Whole], float]) -> dict[str, Any]:
        return plain(metrics.bootstrap_over_groups(figure, groups))

    def beyond(known: metrics.Floats) -> dict[str, Any]:
        """Agreement of consistency with the ratings at a fixed quality (n,)."""
        return over_prompts(lambda rows: metrics.partial(consistency[rows], wanted[rows], known[rows]))

    result["beyond_quality"] = {
        "srocc_of_predicted_quality": over_prompts(lambda rows: metrics.srocc(quality[rows], wanted[rows])),
        "within_prompt_of_predicted_quality": plain(metrics.within_prompts(quality, wanted, groups)[0]),
        "partial_given_predicted_quality": beyond(quality),
        "partial_given_rated_quality": beyond(rated["quality"]),
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
            "mean": float(parts.correction.abs().mean()),
            "largest": float(parts.correction.abs().max()),
            "base_srocc": number(metrics.srocc(parts.base.double().cpu().numpy(), rated[name])),
        }
        for name, parts in zip(SCORES, predictions, strict=True)
    }
    return result


def part(scores: dict[str, metrics.Floats], rated: dict[str, metrics.Floats], rows: metrics.Whole) -> dict[str, Any]:
    """Agreement among some rows: SROCC, mean error (score less rating) and mean absolute error."""
    values: dict[str, Any] = {"pictures": len(rows)}
    for name, score in scores.items():
        apart = score[rows] - rated[name][rows]
        enough = len(rows) >= metrics.MIN_PICTURES
        values[name] = {
            "srocc": number(metrics.srocc(score[rows], rated[name][rows])) if enough else None,
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
    return "none" if values["value"] is None else with_bounds(values["value"], *values["interval"])

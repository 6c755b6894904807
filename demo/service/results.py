"""Measured results of models, from their results files."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any

from seps.checks import is_number, read_json_file
from seps.models.beside import results_files
from seps.models.hub import shipped_models
from seps.models.publish import is_whole

DENSE_PROTOCOLS = {"captions_only": "none", "own_dense": "own", "other_dense": "other"}
DENSE_SPLIT = "mllm"
MEASURES = (
    "energy_inside",
    "pointing_game",
    "kept_mentioned",
    "kept_unmentioned",
    "kept_background",
    "mentioned_to_background",
    "deletion",
    "insertion",
)

OwnModels = Mapping[str, Path | None]


def our_results(models: OwnModels | None = None) -> list[dict[str, Any]]:
    """Read the shipped models' results from assets/models/*/results-*.json.

    Args:
        models: user-supplied models, whose results follow: folders by name, None for one that is not local.

    Returns:
        Rows with `model`, `split`, `dense` ("none", "own": the image's dense caption, or "other": another image's),
            `images`, `captions`, `image_to_text` and `text_to_image` (R@1, R@5, R@10 in per cent), `rsum` and `file`.
    """
    return [
        make_result_row(model, dense, measured[protocol], file)
        for model, file, measured in measurements(models)
        for protocol, dense in DENSE_PROTOCOLS.items()
        if is_whole(measured.get(protocol)) and is_number(measured[protocol].get("rsum"))
    ]


def our_grounding(models: OwnModels | None = None) -> list[dict[str, Any]]:
    """Read the shipped models' grounding results from the same files; `models` as for `our_results`.

    Returns:
        Rows with `model`, `split`, `phrases` (number, or None), `method` and `measures`: for each of MEASURES in the
            file, its mean and its 95% interval [low, high] (None without interval).
    """
    return map_rows("grounding", "methods", MEASURES, models)


def map_rows(key: str, maps: str, names: Iterable[str], models: OwnModels | None) -> list[dict[str, Any]]:
    """Return a row for each map in each results file with `key`; the maps are under `maps`."""
    rows = []
    for model, _, measured in measurements(models):
        results = as_dict(measured.get(key))
        labels = {"model": model, "split": str(results.get("split", "")), "phrases": results.get("phrases")}
        for method, values in as_dict(results.get(maps)).items():
            whole = as_dict(values) | {"caption_share": results.get("caption_share") if method == "score" else None}
            measures = {name: estimate(whole[name]) for name in names if estimate(whole.get(name)) is not None}
            rows.append(labels | {"method": method, "measures": measures})
    return rows


def our_effects() -> list[dict[str, Any]]:
    """Return the rows of `our_grounding` for the split with measured effects, preferring test over dev."""
    rows = our_grounding()
    measured = {
        model: max(row["split"] for row in rows if row["model"] == model and row["method"] == "effect")
        for model in {row["model"] for row in rows if row["method"] == "effect"}
    }
    return [row for row in rows if row["split"] == measured.get(row["model"])]


def as_dict(value: Any) -> dict[str, Any]:
    """Return a part of a results file, {} if it is not a dict, since files may come from anybody."""
    return value if isinstance(value, dict) else {}


def estimate(value: Any) -> tuple[float, float | None, float | None] | None:
    """Return a mean with the bounds of its interval, if valid."""
    mean, low, high = (as_dict(value).get(name) for name in ("mean", "low", "high"))
    if not is_number(mean):
        return None
    return mean, low if is_number(low) else None, high if is_number(high) else None


def measurements(models: OwnModels | None = None) -> list[tuple[str, str, dict[str, Any]]]:
    """Return each results file of shipped and user-supplied models: the model, "model/file", and its content."""
    shipped = [
        (model, file) for model, folder in shipped_models().items() for file in sorted(folder.glob("results-*.json"))
    ]
    files = [(model, f"{model}/{file.name}", json.loads(file.read_text(encoding="utf-8"))) for model, file in shipped]
    for model, folder in (models or {}).items():
        for file in [] if folder is None else results_files(folder):
            with suppress(ValueError):  # not written by our programs
                measured = read_json_file(file)
                files += [(model, f"{model}/{file.name}", measured)] if isinstance(measured, dict) else []
    return files


def make_result_row(model: str, dense: str, measurement: dict[str, Any], file: str) -> dict[str, Any]:
    """Return the row of one measurement of `seps.evaluate`."""
    recalls = {
        direction: [measurement[direction][name] for name in ("r1", "r5", "r10")]
        for direction in ("image_to_text", "text_to_image")
    }
    counts = {name: measurement[name] for name in ("split", "images", "captions", "rsum")}
    return {"model": model, "dense": dense, **counts, **recalls, "file": file}


def dense_protocol() -> list[dict[str, Any]]:
    """Return the rows of `our_results` for the split with dense captions of a multimodal LLM: with none, with the
    image's own, with another image's; `change` is the difference of rSum to none."""
    rows = [row for row in our_results() if row["split"] == DENSE_SPLIT]
    alone = {row["model"]: row["rsum"] for row in rows if row["dense"] == "none"}
    return [row | {"change": row["rsum"] - alone[row["model"]]} for row in rows if row["model"] in alone]

"""Measured results of the shipped models, from their results files assets/models/*/results-*.json."""

import json
from typing import Any

from seps.common.checks import is_number
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


def our_results() -> list[dict[str, Any]]:
    """Return rows with `model`, `split`, `dense` ("none", "own": the image's dense caption, or "other": another
    image's), `images`, `captions`, `image_to_text` and `text_to_image` (R@1, R@5, R@10 in per cent), `rsum`, `file`."""
    return [
        make_result_row(model, dense, measured[protocol], file)
        for model, file, measured in measurements()
        for protocol, dense in DENSE_PROTOCOLS.items()
        if is_whole(measured.get(protocol)) and is_number(measured[protocol].get("rsum"))
    ]


def our_grounding() -> list[dict[str, Any]]:
    """Return rows with `model`, `split`, `phrases` (number, or None), `method` and `measures`: for each of MEASURES in
    the file, its mean and its 95% interval [low, high] (None without interval)."""
    rows = []
    for model, _, measured in measurements():
        results = measured.get("grounding", {})
        labels = {"model": model, "split": results.get("split", ""), "phrases": results.get("phrases")}
        for method, values in results.get("methods", {}).items():
            found = {name: values[name] for name in MEASURES if is_number((values.get(name) or {}).get("mean"))}
            measures = {name: (value["mean"], value.get("low"), value.get("high")) for name, value in found.items()}
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


def measurements() -> list[tuple[str, str, dict[str, Any]]]:
    """Return each results file of the shipped models: the model, "model/file", and its content."""
    files = [
        (model, file) for model, folder in shipped_models().items() for file in sorted(folder.glob("results-*.json"))
    ]
    return [(model, f"{model}/{file.name}", json.loads(file.read_text(encoding="utf-8"))) for model, file in files]


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

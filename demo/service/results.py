"""Measured results of the shipped models, from their results files assets/models/*/results-*.json."""

import json
from typing import Any

from seps.common.checks import is_number
from seps.models.hub import shipped_models
from seps.models.publish import is_whole

DENSE_PROTOCOLS = {"captions_only": "none", "own_dense": "own", "other_dense": "other"}
DENSE_SPLIT = "mllm"


def our_results() -> list[dict[str, Any]]:
    """Return rows with `model`, `split`, `dense` ("none", "own": the image's dense caption, or "other": another
    image's), `images`, `image_to_text` and `text_to_image` (R@1, R@5, R@10 in per cent), `rsum`."""
    return [
        {"model": model, "dense": dense}
        | {name: measured[protocol][name] for name in ("split", "images", "rsum")}
        | {
            direction: [measured[protocol][direction][name] for name in ("r1", "r5", "r10")]
            for direction in ("image_to_text", "text_to_image")
        }
        for model, measured in measurements()
        for protocol, dense in DENSE_PROTOCOLS.items()
        if is_whole(measured.get(protocol)) and is_number(measured[protocol].get("rsum"))
    ]


def our_effects() -> list[dict[str, Any]]:
    """Return rows with `model`, `split`, `method` and `measures`: for each measure in the file, its mean and its 95%
    interval [low, high] (None without interval). They are of the split with measured effects, test before dev."""
    rows = []
    for model, measured in measurements():
        results = measured.get("grounding", {})
        for method, values in results.get("methods", {}).items():
            measures = {
                name: (value["mean"], value.get("low"), value.get("high"))
                for name, value in values.items()
                if isinstance(value, dict) and is_number(value.get("mean"))
            }
            rows.append({"model": model, "split": results.get("split", ""), "method": method, "measures": measures})
    splits = {
        model: max(row["split"] for row in rows if row["model"] == model and row["method"] == "effect")
        for model in {row["model"] for row in rows if row["method"] == "effect"}
    }
    return [row for row in rows if row["split"] == splits.get(row["model"])]


def measurements() -> list[tuple[str, dict[str, Any]]]:
    """Return the name of the model and the content of each results file of the shipped models."""
    return [
        (model, json.loads(file.read_text(encoding="utf-8")))
        for model, folder in shipped_models().items()
        for file in sorted(folder.glob("results-*.json"))
    ]


def dense_protocol() -> list[dict[str, Any]]:
    """Return the rows of `our_results` for the split with dense captions of a multimodal LLM: with none, with the
    image's own, with another image's."""
    rows = [row for row in our_results() if row["split"] == DENSE_SPLIT]
    measured = {row["model"] for row in rows if row["dense"] == "none"}
    return [row for row in rows if row["model"] in measured]

"""Short runs of the program of training."""

import json
from pathlib import Path
from typing import Any

from seps.runs.run_log import read_epochs
from seps.training.command import main
from tests.helpers.models.tiny import tiny_settings

PIXELS: dict[str, Any] = {
    "epochs": 3,
    "batch_size": 8,
    "captions_an_epoch": 2,  # 4 steps
    "learning_rate": 2e-3,
    "backbone_rate": 0.5,
    "augment": False,
}
SHORT: dict[str, Any] = PIXELS | {"epochs": 1, "captions_an_epoch": 1}  # 2 steps
CACHED: dict[str, Any] = {
    "epochs": 2,
    "batch_size": 8,
    "loss": "infonce",
    "learning_rate": 2e-3,
    "schedule": "linear",
    "lr_warmup_steps": 2,
    "frozen": True,
    "dense_share": 0.5,
    "similar_batches": 0.3,
    "captions_an_epoch": 2,
    "pretrain_epochs": 2,
    "pretrain_batch": 8,
    "pooled_weight": 1.0,
    "pooled_batch": 32,
    "grounding_weight": 0.5,
    "map_weight": 0.5,
    "aggregation_scale": 10.0,
    "dev_images": 6,
}


def recipe(data: Path, training: dict[str, Any], **network: Any) -> str:
    """A recipe's file: with cached features heads have context. The drawn data have no dense captions."""
    training = {"join_captions": True} | training
    settings = tiny_settings(data / "bert")
    settings["network"] |= network
    settings["vision"] |= {"image_size": 96}
    if training.get("frozen"):
        settings["vision"] |= {"cls": "none", "context_size": 48, "dropout": 0.1}
        settings["text"] |= {"context": True, "dropout": 0.1}
    if training.get("frozen_until"):
        settings["vision"] |= {"encoder": "test_efficientnet"}
        settings["text"] |= {"low_rank": 2}
    path = data / f"recipe-{abs(hash(json.dumps([training, network])))}.json"
    path.write_text(json.dumps(settings | {"training": training}))
    return str(path)


def run(data: Path, out: Path, config: str, *options: str) -> list[dict[str, float]]:
    """Train, and read the curve without the seconds; runs on the same data share features of frozen backbones."""
    places = ["--data", str(data), "--out", str(out), "--cache", str(data / "features")]
    assert main([config, *places, "--workers", "0", "--keep", "0", *options]) == 0
    return [{name: number for name, number in row.items() if name != "seconds"} for row in read_epochs(out)]

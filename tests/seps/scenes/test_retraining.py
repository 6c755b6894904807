import json
from pathlib import Path
from typing import Any

import pytest

from seps import load_model
from seps.data import read_split
from seps.evaluation.retrieval import evaluate
from seps.models.hub import shipped_models
from seps.runs.run_log import read_epochs
from seps.scenes import write_split
from seps.training.loop import train
from seps.training.settings import read_recipe

SCENES = {"train": 128, "dev": 40}
SMALLER: dict[str, Any] = {
    "pretrain_epochs": 6,
    "pretrain_batch": 16,
    "pretrain_rate": 0.002,
    "epochs": 1,
    "batch_size": 16,
    "dev_images": 0,
}


@pytest.mark.slow
def test_a_few_steps_lower_the_loss_and_raise_recall(tmp_path: Path) -> None:
    for split, count in SCENES.items():
        write_split(tmp_path, split, count, seed=11)
    recipe: dict[str, Any] = json.loads((shipped_models()["scenes"] / "recipe.json").read_text())
    recipe["training"] |= SMALLER
    recipe["vision"]["image_size"] = 112  # a quarter of the patches
    (tmp_path / "recipe.json").write_text(json.dumps(recipe))
    train(*read_recipe(tmp_path / "recipe.json"), tmp_path, tmp_path / "run", workers=0)
    *pretraining, last = read_epochs(tmp_path / "run")
    losses = [row["loss"] for row in pretraining]
    assert losses == sorted(losses, reverse=True)
    assert losses[-1] < 0.5 * losses[0]
    assert last["rsum"] > 2 * 78  # by chance 2.5 + 12.0 + 22.8 for images and 2.5 + 12.5 + 25 for captions
    assert last["t2i_r10"] > 50.0  # chance is 25
    kept = evaluate(load_model(tmp_path / "run" / "best"), read_split(tmp_path, "dev")).metrics
    assert kept.rsum == pytest.approx(last["rsum"], abs=3.0)  # float16 on disk

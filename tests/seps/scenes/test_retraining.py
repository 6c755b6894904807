import json
from pathlib import Path
from typing import Any

import pytest

from seps import load_model
from seps.data import read_split
from seps.evaluation.retrieval import evaluate
from seps.models.hub import shipped_models
from seps.models.model import SEPSModel
from seps.runs.run_log import read_epochs
from seps.scenes import write_split
from seps.training.loop import train
from seps.training.settings import read_recipe

SCENES = {"train": 640, "dev": 100}
SMALLER: dict[str, Any] = {"pretrain_epochs": 8, "pretrain_batch": 32, "epochs": 1, "batch_size": 32, "dev_images": 0}


@pytest.mark.slow
def test_a_few_hundred_steps_lower_the_loss_and_raise_recall(tmp_path: Path) -> None:
    for split, count in SCENES.items():
        write_split(tmp_path, split, count, seed=11, workers=2)
    recipe: dict[str, Any] = json.loads((shipped_models()["scenes"] / "recipe.json").read_text())
    recipe["training"] |= SMALLER
    recipe["vision"]["image_size"] = 112  # a quarter of the patches
    (tmp_path / "recipe.json").write_text(json.dumps(recipe))
    config, settings = read_recipe(tmp_path / "recipe.json")
    dev = read_split(tmp_path, "dev")
    before = evaluate(SEPSModel(config), dev).metrics
    train(config, settings, tmp_path, tmp_path / "run", workers=0)
    rows = read_epochs(tmp_path / "run")
    pretraining = [row["loss"] for row in rows[:-1]]
    assert pretraining == sorted(pretraining, reverse=True)
    assert pretraining[-1] < 0.7 * pretraining[0]
    after = evaluate(load_model(tmp_path / "run" / "best"), dev).metrics
    assert after.rsum == pytest.approx(rows[-1]["rsum"], abs=3.0)  # float16 on disk
    assert after.rsum > 2 * before.rsum
    assert after.text_to_image.r10 > 25.0  # chance is 10

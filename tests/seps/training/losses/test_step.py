from pathlib import Path
from typing import Any

import pytest
import torch

from seps.models.config import ModelConfig
from seps.models.model import SEPSModel
from seps.training.batches.batch import StepBatch
from seps.training.losses.step import TrainingStep
from seps.training.settings import TrainSettings
from tests.helpers.models.tiny import tiny_settings


def losses_of(bert: Path, settings: dict[str, Any], has_dense: bool = True, **network: Any) -> dict[str, float]:
    """Losses of three pairs; the model has 36 patches."""
    values = tiny_settings(bert)
    values["vision"]["image_size"] = 96
    values["network"] |= network
    step = TrainingStep(SEPSModel(ModelConfig.from_dict(values)), TrainSettings(**settings))
    ids, lengths = torch.randint(5, 13, (3, 5)), torch.tensor([4, 3, 5])
    batch = StepBatch(
        images=torch.randn(3, 3, 96, 96),
        captions=ids,
        lengths=lengths,
        dense_captions=ids if has_dense else None,
        dense_lengths=lengths if has_dense else None,
        img_ids=torch.arange(3),
        cached=False,
        rows=torch.arange(3),
    )
    with torch.no_grad():
        return {name: float(value) for name, value in step(batch).items()}


@pytest.mark.parametrize(("has_dense", "weight"), [(True, 3.0 + 1.0), (False, 3.0)])
def test_target_and_lambdas_reach_the_ratio_loss(bert: Path, has_dense: bool, weight: float) -> None:
    losses = losses_of(bert, {"lambda_sparse": 3.0, "lambda_dense": 1.0}, has_dense, sparse_ratio=0.3)
    assert losses["kept"] == pytest.approx(11 / 36)  # in each branch
    assert losses["ratio"] == pytest.approx(weight * (11 / 36 - 0.3) ** 2, rel=1e-4)


def test_the_kept_ratio_is_a_mean_over_branches_in_the_released_variant_too(bert: Path) -> None:
    losses = losses_of(bert, {}, use_paper_version=False)
    assert losses["kept"] == pytest.approx(0.5)  # both branches keep half, their masks added come to 1

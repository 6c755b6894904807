from typing import Any

import numpy as np
import pytest
import torch
import torch.nn.functional as F

from seps.method.network import CrossSparseAggrNet
from seps.training.batches.batch import StepBatch
from seps.training.batches.phrases import PhraseBox, PhraseRegions
from seps.training.losses.selecting import selection_losses
from seps.training.settings import TrainSettings

ALL = TrainSettings(frozen=True, map_weight=1.0, significance_weight=1.0, decision_weight=1.0, blind_weight=1.0)
INSIDE = np.arange(16) < 5


def batch_of(network: CrossSparseAggrNet, **changes: Any) -> tuple[StepBatch, torch.Tensor, torch.Tensor]:
    """Two pairs as embeddings, with a phrase each, and the phrases' directions."""
    images, captions = torch.randn(2, network.num_patches, 24), torch.randn(2, 7, 24)
    masks = torch.from_numpy(np.stack([INSIDE, ~INSIDE]))
    parts: dict[str, Any] = {
        "phrases": [(i, i, PhraseBox(1, 3, INSIDE, "thing")) for i in range(2)],
        "named": masks,
        "regions": PhraseRegions(torch.arange(2), torch.randn(2, 3, 24), torch.tensor([3, 3]), masks, masks.flip(0)),
    }
    lengths = torch.tensor([5, 7])
    batch = StepBatch(images, captions, lengths, None, None, torch.arange(2), True, **parts | changes)
    return batch, captions, F.normalize(torch.randn(2, 24), dim=-1)


@pytest.fixture
def network() -> CrossSparseAggrNet:
    torch.manual_seed(6)
    return CrossSparseAggrNet(24, 16, use_paper_version=True)


def selected(network: CrossSparseAggrNet, settings: TrainSettings, **changes: Any) -> dict[str, torch.Tensor]:
    batch, captions, directions = batch_of(network, **changes)
    return selection_losses(network, batch, batch.images, batch.images, captions, directions, settings)


def test_each_loss_has_what_it_looks_at_and_no_other_is_computed(network: CrossSparseAggrNet) -> None:
    assert list(selected(network, ALL)) == ["maps", "significance", "decision", "blind"]
    assert list(selected(network, ALL, named=None, regions=None)) == ["maps", "blind"]
    assert list(selected(network, TrainSettings(), named=None, regions=None)) == []
    assert selected(network, ALL, pretraining=True) == {}

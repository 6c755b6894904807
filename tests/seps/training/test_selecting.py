from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from types import FrameType
from typing import Any

import numpy as np
import pytest
import torch
import torch.nn.functional as F

from seps.method import selection
from seps.method.network import CrossSparseAggrNet
from seps.training.batch import StepBatch
from seps.training.decision import PhraseRegions
from seps.training.phrases import PhraseBox
from seps.training.ranking import ranking_losses
from seps.training.selecting import BatchSelections, batch_selections
from seps.training.settings import TrainSettings
from seps.training.step import SEPSLoss, selection_losses

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
    selections = batch_selections(network, batch, batch.images, batch.images, captions, directions, settings)
    return selection_losses(selections, captions, batch)


def test_each_loss_has_what_it_looks_at_and_no_other_is_computed(network: CrossSparseAggrNet) -> None:
    assert list(selected(network, ALL)) == ["maps", "significance", "decision", "blind"]
    assert list(selected(network, ALL, named=None, regions=None)) == ["maps", "blind"]
    assert list(selected(network, TrainSettings(), named=None, regions=None)) == []
    assert selected(network, ALL, pretraining=True) == {}


def test_phrases_that_leave_no_patch_out_teach_maps_nothing(network: CrossSparseAggrNet) -> None:
    everywhere = [(0, 0, PhraseBox(1, 3, np.ones(16, dtype=bool), "scene"))]
    assert float(selected(network, ALL, phrases=everywhere)["maps"]) == 0.0


@contextmanager
def callers_of(module: Any) -> Iterator[list[str]]:
    """Collect the files of training from which a module is entered, in order, each stay once."""
    callers: list[str] = []

    def watch(frame: FrameType, event: str, _: object) -> None:
        if event == "call" and frame.f_code.co_filename == module.__file__ and frame.f_back is not None:
            caller = frame.f_back
            while caller.f_back is not None and "training" not in caller.f_code.co_filename:
                caller = caller.f_back
            name = Path(caller.f_code.co_filename).name
            if not callers or callers[-1] != name:
                callers.append(name)

    sys.setprofile(watch)
    try:
        yield callers
    finally:
        sys.setprofile(None)


def test_a_batch_meets_selection_twice(network: CrossSparseAggrNet) -> None:
    batch, captions, directions = batch_of(network)
    with callers_of(selection) as callers:
        ranking_losses(network, SEPSLoss(), batch.images, (captions, batch.lengths), None, batch.img_ids, None)
        selections = batch_selections(network, batch, batch.images, batch.images, captions, directions, ALL)
        losses = selection_losses(selections, captions, batch)
    assert callers == ["pairwise.py", "selecting.py"]
    assert selections != BatchSelections() and len(losses) == 4

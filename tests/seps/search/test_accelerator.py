import logging

import pytest
import torch
from torch import Tensor

from seps import ScoringEngine
from seps.search.blocks import BlockScorer
from seps.search.index import CaptionIndex
from tests.helpers.models.cases import Case, indexed
from tests.seps.method.test_golden import MANIFEST, NETWORKS, build, under, vectors


@pytest.mark.parametrize("name", NETWORKS)
def test_golden_vectors(name: str) -> None:
    tensors = vectors(name)
    model = build(MANIFEST[name])
    model.load_state_dict(under(tensors, "param."))
    model.eval()
    engine, images, captions = indexed(model, under(tensors, "in."), batched=True)
    torch.testing.assert_close(engine.score(images, captions), tensors["out.similarity"], atol=1e-5, rtol=0)


def test_blocks_that_float32_is_too_small_for_are_scored_again(monkeypatch: pytest.MonkeyPatch) -> None:
    model, inputs = Case(images=9, captions=40, side=5, paper=False).build()
    inputs["img_embs"][4] = inputs["img_embs"][4, :1]  # equal patches: 40 uncertain pairs
    monkeypatch.setattr("seps.search.blocks.MIN_EXACT", 2)
    again: list[bool] = []
    score = BlockScorer.score

    def counted(self: BlockScorer, captions: CaptionIndex, exact: bool = False) -> tuple[Tensor, Tensor]:
        again.append(exact)
        return score(self, captions, exact)

    monkeypatch.setattr(BlockScorer, "score", counted)
    engine, images, encoded = indexed(model, inputs, batched=True)
    scores = engine.score(images, encoded)
    assert again[0] is False and True in again
    with torch.no_grad():
        assert float((scores - model(**inputs)).abs().max()) < 1e-5


def test_where_memory_runs_out_half_is_tried(monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture) -> None:
    model, inputs = Case(images=40, captions=60, side=6, channels=64).build()
    engine, images, captions = indexed(model, inputs, batched=True)
    expected = engine.score(images, captions)
    score = BlockScorer.score

    def limited(self: BlockScorer, captions: CaptionIndex, exact: bool = False) -> tuple[Tensor, Tensor]:
        if len(self.images) * len(captions) > 1200:
            raise torch.OutOfMemoryError("CUDA out of memory.")
        return score(self, captions, exact)

    monkeypatch.setattr(BlockScorer, "score", limited)
    small = ScoringEngine(model, memory_mb=512, batched=True)
    with caplog.at_level(logging.WARNING, logger="seps.search.engine"):
        torch.testing.assert_close(small.score(images, captions), expected, atol=1e-6, rtol=0)
    assert caplog.messages[0] == "The GPU ran out of memory: trying again within 256 MB."


def test_where_least_memory_is_too_much_the_error_is_raised(monkeypatch: pytest.MonkeyPatch) -> None:
    def full(self: BlockScorer, captions: CaptionIndex, exact: bool = False) -> tuple[Tensor, Tensor]:
        raise torch.OutOfMemoryError("CUDA out of memory.")

    engine, images, captions = indexed(*Case().build(), batched=True)
    monkeypatch.setattr(BlockScorer, "score", full)
    with pytest.raises(torch.OutOfMemoryError):
        engine.score(images, captions)


def test_on_cuda_half_of_the_free_memory_is_taken(monkeypatch: pytest.MonkeyPatch) -> None:
    engine = ScoringEngine(Case().build()[0])
    assert engine.memory == 512 * 2**20
    assert ScoringEngine(engine.model, memory_mb=100).memory == 100 * 2**20
    monkeypatch.setattr(ScoringEngine, "device", torch.device("cuda"))
    monkeypatch.setattr(torch.cuda, "mem_get_info", lambda device: (10_000, 90_000))
    monkeypatch.setattr(torch.cuda, "memory_reserved", lambda device: 3_000)
    monkeypatch.setattr(torch.cuda, "memory_allocated", lambda device: 1_000)
    assert engine.memory == 6_000  # what torch holds without use is free too

import logging
from dataclasses import replace
from typing import Any

import pytest
import torch
from torch import Tensor

from seps import CrossSparseAggrNet, ScoringEngine
from seps.search.blocks import BlockScorer
from seps.search.index import CaptionIndex, ImageIndex
from tests.helpers.models.cases import Case
from tests.seps.method.test_golden import MANIFEST, NETWORKS, build, under, vectors


def indexed(case: Case, **inputs: Tensor) -> tuple[CrossSparseAggrNet, ScoringEngine, ImageIndex, CaptionIndex]:
    model, drawn = case.build()
    drawn |= inputs
    engine = ScoringEngine(model, batched=True)
    return model, engine, engine.encode_images(drawn.pop("img_embs")), engine.encode_captions(**drawn)


@pytest.mark.parametrize("name", NETWORKS)
def test_golden_vectors(name: str) -> None:
    tensors = vectors(name)
    model = build(MANIFEST[name])
    model.load_state_dict(under(tensors, "param."))
    model.eval()
    inputs: dict[str, Any] = under(tensors, "in.")
    engine = ScoringEngine(model, batched=True)
    images = engine.encode_images(inputs.pop("img_embs"))
    scores = engine.score(images, engine.encode_captions(**inputs))
    torch.testing.assert_close(scores, tensors["out.similarity"], atol=1e-5, rtol=0)


def test_what_stands_in_the_padding_does_not_matter() -> None:
    model, inputs = Case(captions=6, dense_words=9).build()
    engine = ScoringEngine(model, batched=True)
    images, scores = engine.encode_images(inputs.pop("img_embs")), []
    for filling in (0.0, 100.0):
        for name in ("cap", "dense_cap"):
            beyond = torch.arange(inputs[f"{name}_embs"].shape[1]) >= inputs[f"{name}_lens"][:, None]
            inputs[f"{name}_embs"][beyond] = filling
        scores.append(engine.score(images, engine.encode_captions(**inputs)))
    assert torch.equal(scores[0], scores[1])


@pytest.mark.parametrize("batched", [False, True])
@pytest.mark.parametrize("paper", [False, True])
def test_forced_decisions(paper: bool, batched: bool) -> None:
    model, inputs = Case(captions=6, dense_words=9, paper=paper).build()
    mask, dense_mask = torch.rand(3, 16) < 0.4, torch.rand(16) < 0.6
    captions = {key: value for key, value in inputs.items() if key != "img_embs"}
    engine = ScoringEngine(model, batched=batched)
    image, images = model.encode_images(inputs["img_embs"]), engine.encode_images(inputs["img_embs"])
    scores = engine.score(images, engine.encode_captions(**captions), mask, dense_mask)
    with torch.no_grad():
        for t in range(6):
            words = inputs["cap_embs"][t, : inputs["cap_lens"][t]]
            dense = inputs["dense_cap_embs"][t, : inputs["dense_cap_lens"][t]]
            match = model.match(image, words, dense, mask=mask, dense_mask=dense_mask)
            assert float((scores[:, t] - match.similarity).abs().max()) < 1e-5


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
    captions = {key: value for key, value in inputs.items() if key != "img_embs"}
    engine = ScoringEngine(model, batched=True)
    scores = engine.score(engine.encode_images(inputs["img_embs"]), engine.encode_captions(**captions))
    assert again[0] is False and True in again
    with torch.no_grad():
        assert float((scores - model(**inputs)).abs().max()) < 1e-5


def test_where_memory_runs_out_half_is_tried(monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture) -> None:
    model, engine, images, captions = indexed(replace(Case(), images=40, captions=60, side=6, channels=64))
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

    _, engine, images, captions = indexed(Case())
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

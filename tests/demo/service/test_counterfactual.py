"""Decisions by hand: the numbers are the library's, the rank is that among the others, which decide for themselves."""

from __future__ import annotations

import re

import numpy as np
import pytest
import torch

from demo.galleries.index import require_in_memory
from demo.service.counterfactual import Forcing
from demo.service.masks import mask_text
from demo.service.registry import ModelRegistry
from demo.service.retrieval import RetrievalService
from seps import explain

CAPTION = "an orange flower"


def test_a_forced_record_is_the_librarys(service: RetrievalService) -> None:
    indexed = service.find("examples")
    mask = np.random.default_rng(0).random(196) < 0.2
    words = service.model.encode_captions([CAPTION])[0][0]
    record = service.explain(indexed, 3, CAPTION, None, mask)
    expected = explain(service.model.cross_net, indexed.patches(3), words, mask=mask)
    assert record.forced and np.array_equal(record.sparse.kept, mask)
    assert record.similarity == pytest.approx(expected.similarity, abs=1e-6)
    assert service.explain(indexed, 3, CAPTION) is not record
    assert not service.explain(indexed, 3, CAPTION).forced


def test_the_rank_counts_the_others_as_they_are(service: RetrievalService) -> None:
    indexed = service.find("examples")
    captions = service.encode([CAPTION])
    scores = service.engine.score(require_in_memory(indexed).images, captions)[:, 0]
    index = int(scores.argsort(descending=True)[5])
    forcing = Forcing(service, indexed, index, CAPTION)
    assert (forcing.decided.rank, forcing.decided.total) == (6, 14)
    ranks = []
    for seed in range(6):
        mask = np.random.default_rng(seed).random(196) < 0.05
        forced = service.engine.score(require_in_memory(indexed).images, captions, torch.from_numpy(mask))[index, 0]
        others = torch.cat([scores[:index], scores[index + 1 :]])
        attempt = forcing.attempt(mask)
        assert attempt.record.similarity == pytest.approx(float(forced), abs=1e-5)
        assert attempt.rank == 1 + int((others > forced).sum())
        ranks.append(attempt.rank)
    assert len({6, *ranks}) > 1
    assert forcing.attempt(None) is forcing.attempt(forcing.decided.record.sparse.kept.copy()) is forcing.decided


def test_the_game_sets_a_budget_beside_the_highest_scores(service: RetrievalService) -> None:
    indexed = service.find("examples")
    forcing = Forcing(service, indexed, 0, CAPTION)
    score = forcing.decided.record.sparse.score
    best = np.isin(np.arange(196), score.argsort(kind="stable")[::-1][:20])
    game = forcing.game(20, None)
    assert game.by_hand is None and game.overlap == 0
    assert np.array_equal(game.by_model.record.sparse.kept, best)
    half = best.copy()
    half[np.flatnonzero(best)[:10]] = False
    game = forcing.game(20, half)
    assert game.by_hand is not None and game.overlap == 0.5
    with pytest.raises(ValueError, match="20 patches are kept"):
        forcing.game(5, best)
    for budget, message in (
        (0, "budget is 0, but it must be from 1 to 196 patches"),
        (197, "budget is 197, but it must be from 1 to 196 patches"),
    ):
        with pytest.raises(ValueError, match=re.escape(message)):
            forcing.game(budget, None)


def test_edited_galleries_have_rankings_of_their_own(registry: ModelRegistry) -> None:
    service, indexed = registry.open("scenes")
    caption = "a red car"
    assert service.get_cached_ranking(indexed, caption) is service.get_cached_ranking(indexed, caption)
    mask = np.zeros(100, dtype=bool)
    mask[:7] = True
    assert len(mask_text(mask)) == 18
    assert Forcing(service, indexed, 5, caption).attempt(mask).total == 200

import re

import numpy as np
import pytest
import torch

from demo.galleries.indexes.index import require_in_memory
from demo.service.experiments.counterfactual import Forcing
from demo.service.masks import changed_mask, mask_text, read_mask, read_patches
from demo.service.retrieval import RetrievalService

CAPTION = "an orange flower"


def test_the_rank_counts_the_others_as_they_are(service: RetrievalService) -> None:
    indexed = service.find("examples")
    captions = service.encode([CAPTION])
    scores = service.engine.score(require_in_memory(indexed).images, captions)[:, 0]
    index = int(scores.argsort(descending=True)[5])
    forcing = Forcing(service, indexed, index, CAPTION)
    assert (forcing.decided.rank, forcing.decided.total) == (6, 14)
    ranks = []
    for seed in range(3):
        mask = np.random.default_rng(seed).random(196) < 0.05
        forced = service.engine.score(require_in_memory(indexed).images, captions, torch.from_numpy(mask))[index, 0]
        others = torch.cat([scores[:index], scores[index + 1 :]])
        attempt = forcing.attempt(mask)
        assert attempt.record.similarity == pytest.approx(float(forced), abs=1e-5)
        assert attempt.record.forced and np.array_equal(attempt.record.sparse.kept, mask)
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
    for budget in (0, 197):
        with pytest.raises(ValueError, match=f"budget is {budget}, but it must be from 1 to 196 patches"):
            forcing.game(budget, None)


@pytest.mark.parametrize("count", [1, 8, 9, 196])
def test_a_mask_leads_back_from_its_text(count: int) -> None:
    draw = np.random.default_rng(count)
    for _ in range(20):
        mask = draw.random(count) < draw.random()
        mask[draw.integers(count)] = True
        text = mask_text(mask)
        read = read_mask(text, count)
        assert read is not None and np.array_equal(read, mask)
        assert len(text) <= np.ceil(np.ceil(count / 8) * 4 / 3) and not set(text) & set("+/=")
    assert read_mask("", count) is None
    with pytest.raises(ValueError, match="keeps no patch"):
        read_mask(mask_text(np.zeros(count, dtype=bool)), count)


def test_other_texts_are_refused() -> None:
    for text in ("A", "!", "AAAAA", "_" * 34, "ä", "=", "////"):
        with pytest.raises(ValueError, match=f"The mask '{text}' does not have 20 patches"):
            read_mask(text, 20)
    with pytest.raises(ValueError, match="AAAA' does not have 20 patches"):
        read_mask("A" * 5000, 20)


def test_lists_of_patches_count_from_one() -> None:
    assert np.flatnonzero(read_patches("1,2, 5-9", 12, "keep")).tolist() == [0, 1, 4, 5, 6, 7, 8]
    assert read_patches("all", 4, "keep").all() and not read_patches("", 4, "keep").any()
    for text, message in (
        ("0", "keep has 0, but there are patches 1 to 12"),
        ("9-13", "keep has 9-13, but there are patches 1 to 12"),
        ("x", "keep has 'x', but numbers of patches are needed, such as 1,2"),
    ):
        with pytest.raises(ValueError, match=re.escape(message)):
            read_patches(text, 12, "keep")


def test_patches_are_dropped_and_then_kept() -> None:
    kept = np.array([1, 1, 0, 0], dtype=bool)
    assert changed_mask(kept, "", "") is None
    assert changed_mask(kept, "4", "1").astype(int).tolist() == [0, 1, 0, 1]  # type: ignore[union-attr]
    assert changed_mask(kept, "3", "all").astype(int).tolist() == [0, 0, 1, 0]  # type: ignore[union-attr]
    with pytest.raises(ValueError, match="The mask keeps no patch"):
        changed_mask(kept, "", "all")

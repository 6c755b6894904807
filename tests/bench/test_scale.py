from __future__ import annotations

from pathlib import Path

import numpy as np
import torch

from seps import CrossSparseAggrNet, ScoringEngine
from seps.search.store import GalleryStore
from tests.bench.scale import JITTER, build, exact_scores, fraction_of_top, gallery_rows, timed

GRID = 4, 4
REAL = np.random.default_rng(1).standard_normal((6, 16, 8)).astype(np.float16)


def test_mixtures_have_patches_of_two_photographs() -> None:
    rows = torch.cat([embeddings for _, embeddings in gallery_rows(REAL, 20, GRID)])
    assert rows.shape == (20, 16, 8)
    real = torch.from_numpy(REAL.astype(np.float32))
    assert torch.equal(rows[:6], real)
    for row in rows[6:]:
        distances = (row - real).norm(dim=-1)  # (6, 16)
        assert len(set(distances.argmin(dim=0).tolist())) == 2
        assert distances.amin(dim=0).max() < 6 * JITTER * 8**0.5
    again = torch.cat([embeddings for _, embeddings in gallery_rows(REAL, 20, GRID)])
    assert torch.equal(rows, again)


def test_a_table_is_built_and_scored_exactly(tmp_path: Path) -> None:
    engine = ScoringEngine(CrossSparseAggrNet(8, 16).eval())
    measured = build(engine, tmp_path / "bench.lance", REAL, 20, GRID)
    assert measured["bytes"] > 20 * 16 * 8 * 2
    assert min(measured.values()) > 0
    captions = engine.encode_captions(torch.randn(3, 5, 8), [5, 4, 3])
    rows, scores, pooled = exact_scores(engine, GalleryStore.read(tmp_path / "bench.lance"), captions)
    expected = torch.cat([embeddings for _, embeddings in gallery_rows(REAL, 20, GRID)]).half().float()
    torch.testing.assert_close(scores, engine.score(engine.encode_images(expected), captions))
    assert len(rows) == 20
    np.testing.assert_allclose(np.linalg.norm(pooled, axis=1), 1, atol=1e-3)


def test_answers_are_timed_and_compared() -> None:
    answers, times = timed(lambda number: [number, 10 + number], 3)
    assert answers == [[0, 10], [1, 11], [2, 12]]
    assert 0 <= times["p50_ms"] <= times["p95_ms"]
    best = [set(range(10)), set(range(10, 20)), set(range(3, 13))]
    assert fraction_of_top(answers, best) == (0.1 + 0.1 + 0.1) / 3

from __future__ import annotations

import torch

from seps import CrossSparseAggrNet, ScoringEngine
from tests.bench.pooling import centroids, fraction_found, ways


def test_the_fraction_is_that_of_the_exact_top_ten() -> None:
    scores = torch.arange(40.0)[:, None].expand(-1, 2)
    assert fraction_found(scores, scores, 10) == 1.0
    assert fraction_found(scores, -scores, 10) == 0.0
    assert fraction_found(scores, -scores, 35) == 0.5
    assert fraction_found(scores, torch.stack([scores[:, 0], -scores[:, 1]], dim=1), 20) == 0.5


def test_every_way_to_pool_gives_a_product_a_pair() -> None:
    model = CrossSparseAggrNet(32, 16).eval()
    engine = ScoringEngine(model)
    embeddings = torch.randn(30, 16, 32)
    images = engine.encode_images(embeddings)
    captions = engine.encode_captions(torch.randn(12, 6, 32), [6] * 8 + [4] * 4)
    pooled = ways(embeddings, images, captions, 8, engine.score(images, captions))
    assert [numbers for numbers, _ in pooled.values()] == [32] * 4 + [4 * 32, 8 * 32, 128, 32]
    assert all(products().shape == (30, 4) for _, products in pooled.values())


def test_as_many_centroids_as_patches_are_the_patches() -> None:
    unit = torch.nn.functional.normalize(torch.randn(3, 16, 32), dim=-1)
    torch.testing.assert_close(centroids(unit, 16), unit)
    assert centroids(unit, 4).shape == (3, 4, 32)

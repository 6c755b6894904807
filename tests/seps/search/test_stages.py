from __future__ import annotations

import pytest
import torch

from seps.method.network import CrossSparseAggrNet
from seps.search.engine import ScoringEngine
from seps.search.index import CaptionIndex
from seps.search.stages import rank_stored
from seps.search.store import FileFacts, GalleryStore, Layout, StoredPhoto
from tests.helpers.sentences import refused

PATCHES, CHANNELS, COUNT = 16, 32, 50


@pytest.fixture(scope="module", params=["released", "paper"])
def model(request: pytest.FixtureRequest) -> CrossSparseAggrNet:
    torch.manual_seed(0)
    return CrossSparseAggrNet(CHANNELS, PATCHES, use_paper_version=request.param == "paper").eval()


@pytest.fixture(scope="module")
def engine(model: CrossSparseAggrNet) -> ScoringEngine:
    return ScoringEngine(model)


@pytest.fixture(scope="module")
def embeddings() -> torch.Tensor:
    return torch.randn(COUNT, PATCHES, CHANNELS, generator=torch.Generator().manual_seed(1))


@pytest.fixture(scope="module")
def words() -> torch.Tensor:
    return torch.randn(1, 6, CHANNELS, generator=torch.Generator().manual_seed(2))


@pytest.fixture(scope="module")
def caption(engine: ScoringEngine, words: torch.Tensor) -> CaptionIndex:
    return engine.encode_captions(words, [6])


@pytest.fixture(scope="module", params=["float32", "float16"])
def store(
    embeddings: torch.Tensor, tmp_path_factory: pytest.TempPathFactory, request: pytest.FixtureRequest
) -> GalleryStore:
    uri = tmp_path_factory.mktemp("stages") / "gallery.lance"
    with GalleryStore.write(uri, Layout("an encoder", PATCHES, CHANNELS, request.param)) as writer:
        for start in range(0, COUNT, 20):
            rows = range(start, min(start + 20, COUNT))
            writer.put([StoredPhoto(FileFacts(f"{i}.jpg", i, i, str(i)), embeddings[i]) for i in rows])
    return GalleryStore.read(uri)


def kept(store: GalleryStore, embeddings: torch.Tensor) -> torch.Tensor:
    return embeddings if store.layout.precision == "float32" else embeddings.half().float()


def positions(store: GalleryStore, rows: torch.Tensor) -> list[int]:
    by_row = {row: int(path.removesuffix(".jpg")) for path, (row, _) in store.files().items()}
    return [by_row[row] for row in rows.tolist()]


def test_all_scores_are_the_plain_networks(
    model: CrossSparseAggrNet,
    engine: ScoringEngine,
    store: GalleryStore,
    caption: CaptionIndex,
    embeddings: torch.Tensor,
    words: torch.Tensor,
) -> None:
    with torch.no_grad():
        plain = model(kept(store, embeddings), words, [6])[:, 0]
    ranking = rank_stored(engine, store, caption, 5, exhaustive=True)
    assert (len(ranking), ranking.total) == (COUNT, COUNT)
    order = positions(store, ranking.rows)
    assert order == plain.argsort(descending=True).tolist()
    torch.testing.assert_close(ranking.scores, plain[order], rtol=0, atol=1e-5)
    assert len(rank_stored(engine, store, caption, COUNT)) == COUNT


def test_a_shortlist_has_the_scores_that_the_engine_gives_it(
    engine: ScoringEngine, store: GalleryStore, caption: CaptionIndex, embeddings: torch.Tensor, words: torch.Tensor
) -> None:
    ranking = rank_stored(engine, store, caption, 12)
    assert (len(ranking), ranking.total) == (12, COUNT)
    order = positions(store, ranking.rows)
    unit = torch.nn.functional.normalize(kept(store, embeddings), dim=-1).mean(1)
    mean = torch.nn.functional.normalize(words[0], dim=-1).mean(0)
    products = torch.nn.functional.normalize(unit, dim=-1) @ mean
    assert set(order) == set(products.argsort(descending=True)[:12].tolist())
    exact = engine.score(engine.encode_images(kept(store, embeddings)[sorted(order)]), caption)[:, 0]
    by_position = dict(zip(sorted(order), exact.tolist(), strict=True))
    assert ranking.scores.tolist() == [by_position[position] for position in order]  # to the last digit
    assert ranking.scores.tolist() == sorted(by_position.values(), reverse=True)


def test_a_name_limits_what_is_searched(engine: ScoringEngine, store: GalleryStore, caption: CaptionIndex) -> None:
    ranking = rank_stored(engine, store, caption, 3, name="4.JPG")
    assert (len(ranking), ranking.total) == (3, 5)
    everything = rank_stored(engine, store, caption, 3, exhaustive=True, name="4.jpg")
    assert set(positions(store, everything.rows)) == {4, 14, 24, 34, 44}
    nothing = rank_stored(engine, store, caption, name="nothing")
    assert (len(nothing), nothing.total) == (0, 0)


def test_arguments_that_do_not_fit_are_refused(
    engine: ScoringEngine, store: GalleryStore, caption: CaptionIndex
) -> None:
    with refused(ValueError):
        rank_stored(engine, store, caption, 0)
    with refused(ValueError):
        rank_stored(engine, store, caption[[0, 0]])

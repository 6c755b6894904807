from functools import partial
from pathlib import Path

import pytest
import torch

from seps.method.network import CrossSparseAggrNet
from seps.search.engine import ScoringEngine
from seps.search.features import feature_key, pack_features, read_images
from seps.search.index import CaptionIndex, ImageIndex
from seps.search.schema import Layout
from seps.search.stages import rank_stored
from seps.search.store import FileFacts, GalleryStore, StoredPhoto

PATCHES, CHANNELS, COUNT = 16, 32, 50
EMBEDDINGS = torch.randn(COUNT, PATCHES, CHANNELS, generator=torch.Generator().manual_seed(1))
WORDS = torch.randn(1, 6, CHANNELS, generator=torch.Generator().manual_seed(2))


@pytest.fixture(scope="module", params=["released", "paper"])
def engine(request: pytest.FixtureRequest) -> ScoringEngine:
    torch.manual_seed(0)
    return ScoringEngine(CrossSparseAggrNet(CHANNELS, PATCHES, use_paper_version=request.param == "paper").eval())


@pytest.fixture(scope="module")
def caption(engine: ScoringEngine) -> CaptionIndex:
    return engine.encode_captions(WORDS, [6])


def fill(
    engine: ScoringEngine, uri: Path, embeddings: torch.Tensor, first: int = 0, dtype: str = "float32", key: str = ""
) -> None:
    """Write photographs first.jpg, ... with these embeddings, and their features where a key is given."""
    _, patches, channels = embeddings.shape
    photos = [StoredPhoto(FileFacts(f"{i}.jpg", i, i, str(i)), each) for i, each in enumerate(embeddings, first)]
    layout = Layout("an encoder", patches, channels, dtype, key)
    with GalleryStore.write(uri, layout, features=partial(pack_features, engine)) as writer:
        writer.put(photos)


@pytest.fixture(scope="module", params=["float32", "float16"])
def store(
    engine: ScoringEngine, tmp_path_factory: pytest.TempPathFactory, request: pytest.FixtureRequest
) -> GalleryStore:
    """A table of several parts; in half precision with features."""
    uri = tmp_path_factory.mktemp("stages") / "gallery.lance"
    key = feature_key(engine) if request.param == "float16" else ""
    for start in range(0, COUNT, 20):
        fill(engine, uri, EMBEDDINGS[start : start + 20], start, request.param, key)
    return GalleryStore.read(uri)


def kept(store: GalleryStore) -> torch.Tensor:
    return EMBEDDINGS if store.layout.precision == "float32" else EMBEDDINGS.half().float()


def positions(store: GalleryStore, rows: torch.Tensor) -> list[int]:
    by_row = {row: int(path.removesuffix(".jpg")) for path, (row, _) in store.files().items()}
    return [by_row[row] for row in rows.tolist()]


def test_all_scores_are_the_plain_networks(engine: ScoringEngine, store: GalleryStore, caption: CaptionIndex) -> None:
    with torch.no_grad():
        plain = engine.model(kept(store), WORDS, [6])[:, 0]
    ranking = rank_stored(engine, store, caption, 5, exhaustive=True)
    assert (len(ranking), ranking.total) == (COUNT, COUNT)
    order = positions(store, ranking.rows)
    assert order == plain.argsort(descending=True).tolist()
    torch.testing.assert_close(ranking.scores, plain[order], rtol=0, atol=1e-5)
    assert len(rank_stored(engine, store, caption, COUNT)) == COUNT


def test_a_shortlist_has_the_engine_s_scores(engine: ScoringEngine, store: GalleryStore, caption: CaptionIndex) -> None:
    ranking = rank_stored(engine, store, caption, 12)
    assert (len(ranking), ranking.total) == (12, COUNT)
    order = positions(store, ranking.rows)
    unit = torch.nn.functional.normalize(kept(store), dim=-1).mean(1)
    mean = torch.nn.functional.normalize(WORDS[0], dim=-1).mean(0)
    products = torch.nn.functional.normalize(unit, dim=-1) @ mean
    assert set(order) == set(products.argsort(descending=True)[:12].tolist())
    exact = engine.score(engine.encode_images(kept(store)[sorted(order)]), caption)[:, 0]
    by_position = dict(zip(sorted(order), exact.tolist(), strict=True))
    assert ranking.scores.tolist() == [by_position[position] for position in order]  # to the last digit
    assert ranking.scores.tolist() == sorted(by_position.values(), reverse=True)


class CountingEngine(ScoringEngine):
    """Counts the images that it encodes."""

    encoded = 0

    def encode_images(self, img_embs: torch.Tensor) -> ImageIndex:
        self.encoded += len(img_embs)
        return super().encode_images(img_embs)


@pytest.mark.parametrize("has_cls", [False, True])
def test_kept_features_are_read(engine: ScoringEngine, tmp_path: Path, has_cls: bool) -> None:
    counting, uri = CountingEngine(engine.model), tmp_path / "gallery.lance"
    embeddings = torch.randn(4, PATCHES + has_cls, CHANNELS, generator=torch.Generator().manual_seed(3))
    fill(engine, uri, embeddings, key=feature_key(engine))
    plain, store = engine.encode_images(embeddings), GalleryStore.read(uri)
    images = read_images(counting, store, store.rows())
    assert counting.encoded == 0
    for name in ("cls", "patches", "norms", "s_im"):
        torch.testing.assert_close(getattr(images, name), getattr(plain, name))
    torch.testing.assert_close((images.s_p[0], images.logits[0]), (plain.s_p[0], plain.logits[0]))
    assert images.s_im.dtype == plain.s_im.dtype == torch.float64
    caption = engine.encode_captions(WORDS, [6])
    torch.testing.assert_close(engine.score(images, caption), engine.score(plain, caption), rtol=0, atol=1e-6)

    dense = engine.encode_captions(WORDS, [6], WORDS.flip(1), [5])  # needs the other branch
    with torch.no_grad():
        expected = engine.model(embeddings, WORDS, [6], WORDS.flip(1), [5])[:, 0]
    ranking = rank_stored(counting, store, dense)
    torch.testing.assert_close(ranking.scores, expected.sort(descending=True).values, rtol=0, atol=1e-5)
    assert counting.encoded == 4


def test_features_of_another_network_are_not_read(tmp_path: Path) -> None:
    engines = [ScoringEngine(CrossSparseAggrNet(CHANNELS, PATCHES).eval()) for _ in range(2)]
    embeddings, uri = EMBEDDINGS[:6], tmp_path / "gallery.lance"
    for start, engine in zip((0, 3), engines, strict=True):  # trained on, between the two
        fill(engine, uri, embeddings[start : start + 3], start, key=feature_key(engine))
    for engine in engines:
        with torch.no_grad():
            expected = engine.model(embeddings, WORDS, [6])[:, 0].sort(descending=True).values
        ranking = rank_stored(engine, GalleryStore.read(uri), engine.encode_captions(WORDS, [6]))
        torch.testing.assert_close(ranking.scores, expected, rtol=0, atol=1e-5)


def test_a_name_limits_what_is_searched(engine: ScoringEngine, store: GalleryStore, caption: CaptionIndex) -> None:
    ranking = rank_stored(engine, store, caption, 3, name="4.JPG")
    assert (len(ranking), ranking.total) == (3, 5)
    everything = rank_stored(engine, store, caption, 3, exhaustive=True, name="4.jpg")
    assert set(positions(store, everything.rows)) == {4, 14, 24, 34, 44}
    nothing = rank_stored(engine, store, caption, name="nothing")
    assert (len(nothing), nothing.total) == (0, 0)


def test_arguments_that_do_not_fit(engine: ScoringEngine, store: GalleryStore, caption: CaptionIndex) -> None:
    with pytest.raises(ValueError, match="shortlist is 0, but a whole number of at least 1 is needed"):
        rank_stored(engine, store, caption, 0)
    with pytest.raises(ValueError, match="caption holds 2 entries"):
        rank_stored(engine, store, caption[[0, 0]])

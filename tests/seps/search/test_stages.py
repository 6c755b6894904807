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


@pytest.fixture(scope="module", params=["float32", "float16 with features"])
def store(
    engine: ScoringEngine,
    embeddings: torch.Tensor,
    tmp_path_factory: pytest.TempPathFactory,
    request: pytest.FixtureRequest,
) -> GalleryStore:
    uri = tmp_path_factory.mktemp("stages") / "gallery.lance"
    precision, _, features = request.param.partition(" with ")
    layout = Layout("an encoder", PATCHES, CHANNELS, precision, feature_key(engine) if features else "")
    with GalleryStore.write(uri, layout, features=partial(pack_features, engine)) as writer:
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


class CountingEngine(ScoringEngine):
    """Counts the images that it encodes."""

    encoded = 0

    def encode_images(self, img_embs: torch.Tensor) -> ImageIndex:
        self.encoded += len(img_embs)
        return super().encode_images(img_embs)


@pytest.mark.parametrize("has_cls", [False, True])
def test_kept_features_are_read_in_place_of_encoding(
    model: CrossSparseAggrNet, words: torch.Tensor, tmp_path: Path, has_cls: bool
) -> None:
    engine, uri = CountingEngine(model), tmp_path / "gallery.lance"
    embeddings = torch.randn(6, PATCHES + has_cls, CHANNELS, generator=torch.Generator().manual_seed(3))
    photos = [StoredPhoto(FileFacts(f"{i}.jpg", i, i, str(i)), each) for i, each in enumerate(embeddings)]
    layout = Layout("an encoder", PATCHES + has_cls, CHANNELS, "float32", feature_key(engine))
    with GalleryStore.write(uri, layout, features=partial(pack_features, engine)) as writer:
        writer.put(photos[:4])
    store, engine.encoded = GalleryStore.read(uri), 0
    images, plain = read_images(engine, store, store.rows()), ScoringEngine(model).encode_images(embeddings[:4])
    assert engine.encoded == 0
    for name in ("cls", "patches", "norms", "s_im"):
        torch.testing.assert_close(getattr(images, name), getattr(plain, name))
    torch.testing.assert_close((images.s_p[0], images.logits[0]), (plain.s_p[0], plain.logits[0]))
    assert images.s_im.dtype == plain.s_im.dtype == torch.float64
    caption = engine.encode_captions(words, [6])
    torch.testing.assert_close(engine.score(images, caption), engine.score(plain, caption), rtol=0, atol=1e-6)

    dense = engine.encode_captions(words, [6], words.flip(1), [5])  # needs the other branch
    with torch.no_grad():
        expected = model(embeddings[:4], words, [6], words.flip(1), [5])[:, 0]
    ranking = rank_stored(engine, store, dense)
    torch.testing.assert_close(ranking.scores, expected.sort(descending=True).values, rtol=0, atol=1e-5)
    assert engine.encoded == 4


def test_features_of_another_network_are_not_read(words: torch.Tensor, tmp_path: Path) -> None:
    first, second = (CrossSparseAggrNet(CHANNELS, PATCHES).eval() for _ in range(2))
    embeddings, uri = torch.randn(5, PATCHES, CHANNELS), tmp_path / "gallery.lance"
    photos = [StoredPhoto(FileFacts(f"{i}.jpg", i, i, str(i)), each) for i, each in enumerate(embeddings)]
    for model, part in ((first, photos[:3]), (second, photos[3:])):  # trained on, between the two
        engine = ScoringEngine(model)
        layout = Layout("an encoder", PATCHES, CHANNELS, "float32", feature_key(engine))
        with GalleryStore.write(uri, layout, features=partial(pack_features, engine)) as writer:
            writer.put(part)
    for model in (first, second):
        engine = ScoringEngine(model)
        with torch.no_grad():
            expected = model(embeddings, words, [6])[:, 0].sort(descending=True).values
        ranking = rank_stored(engine, GalleryStore.read(uri), engine.encode_captions(words, [6]))
        torch.testing.assert_close(ranking.scores, expected, rtol=0, atol=1e-5)


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
    with pytest.raises(ValueError, match="shortlist is 0, but a whole number of at least 1 is needed"):
        rank_stored(engine, store, caption, 0)
    with pytest.raises(ValueError, match="caption holds 2 entries"):
        rank_stored(engine, store, caption[[0, 0]])

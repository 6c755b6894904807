import shutil
import threading
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
import torch
from PIL import Image
from torch import Tensor

from demo.galleries.indexes.index import index_gallery
from demo.galleries.indexes.indexing import FolderIndexing
from demo.galleries.indexes.stored import MISSING, StoredGallery
from demo.galleries.indexes.table import table_place
from demo.galleries.sources.folder import create_listed_gallery, folder_gallery
from seps import CaptionIndex, ScoringEngine, SEPSModel
from seps.indexing.layout import table_layout
from seps.search.features import feature_key
from seps.search.store import GalleryStore
from tests.demo.galleries.conftest import write_noise

COUNT = 10
EARLY = 6  # photographs that are indexed where a seventh has to wait


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    names = [f"{'dog' if number % 3 else 'cat'}-{number:02}.png" for number in range(COUNT)]
    return write_noise(tmp_path_factory.mktemp("stored") / "photos", names)


@pytest.fixture(autouse=True)
def early(monkeypatch: pytest.MonkeyPatch) -> None:
    """Every photograph is a commit, and some are enough to begin with."""
    monkeypatch.setattr("seps.indexing.sync.COMMIT_PHOTOS", 2)
    monkeypatch.setattr("demo.galleries.indexes.indexing.FIRST", 4)
    monkeypatch.setattr("demo.galleries.indexes.indexing.AGAIN", 0.01)
    monkeypatch.setattr("demo.galleries.indexes.indexing.PATIENCE", 0.2)


class Held:
    """Encodes with a model; the thread indexes as many photographs as it may."""

    def __init__(self, model: SEPSModel, allowed: int = 10**6) -> None:
        self.model, self.count = model, 0
        self.allowed = threading.Semaphore(allowed)

    def __call__(self, photos: Sequence[Image.Image]) -> Tensor:
        if threading.current_thread().name == "indexing":
            self.allowed.acquire()
        self.count += 1
        return self.model.encode_photos(photos)

    def go_on(self) -> None:
        self.allowed.release(10**6)


def opened(
    model: SEPSModel, folder: Path, cache: Path, encode: Held, **options: Any
) -> tuple[StoredGallery, FolderIndexing]:
    gallery, files = create_listed_gallery(folder)
    place = table_place(cache, gallery, model)
    engine = ScoringEngine(model.cross_net)
    stored = StoredGallery(engine, table_layout(model, features=feature_key(engine)), gallery, place, encode)
    return stored, FolderIndexing(stored, files, **options)


def indexed_whole(model: SEPSModel, folder: Path, cache: Path, **options: Any) -> tuple[StoredGallery, FolderIndexing]:
    stored, indexing = opened(model, folder, cache, Held(model), **options)
    indexing.start()
    indexing.wait()
    return stored, indexing


@pytest.fixture
def captions(model: SEPSModel) -> CaptionIndex:
    return ScoringEngine(model.cross_net).encode_captions(*model.encode_captions(["a dog runs"]))


def test_what_is_indexed_is_ranked_while_the_rest_is_indexed_and_another_process_waits(
    model: SEPSModel, folder: Path, tmp_path: Path, captions: CaptionIndex
) -> None:
    memory = index_gallery(model, folder_gallery(folder), None)
    encode = Held(model, EARLY + 1)  # and no more, until it may go on; a commit has two
    stored, indexing = opened(model, folder, tmp_path, encode)
    indexing.start()
    while stored.indexed < EARLY:
        time.sleep(0.01)
    assert (stored.indexed, len(stored)) == (EARLY, COUNT)
    last = COUNT - 1  # not indexed yet
    torch.testing.assert_close(stored.patches(last), memory.patches(last))
    assert stored.digest(last) == memory.digest(last)
    torch.testing.assert_close(stored.pooled([0, last]), memory.pooled([0, last]), atol=2e-3, rtol=0)
    status = indexing.status()
    assert (status.total, status.running, status.problem) == (COUNT, True, "")
    order, _, total = stored.rank(captions)
    assert len(order) == total == EARLY
    before = stored.state
    second = Held(model)
    beside, waiting = opened(model, folder, tmp_path, second)
    waiting.start()
    while not waiting.status().problem:
        time.sleep(0.01)
    assert waiting.status().problem.startswith("Another process is writing the table")
    assert (beside.indexed, second.count) == (EARLY, 0)
    encode.go_on()
    indexing.wait()
    waiting.wait()
    assert (beside.indexed, waiting.status().problem) == (COUNT, "")
    assert stored.state != before
    order, scores, total = stored.rank(captions)
    expected = ScoringEngine(model.cross_net).rank_images(captions, memory.images)
    assert order == expected.indices.tolist()
    torch.testing.assert_close(torch.tensor(scores), expected.scores)
    assert total == COUNT
    table = GalleryStore.read(stored.table)
    assert all(table.embeddings_and_features(table.rows())[1])
    assert not indexing.status().running


def test_the_second_start_goes_on_where_the_first_was_stopped(
    model: SEPSModel, folder: Path, tmp_path: Path, captions: CaptionIndex
) -> None:
    first = Held(model, EARLY + 1)
    _, indexing = opened(model, folder, tmp_path, first)
    indexing.start()
    threading.Timer(0.05, first.go_on).start()  # the photograph at work is ended
    indexing.stop()
    second = Held(model)
    stored, again = opened(model, folder, tmp_path, second)
    kept = stored.indexed
    assert kept >= 4  # ranked before anything is encoded
    assert len(stored.rank(captions)[0]) == kept
    again.start()
    again.wait()
    assert second.count == COUNT - kept
    assert stored.indexed == COUNT


def test_names_are_filtered_and_named_positions_always_scored(
    model: SEPSModel, folder: Path, tmp_path: Path, captions: CaptionIndex, monkeypatch: pytest.MonkeyPatch
) -> None:
    stored, _ = indexed_whole(model, folder, tmp_path)
    titles = [stored.gallery.items[index].title for index in stored.rank(captions, name="CAT")[0]]
    assert sorted(titles) == sorted(file.name for file in folder.glob("cat*"))
    monkeypatch.setattr("demo.galleries.indexes.stored.SHORTLIST", 5)
    every = stored.rank(captions, exhaustive=True)
    order, scores, total = stored.rank(captions)
    assert (len(order), len(every[0]), total) == (5, COUNT, COUNT)
    exact = dict(zip(every[0], every[1], strict=True))
    assert scores == pytest.approx([exact[index] for index in order])
    missing = next(index for index in every[0] if index not in order)
    more, scores, _ = stored.rank(captions, also=(missing,))
    assert set(more) == {*order, missing}
    assert scores == sorted(scores, reverse=True)
    images, positions = stored.shortlist(captions, missing)
    assert len(images) == len(positions) == 6
    assert set(positions) == {*order, missing}


def test_damaged_files_are_told_and_one_that_is_deleted_is_ranked_no_more(
    model: SEPSModel, folder: Path, tmp_path: Path, captions: CaptionIndex
) -> None:
    folder, lines = shutil.copytree(folder, tmp_path / "photos"), list[str]()
    (folder / "dog-01.png").write_bytes(b"no photograph")
    stored, indexing = indexed_whole(model, folder, tmp_path, notify=lines.append)
    status = indexing.status()
    assert (status.indexed, status.skipped, status.running) == (COUNT - 1, 1, False)
    assert len(lines) == 1 and lines[0].startswith('Left out: The photo "dog-01.png"')
    best, *others = stored.rank(captions)[0]
    name = stored.gallery.items[best].key
    (folder / name).unlink()
    assert stored.rank(captions)[0] == others
    assert stored.thumbnail(best) == MISSING
    with pytest.raises(ValueError, match=f'The photo "{name}" is not there'):
        stored.gallery.items[best].photo()
    after, _ = indexed_whole(model, folder, tmp_path)
    assert (len(after), after.indexed) == (COUNT - 1, COUNT - 2)


def test_a_folder_without_a_readable_photograph_is_refused(model: SEPSModel, tmp_path: Path) -> None:
    (tmp_path / "photos").mkdir()
    (tmp_path / "photos" / "a.png").write_bytes(b"no photograph")
    _, indexing = opened(model, tmp_path / "photos", tmp_path / "cache", Held(model))
    with pytest.raises(ValueError, match='"photos" holds no photo that can be read'):
        indexing.start()


def test_a_place_that_cannot_be_written_is_told(model: SEPSModel, folder: Path, tmp_path: Path) -> None:
    stored, indexing = opened(model, folder, tmp_path, Held(model))
    stored.table.with_suffix(".lance.lock").mkdir(parents=True)  # where a file should be
    with pytest.raises(ValueError, match=r"tables/\S+\.lance cannot be written"):
        indexing.start()
    indexing.stop()

import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
import torch
from PIL import Image

from seps.indexing.files import FolderFile, file_digest, folder_files
from seps.indexing.sync import Encoded, SyncReport, sync_files
from seps.media.photos import open_image
from seps.search.schema import Layout
from seps.search.store import GalleryStore

COUNT = 6
LAYOUT = Layout("an encoder", 4, 3)


def write_photo(file: Path, seed: int) -> None:
    file.parent.mkdir(exist_ok=True, parents=True)
    Image.fromarray(np.random.default_rng(seed).integers(0, 256, (4, 3, 3), dtype=np.uint8)).save(file)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    for seed in range(COUNT):
        write_photo(tmp_path / "photos" / ("below" if seed % 2 else "") / f"{seed}.png", seed)
    return tmp_path / "photos"


@pytest.fixture
def uri(tmp_path: Path) -> Path:
    return tmp_path / "gallery.lance"


def encode(file: FolderFile) -> Encoded:
    """A stand-in encoder: the mean colour of each row of pixels."""
    return Encoded(torch.from_numpy(np.asarray(open_image(file.file)).mean(1, dtype=np.float32)), b"small")


def sync(folder: Path, uri: Path) -> SyncReport:
    with GalleryStore.write(uri, LAYOUT) as store:
        return sync_files(store, folder_files(folder), encode)


def assert_whole(folder: Path, uri: Path) -> None:
    """The table matches the folder, with each photograph once and its current encoding."""
    store, files = GalleryStore.read(uri), folder_files(folder)
    stored = store.photos(store.rows())
    assert sorted(kept.file.path for kept in stored.values()) == [file.path for file in files]
    by_path = {kept.file.path: kept for kept in stored.values()}
    for file in files:
        kept, facts = by_path[file.path], (file_digest(file.file), file.size, file.modified)
        assert (kept.file.digest, kept.file.size, kept.file.modified) == facts
        assert torch.equal(kept.embeddings, encode(file).embeddings)


def test_a_folder_is_indexed_once(folder: Path, uri: Path) -> None:
    assert sync(folder, uri) == SyncReport(encoded=COUNT)
    assert_whole(folder, uri)
    version = GalleryStore.read(uri).version
    assert sync(folder, uri) == SyncReport(kept=COUNT)
    assert GalleryStore.read(uri).version == version


def test_what_is_added_changed_moved_copied_and_deleted_follows(folder: Path, uri: Path) -> None:
    sync(folder, uri)
    write_photo(folder / "new.png", 10)
    write_photo(folder / "2.png", 11)
    (folder / "0.png").rename(folder / "below" / "moved.png")
    (folder / "copy.png").write_bytes((folder / "4.png").read_bytes())
    (folder / "below" / "1.png").unlink()
    os.utime(folder / "below" / "3.png", (1, 1))
    report = sync(folder, uri)
    assert_whole(folder, uri)
    assert report == SyncReport(encoded=2, kept=2, moved=3, removed=2)
    assert report.sentence() == "2 encoded, 2 kept, 3 moved, 2 removed, 0 left out."


def test_damaged_files_are_skipped_and_listed(folder: Path, uri: Path) -> None:
    sync(folder, uri)
    (folder / "0.png").write_bytes((folder / "0.png").read_bytes()[:60])
    (folder / "words.jpg").write_text("no photograph")
    report = sync(folder, uri)
    assert (report.encoded, report.kept, report.removed) == (0, COUNT - 1, 1)
    assert [Path(sentence.split(" cannot be read")[0]).name for sentence in report.skipped] == ["0.png", "words.jpg"]
    (folder / "0.png").unlink()
    (folder / "words.jpg").unlink()
    assert_whole(folder, uri)


def test_hidden_files_and_links_out_of_the_folder_are_left_out(folder: Path, tmp_path: Path) -> None:
    write_photo(tmp_path / "outside.png", 1)
    write_photo(folder / ".hidden" / "x.png", 1)
    write_photo(folder / ".hidden.png", 1)
    (folder / "link.png").symlink_to(tmp_path / "outside.png")
    (folder / "nowhere.png").symlink_to(folder / "none.png")
    (folder / "captions.json").write_text("{}")
    (folder / "inside.png").symlink_to(folder / "0.png")
    names = [file.path for file in folder_files(folder)]
    assert names == ["0.png", "2.png", "4.png", "below/1.png", "below/3.png", "below/5.png", "inside.png"]
    with pytest.raises(ValueError, match="photos/none does not exist"):
        folder_files(folder / "none")


KILLED_WRITERS = """
import multiprocessing, random, sys, time
from pathlib import Path
from seps.indexing import sync
from seps.indexing.files import folder_files
from seps.search.store import GalleryStore
from tests.seps.indexing.test_sync import LAYOUT, encode

folder, uri = map(Path, sys.argv[1:])
sync.COMMIT_PHOTOS = 3
fork = multiprocessing.get_context("fork")

def slowly(file):
    time.sleep(0.02)
    return encode(file)

def write(begun):
    with GalleryStore.write(uri, LAYOUT) as store:
        begun.set()
        sync.sync_files(store, folder_files(folder), slowly)

def count():
    print(len(GalleryStore.read(uri)), flush=True)

for _ in range(5):
    begun = fork.Event()
    writer = fork.Process(target=write, args=[begun])
    writer.start()
    assert begun.wait(60)
    time.sleep(random.uniform(0.05, 0.6))
    writer.kill()
    writer.join()
    reader = fork.Process(target=count)
    reader.start()
    reader.join()
"""


@pytest.mark.slow
def test_a_table_whose_writer_is_killed_opens_and_ends_complete(tmp_path: Path, uri: Path) -> None:
    folder = tmp_path / "photos"
    for seed in range(100):
        write_photo(folder / f"{seed}.png", seed)
    command = [sys.executable, "-c", KILLED_WRITERS, str(folder), str(uri)]
    process = subprocess.run(command, capture_output=True, text=True, cwd=Path(__file__).parents[3], check=True)
    counts = list(map(int, process.stdout.split()))
    assert len(counts) == 5 and counts == sorted(counts)  # nothing that was committed is lost
    assert 0 < counts[-1] < 100
    assert sync(folder, uri) == SyncReport(encoded=100 - counts[-1], kept=counts[-1])
    assert_whole(folder, uri)


def test_content_decides_which_files_are_photographs(folder: Path, uri: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("seps.media.photos.readable_formats", lambda: ("JPEG", "PNG"))
    monkeypatch.setattr("seps.media.photos.heic_formats", lambda: ())  # as without pillow-heif
    picture = Image.new("RGB", (3, 4), "red")
    for name, kind in (("saved.jfif", "JPEG"), ("scan.JPE", "JPEG"), ("bare", "PNG"), ("x.dat", "WEBP")):
        picture.save(folder / name, kind)
    for name in ("photo.HEIC", "from-a-phone"):
        (folder / name).write_bytes(b"\0\0\0\x18ftypheic\0\0\0\0mif1heic" + bytes(200))
    (folder / "notes.txt").write_text("BM is no picture")
    os.mkfifo(folder / "pipe")
    names = {file.path for file in folder_files(folder)}
    assert {"saved.jfif", "scan.JPE", "bare", "x.dat", "photo.HEIC", "from-a-phone"} <= names
    assert not {"notes.txt", "pipe"} & names
    report = sync(folder, uri)
    left_out = [sentence for sentence in report.skipped if "HEIC photo" in sentence]
    assert len(left_out) == 2
    assert all("pip install" in sentence and "JPEG" in sentence for sentence in left_out)
    assert {"saved.jfif", "scan.JPE", "bare"} <= set(GalleryStore.read(uri).files())

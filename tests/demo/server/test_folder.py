import os
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from threading import Event, Thread

import pytest

from demo.server.files.folder import TemporaryFolder, is_in_folder


@pytest.fixture
def outer(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("GRADIO_TEMP_DIR", str(tmp_path))
    return tmp_path


def write(folder: TemporaryFolder, name: str, size: int, age: float = 0.0) -> Path:
    file = folder.new(name)
    file.write_bytes(b"x" * size)
    changed = time.time() - age
    os.utime(file, (changed, changed))
    return file


def test_files_go_by_age_and_empty_folders_after_them(outer: Path) -> None:
    with TemporaryFolder(lifetime=60) as folder:
        old, young = write(folder, "old.png", 10, age=61), write(folder, "young.png", 10, age=30)
        os.utime(old.parent, (0, 0))
        folder.sweep()
        assert (old.exists(), young.exists()) == (False, True)
        os.utime(old.parent, (0, 0))  # a folder changes when its file goes
        folder.sweep()
        assert (old.parent.exists(), young.parent.exists()) == (False, True)


def test_the_oldest_files_go_where_all_are_too_large(outer: Path) -> None:
    with TemporaryFolder(lifetime=600, max_bytes=1000) as folder:
        files = [write(folder, f"{age}.png", 300, age) for age in (5, 40, 30, 20)]
        folder.sweep()
        assert [file.exists() for file in files] == [True, False, True, True]
        folder.sweep(more=200)  # as much is about to come
        assert [file.exists() for file in files] == [True, False, False, True]


def test_the_folder_is_private_and_goes_with_all_that_is_in_it(outer: Path) -> None:
    with TemporaryFolder() as folder:
        assert folder.path.stat().st_mode & 0o077 == 0
        assert os.environ["GRADIO_TEMP_DIR"] == str(folder.path)
        write(folder, "photo.png", 10)
    assert list(outer.iterdir()) == []
    assert os.environ["GRADIO_TEMP_DIR"] == str(outer)


def test_what_others_leave_where_temporary_files_lie_goes_too(outer: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TMPDIR", str(outer))
    monkeypatch.setattr(tempfile, "tempdir", None)
    before = tempfile.gettempdir()
    with TemporaryFolder(lifetime=60) as folder:
        with tempfile.NamedTemporaryFile(delete=False) as left:
            left.write(b"x")
        child = "import tempfile; print(tempfile.mkstemp()[1])"
        old = subprocess.run([sys.executable, "-c", child], capture_output=True, text=True, check=True).stdout.strip()
        os.utime(old, (0, 0))
        for path in (left.name, old):
            assert Path(path).is_relative_to(folder.path.parent)
            assert not is_in_folder(folder.path, path)  # no call can name it, and it is not served
        folder.sweep()
        assert (Path(left.name).exists(), Path(old).exists()) == (True, False)
        assert tempfile.gettempdir() != before
    assert list(outer.iterdir()) == []
    assert (tempfile.gettempdir(), os.environ["TMPDIR"]) == (before, str(outer))


def test_lies_in_follows_links_and_never_opens(tmp_path: Path) -> None:
    folder, canary = tmp_path / "uploads", tmp_path / "canary.txt"
    (folder / "below").mkdir(parents=True)
    canary.write_text("secret")
    (folder / "out").symlink_to(canary)
    (folder / "loop").symlink_to(folder / "loop")
    (folder / "in").symlink_to(folder / "below" / "photo.png")
    inside = ["below/photo.png", "in", "below/../below/x", "nothing yet", "x" * 5000]
    assert all(is_in_folder(folder, f"{folder}/{path}") for path in inside)
    outside = [".", "..", "../canary.txt", "out", "loop", "below/../../canary.txt", "a\0b"]
    assert not any(is_in_folder(folder, f"{folder}/{path}") for path in outside)
    assert not any(is_in_folder(folder, path) for path in ("", "canary.txt", "file:///etc/passwd", str(canary), "~/x"))


def test_a_second_end_waits_until_the_folder_is_gone(outer: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = TemporaryFolder()
    begun, remove = Event(), shutil.rmtree

    def remove_slowly(path: Path, ignore_errors: bool = False) -> None:
        begun.set()
        time.sleep(0.3)
        remove(path, ignore_errors)

    monkeypatch.setattr(shutil, "rmtree", remove_slowly)
    server = Thread(target=folder.close)  # the server and app.py both end it; the process goes with the second
    server.start()
    assert begun.wait(10)
    folder.close()
    assert not folder.path.exists()
    server.join()

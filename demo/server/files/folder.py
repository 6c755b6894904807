"""Temporary folder for uploads and downloads, limited in age and size, and removed when the app stops."""

from __future__ import annotations

import atexit
import os
import shutil
import tempfile
import time
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from threading import Event, Lock, Thread

LIFETIME = 600  # seconds that a file stays
MAX_BYTES = 512 * 2**20  # of all files together
EVERY = 15  # seconds between two looks
UPLOADED = "files"  # below the folder of an upload
TRIES = 20  # to remove the folder, a tenth of a second apart


class TemporaryFolder:
    """Private folder of this process for uploads, downloads and Gradio's files. Until `close`, TMPDIR is a second
    folder with the same limits. Files older than `lifetime` seconds are removed, then the oldest until the rest fits
    into `max_bytes`. `close` removes both folders; it also runs when the process exits or gets SIGINT (app.py turns
    SIGTERM into it)."""

    def __init__(self, lifetime: float = LIFETIME, max_bytes: int = MAX_BYTES) -> None:
        self._outer = os.environ.get("GRADIO_TEMP_DIR")
        if self._outer:
            Path(self._outer).mkdir(parents=True, exist_ok=True)
        self._root = Path(tempfile.mkdtemp(prefix="seps-explorer-", dir=self._outer)).resolve()
        self.path, self._other = self._root / "files", self._root / "other"
        for folder in (self.path, self._other):
            folder.mkdir(mode=0o700)
        self._before = (os.environ.get("TMPDIR"), tempfile.tempdir)
        os.environ["TMPDIR"] = tempfile.tempdir = str(self._other)
        self.lifetime, self.max_bytes = lifetime, max_bytes
        self._sweeping, self._closing, self._closed = Lock(), Lock(), Event()
        os.environ["GRADIO_TEMP_DIR"] = str(self.path)  # where Gradio's components, made after this, put files
        atexit.register(self.close)
        Thread(target=self._sweep_for_ever, name="temporary files", daemon=True).start()

    def __enter__(self) -> TemporaryFolder:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def new(self, name: str) -> Path:
        """Return a path for a new file, in a new folder with an unguessable name."""
        return Path(tempfile.mkdtemp(dir=self.path)) / name

    def is_served(self, path: str) -> bool:
        """Return whether a path is a file for download; uploads are not served."""
        if not is_in_folder(self.path, path):
            return False
        return Path(path).resolve().relative_to(self.path).parts[1:2] != (UPLOADED,)

    def sweep(self, more: int = 0) -> None:
        """Remove files that are too old, then the oldest until `more` bytes fit, then empty folders."""
        with self._sweeping:
            now, total = time.time(), more
            for changed, size, file in sorted(_files(self._root), reverse=True):  # the newest first
                total += size
                if now - changed > self.lifetime or total > self.max_bytes:
                    with suppress(OSError):
                        file.unlink()
            for folder in map(Path, (place for place, _, _ in os.walk(self._root, topdown=False))):
                with suppress(OSError):  # not empty, or just being filled
                    is_old = now - folder.stat().st_mtime > self.lifetime
                    if is_old and folder not in (self._root, self.path, self._other):
                        folder.rmdir()

    def close(self) -> None:
        """Remove the folders; a second caller waits until they are gone."""
        with self._closing:
            if self._closed.is_set():
                return
            self._closed.set()
            atexit.unregister(self.close)
            if os.environ.get("GRADIO_TEMP_DIR") == str(self.path):
                _set_variable("GRADIO_TEMP_DIR", self._outer)
            if os.environ.get("TMPDIR") == str(self._other):
                _set_variable("TMPDIR", self._before[0])
                tempfile.tempdir = self._before[1]
            for _ in range(TRIES):  # what is still being written may keep a folder from going
                shutil.rmtree(self._root, ignore_errors=True)
                if not self._root.exists():
                    break
                time.sleep(0.1)

    def _sweep_for_ever(self) -> None:
        while not self._closed.wait(EVERY):
            self.sweep()


def _set_variable(name: str, value: str | None) -> None:
    """Set an environment variable, or remove it."""
    if value is None:
        os.environ.pop(name, None)
    else:
        os.environ[name] = value


def is_in_folder(folder: Path, path: str | Path) -> bool:
    """Return whether a path, with its links resolved, is below a folder; no file is opened."""
    try:
        resolved = Path(path).resolve()
    except (OSError, ValueError, RuntimeError):  # a NUL, a loop of links, a name too long
        return False
    return resolved != folder and resolved.is_relative_to(folder)


def _files(folder: Path) -> Iterator[tuple[float, int, Path]]:
    """Yield the time of the last change, the size and the path of every file below a folder."""
    for place, _, names in os.walk(folder):
        for file in (Path(place, name) for name in names):
            with suppress(OSError):  # gone meanwhile
                facts = file.lstat()
                yield facts.st_mtime, facts.st_size, file

"""The folder where uploads and files for download lie: bounded in age and size, gone when the app stops."""

from __future__ import annotations

import atexit
import os
import shutil
import tempfile
import time
from contextlib import suppress
from pathlib import Path
from threading import Event, Lock, Thread

LIFETIME = 600  # seconds that a file stays
MOST_BYTES = 512 * 2**20  # of all files together
EVERY = 15  # seconds between two looks


class TemporaryFolder:
    """A folder of this process alone, readable by its user alone. Gradio keeps its files there too.

    Files older than `lifetime` go, then the oldest ones until the rest fits into `most_bytes`. The folder itself goes
    with `close`, or when the process ends by itself, by SIGINT or by a SIGTERM that is turned into one (see app.py).

    Args:
        lifetime: seconds that a file stays after it was written.
        most_bytes: of all files together.

    Attributes:
        path: of the folder, links resolved; it lies in $GRADIO_TEMP_DIR, else where temporary files lie.
    """

    def __init__(self, lifetime: float = LIFETIME, most_bytes: int = MOST_BYTES) -> None:
        self._outer = os.environ.get("GRADIO_TEMP_DIR")
        if self._outer:
            Path(self._outer).mkdir(parents=True, exist_ok=True)
        self.path = Path(tempfile.mkdtemp(prefix="seps-explorer-", dir=self._outer)).resolve()
        self.lifetime, self.most_bytes = lifetime, most_bytes
        self._sweeping, self._closed = Lock(), Event()
        os.environ["GRADIO_TEMP_DIR"] = str(self.path)  # where Gradio's components, made after this, put files
        atexit.register(self.close)
        Thread(target=self._sweep_for_ever, name="temporary files", daemon=True).start()

    def __enter__(self) -> TemporaryFolder:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def new(self, name: str) -> Path:
        """A path for a new file, in a folder of its own under a name that cannot be guessed."""
        return Path(tempfile.mkdtemp(dir=self.path)) / name

    def sweep(self, more: int = 0) -> None:
        """Remove files that are too old or too many, and folders that are left empty; `more` bytes are to come."""
        with self._sweeping:
            now = time.time()
            files = sorted(_files(self.path), reverse=True)  # the newest first
            total = more
            for changed, size, file in files:
                total += size
                if now - changed > self.lifetime or total > self.most_bytes:
                    with suppress(OSError):
                        file.unlink()
            for folder, _, _ in os.walk(self.path, topdown=False):
                with suppress(OSError):  # not empty, or just being filled
                    if Path(folder) != self.path and now - Path(folder).stat().st_mtime > self.lifetime:
                        Path(folder).rmdir()

    def close(self) -> None:
        """Remove the folder with all that is in it."""
        if not self._closed.is_set():
            self._closed.set()
            atexit.unregister(self.close)
            if os.environ.get("GRADIO_TEMP_DIR") == str(self.path):
                if self._outer is None:
                    del os.environ["GRADIO_TEMP_DIR"]
                else:
                    os.environ["GRADIO_TEMP_DIR"] = self._outer
            shutil.rmtree(self.path, ignore_errors=True)

    def _sweep_for_ever(self) -> None:
        while not self._closed.wait(EVERY):
            self.sweep()


def lies_in(folder: Path, path: str | Path) -> bool:
    """Whether a path leads to something below a folder, all links resolved; nothing is opened."""
    try:
        found = Path(path).resolve()
    except (OSError, ValueError, RuntimeError):  # a NUL, a loop of links, a name too long
        return False
    return found != folder and found.is_relative_to(folder)


def _files(folder: Path) -> list[tuple[float, int, Path]]:
    """The time of the last change, the size and the path of every file below a folder."""
    found = []
    for place, _, names in os.walk(folder):
        for name in names:
            file = Path(place, name)
            with suppress(OSError):  # gone meanwhile
                facts = file.lstat()
                found.append((facts.st_mtime, facts.st_size, file))
    return found

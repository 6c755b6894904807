"""Background indexing of a large folder, which is searchable in the meantime."""

import atexit
import time
from collections.abc import Callable, Sequence
from threading import Event, Thread
from typing import Any

from demo.galleries.indexes.stored import IndexingStatus, StoredGallery
from demo.galleries.reading.decoding import PhotoError
from seps.common.progress import Progress
from seps.indexing.files import FolderFile
from seps.indexing.sync import Encoded, sync_files
from seps.search.table_errors import DamagedTableError, StoreError

FIRST = 24  # photographs that are waited for
AGAIN = 10.0  # seconds until a table is tried again that could not be written
PATIENCE = 10.0  # seconds that the start waits for a table to be free, and the end for the photograph at work


class _StoppedError(Exception):
    """The program is ending."""


class FolderIndexing:
    """Background thread that synchronises a gallery's table with its folder; resumes where it stopped. If the table
    cannot be written, because another process writes it or the disk is full, it tries again later. `notify` receives a
    line per unreadable file and per problem."""

    def __init__(
        self,
        gallery: StoredGallery,
        files: Sequence[FolderFile],
        progress: Progress = False,
        notify: Callable[[str], Any] = lambda line: None,
    ) -> None:
        self.gallery, self._files = gallery, files
        gallery.indexing = self.status
        self._progress, self._notify = progress, notify
        self._stopped, self._ended, self._committed = Event(), Event(), Event()
        self._encoded, self._started, self._problem = 0, time.monotonic(), ""
        self._skipped: dict[str, str] = {}
        self._thread = Thread(target=self._run, name="indexing", daemon=True)

    def start(self) -> None:
        """Start, and return when some photographs are searchable; ValueError if no file is readable, or the table
        cannot be written."""
        atexit.register(self.stop)
        self._thread.start()
        patience = time.monotonic() + PATIENCE
        while not self._ended.is_set() and self.gallery.indexed < FIRST:
            self._committed.wait(1.0)
            self._committed.clear()
            if self._problem:
                self.gallery.refresh()  # another process may have written
                if time.monotonic() > patience:
                    break
        if not self.gallery.indexed:
            reason = next(iter(self._skipped.values()), "")
            nothing = f'"{self.gallery.gallery.title}" holds no photo that can be read. {reason}'.rstrip()
            raise ValueError(self._problem or nothing)

    def stop(self) -> None:
        """Stop after the current photograph."""
        self._stopped.set()
        if self._thread.is_alive():
            self._thread.join(PATIENCE)

    def wait(self) -> None:
        """Wait until everything is indexed."""
        self._thread.join()

    def status(self) -> IndexingStatus:
        """Return the indexing status."""
        indexed, total, skipped = self.gallery.indexed, len(self._files), len(self._skipped)
        left, running = max(0, total - indexed - skipped), not self._ended.is_set()
        pace = self._encoded / (time.monotonic() - self._started)
        seconds = left / pace if running and left and pace else None
        return IndexingStatus(indexed, total, skipped, seconds, running, self._problem if running else "")

    def _run(self) -> None:
        anew = False
        while not self._stopped.is_set():
            try:
                self._sync(anew)
                break
            except StoreError as error:
                if isinstance(error, DamagedTableError) and not anew:
                    anew = True  # as the next try begins
                    continue
                if self._problem != str(error):
                    self._notify(str(error))
                self._problem = str(error)
                self._committed.set()
                self._stopped.wait(AGAIN)
                self.gallery.refresh()  # another process may have written
            except _StoppedError:
                break
        self._ended.set()
        self._committed.set()

    def _sync(self, anew: bool) -> None:
        with self.gallery.write(anew) as store:
            self._problem, self._encoded, self._started = "", 0, time.monotonic()
            report = sync_files(store, self._files, self._encode, self._progress, self._refresh)
        self.gallery.refresh()
        for sentence in report.skipped:
            self._notify(f"Left out: {sentence}")

    def _refresh(self) -> None:
        self.gallery.refresh()
        self._committed.set()

    def _encode(self, file: FolderFile) -> Encoded:
        if self._stopped.is_set():
            raise _StoppedError
        try:
            embeddings = self.gallery.encode_file(file.path)
        except PhotoError as error:
            self._skipped[file.path] = str(error)
            raise
        self._encoded += 1
        return Encoded(embeddings)

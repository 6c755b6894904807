"""Synchronisation of a table with files by content: moved ones keep their embeddings."""

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace

from torch import Tensor

from seps.common.progress import Progress, with_progress
from seps.indexing.files import FolderFile, file_digest
from seps.media.photos import PhotoError
from seps.search.store import FileFacts, GalleryStore, StoredPhoto

COMMIT_PHOTOS = 256  # a commit holds no more photographs
FIRST_SECONDS, COMMIT_SECONDS = 2.0, 20.0  # and waits no longer for the next: the first, each other twice as long


@dataclass
class SyncReport:
    """Result of a synchronisation: numbers of photographs, and a sentence for each unreadable file."""

    encoded: int = 0
    kept: int = 0
    moved: int = 0
    removed: int = 0
    skipped: list[str] = field(default_factory=list)

    def sentence(self) -> str:
        """Format the result as one line."""
        counts = f"{self.encoded} encoded, {self.kept} kept, {self.moved} moved, {self.removed} removed"
        return f"{counts}, {len(self.skipped)} left out."


@dataclass(frozen=True)
class Encoded:
    """Stored data of a photograph: embeddings (N[+1], C), and an optional small JPEG."""

    embeddings: Tensor
    thumbnail: bytes = b""


def sync_files(
    store: GalleryStore,
    files: Sequence[FolderFile],
    encode: Callable[[FolderFile], Encoded],
    progress: Progress = False,
    committed: Callable[[], object] = lambda: None,
) -> SyncReport:
    """Update a table to contain exactly these files. Commits remain after an interruption, and a new call continues."""
    report, before = SyncReport(), store.reopen_table()
    stored = before.files()
    by_digest = {facts.digest: row for row, facts in stored.values()}
    changed = [file for file in files if not is_stored(file, stored)]
    report.kept = len(files) - len(changed)
    batch: list[StoredPhoto] = []
    patience = FIRST_SECONDS
    deadline = time.monotonic() + patience
    left_out = set[str]()
    for file in with_progress(changed, "Indexing photographs", progress):
        try:
            batch.append(_photo(file, before, by_digest, encode, report))
        except PhotoError as error:
            report.skipped.append(str(error))
            left_out.add(file.path)
        if len(batch) >= COMMIT_PHOTOS or time.monotonic() > deadline:
            _commit(store, batch, committed)
            patience = min(2 * patience, COMMIT_SECONDS)
            deadline = time.monotonic() + patience
    _commit(store, batch, committed)
    gone = sorted(set(stored) - {file.path for file in files if file.path not in left_out})
    for start in range(0, len(gone), COMMIT_PHOTOS):
        store.remove(gone[start : start + COMMIT_PHOTOS])
    report.removed = len(gone)
    if changed or gone:
        store.tidy()
        committed()
    return report


def is_stored(file: FolderFile, stored: Mapping[str, tuple[int, FileFacts]]) -> bool:
    """Return whether a table contains the current version of a file, by its size and time."""
    if file.path not in stored:
        return False
    facts = stored[file.path][1]
    return (facts.size, facts.modified) == (file.size, file.modified)


def _photo(
    file: FolderFile,
    before: GalleryStore,
    by_digest: Mapping[str, int],
    encode: Callable[[FolderFile], Encoded],
    report: SyncReport,
) -> StoredPhoto:
    """Return the file's row, with stored embeddings of the same content if there are any, else encode it."""
    digest = file_digest(file.file)
    facts = FileFacts(file.path, file.size, file.modified, digest)
    row = by_digest.get(digest)
    known = {} if row is None else before.photos([row])
    if row in known:
        report.moved += 1
        return replace(known[row], file=facts)
    encoded = encode(file)
    report.encoded += 1
    return StoredPhoto(facts, encoded.embeddings, encoded.thumbnail)


def _commit(store: GalleryStore, batch: list[StoredPhoto], committed: Callable[[], object]) -> None:
    """Write the collected photographs in one commit."""
    if batch:
        store.put(batch)
        batch.clear()
        committed()

"""A table brought up to date: what is new is encoded, what moved keeps its embeddings, what is gone goes."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace

from torch import Tensor

from seps.indexing.files import FolderFile, file_digest
from seps.photos import PhotoError
from seps.progress import Progress, with_progress
from seps.search.store import FileFacts, GalleryStore, StoredPhoto

COMMIT_PHOTOS = 256  # a commit holds no more photographs
FIRST_SECONDS, COMMIT_SECONDS = 2.0, 20.0  # and waits no longer for the next: the first, each other twice as long


@dataclass
class SyncReport:
    """What bringing a table up to date did.

    Attributes:
        encoded, kept, moved, removed: photographs that were encoded; that were there already; whose embeddings were
            taken from another path, or from before their file's time changed; whose files are gone.
        skipped: a sentence for each file that cannot be read.
    """

    encoded: int = 0
    kept: int = 0
    moved: int = 0
    removed: int = 0
    skipped: list[str] = field(default_factory=list)

    def sentence(self) -> str:
        """Tell it in a line."""
        counts = f"{self.encoded} encoded, {self.kept} kept, {self.moved} moved, {self.removed} removed"
        return f"{counts}, {len(self.skipped)} left out."


@dataclass(frozen=True)
class Encoded:
    """What is kept of a photograph: embeddings (N[+1], C), and a small JPEG of it, or nothing."""

    embeddings: Tensor
    thumbnail: bytes = b""


def sync_files(
    store: GalleryStore,
    files: Sequence[FolderFile],
    encode: Callable[[FolderFile], Encoded],
    progress: Progress = False,
    committed: Callable[[], object] = lambda: None,
) -> SyncReport:
    """Make a table hold these files and no others. What is committed stays, wherever this ends; run again, it goes on.

    Args:
        store: opened to be written.
        files: what the gallery holds, each path once. One whose size and time are as they were is taken for unchanged.
        encode: reads and encodes a file; PhotoError leaves the file out.
        progress: as in `ScoringEngine`; committed: called after each commit.

    Raises:
        StoreError: as `GalleryStore`.
    """
    report, before = SyncReport(), store.reopened()
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
    """Return whether a table holds a file as it is now, as far as its size and time tell."""
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
    """The file's row: with the embeddings that the table has of the same content, else encoded now."""
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
    """Write what has been gathered, in one commit."""
    if batch:
        store.put(batch)
        batch.clear()
        committed()

"""Cache table of a gallery's embeddings and thumbnails."""

import re
from collections.abc import Collection
from contextlib import suppress
from pathlib import Path

from demo.galleries.gallery import Gallery
from seps import SEPSModel
from seps.indexing.layout import table_layout
from seps.search.schema import Layout
from seps.search.store import GalleryStore, StoredPhoto
from seps.search.table_errors import StoreError

FOLDER = "tables"
COMMIT = 64  # photographs: what a run that is ended loses at most


class GalleryTable:
    """Cache table of a gallery and an image encoder, in the folder `tables` of the cache, or none; `photos` is its
    content when opened, by digest. Problems only cost time: if it cannot be written, because of another process or
    permissions, it is only read; if it is damaged, it is rebuilt."""

    def __init__(self, cache: Path | None, gallery: Gallery, model: SEPSModel) -> None:
        self.photos: dict[str, StoredPhoto] = {}
        self._digests: dict[str, str] = {}  # content of the table, by path
        self._batch: list[StoredPhoto] = []
        self._store: GalleryStore | None = None
        if cache is None:
            return
        layout = table_layout(model)
        file = table_place(cache, gallery, model)
        self._store = _opened(file, layout, anew=False)
        try:
            self._read(self._store or GalleryStore.read(file, layout.encoder))
        except StoreError:
            self.close()
            self._store = _opened(file, layout, anew=True)

    def put(self, photo: StoredPhoto) -> None:
        """Store a photograph, unless its path is stored already."""
        if self._store is None or self._digests.get(photo.file.path) == photo.file.digest:
            return
        self._batch.append(photo)
        if len(self._batch) == COMMIT:
            self._commit()

    def forget_others(self, paths: Collection[str]) -> None:
        """Remove the photographs of other paths than these."""
        gone = sorted(set(self._digests) - set(paths))
        if self._store is not None and gone:
            with suppress(StoreError):
                self._store.remove(gone)

    def close(self) -> None:
        """Write pending photographs, and release the table for other processes."""
        changed = bool(self._batch)
        self._commit()
        if self._store is not None:
            if changed:
                with suppress(StoreError):
                    self._store.tidy()
            self._store.close()
            self._store = None

    def _read(self, store: GalleryStore) -> None:
        self.photos = {photo.file.digest: photo for photo in store.photos(store.rows()).values()}
        self._digests = {photo.file.path: photo.file.digest for photo in self.photos.values()}

    def _commit(self) -> None:
        if self._store is not None and self._batch:
            try:
                self._store.put(self._batch)
            except StoreError:  # a full disk, or another process
                self._store.close()
                self._store = None
            self._batch = []


def table_place(cache: Path, gallery: Gallery, model: SEPSModel) -> Path:
    """Return the path of the table of a gallery and a model's image encoder."""
    name = re.sub(r"[^\w.-]+", "-", gallery.table or gallery.name)
    return cache / FOLDER / f"{name}-{table_layout(model).encoder}.lance"


def _opened(file: Path, layout: Layout, anew: bool) -> GalleryStore | None:
    """Open a table for writing; None if that is not possible."""
    with suppress(StoreError):
        return GalleryStore.write(file, layout, anew)
    return None

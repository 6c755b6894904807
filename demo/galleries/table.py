"""The table in the cache where a gallery's embeddings and thumbnails stay from one run to the next."""

from __future__ import annotations

import base64
import re
from collections.abc import Collection
from contextlib import suppress
from pathlib import Path

from demo.galleries.gallery import Gallery
from demo.galleries.photos import JPEG_URL, jpeg_url
from seps import SEPSModel
from seps.indexing.layout import table_layout
from seps.search.store import GalleryStore, Layout, StoredPhoto
from seps.search.table_errors import StoreError

FOLDER = "tables"
COMMIT = 64  # photographs: what a run that is ended loses at most


class GalleryTable:
    """A gallery's table. What goes wrong with it costs time and nothing else: where another process writes it, or its
    place is protected, it is read alone; where it is damaged, it is made anew.

    Args:
        cache: the table lies in its folder `tables`; None for no table.
        gallery: whose it is; model: whose image encoder it is of.

    Attributes:
        photos: what was kept when it was opened, by digest.
    """

    def __init__(self, cache: Path | None, gallery: Gallery, model: SEPSModel) -> None:
        self.photos: dict[str, StoredPhoto] = {}
        self._digests: dict[str, str] = {}  # of what the table holds, by path
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
        """Keep a photograph, unless it is kept already under its path."""
        if self._store is None or self._digests.get(photo.file.path) == photo.file.digest:
            return
        self._batch.append(photo)
        if len(self._batch) == COMMIT:
            self._commit()

    def forget_others(self, paths: Collection[str]) -> None:
        """Drop the photographs of other paths than these."""
        gone = sorted(set(self._digests) - set(paths))
        if self._store is not None and gone:
            with suppress(StoreError):
                self._store.remove(gone)

    def close(self) -> None:
        """Write what waits, and let other processes write."""
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
    """Return where the table of a gallery and a model's image encoder lies."""
    name = re.sub(r"[^\w.-]+", "-", gallery.table or gallery.name)
    return cache / FOLDER / f"{name}-{table_layout(model).encoder}.lance"


def thumbnail_url(photo: StoredPhoto) -> str:
    """Return a kept photograph's thumbnail as a data URL."""
    return jpeg_url(photo.thumbnail)


def thumbnail_content(url: str) -> bytes:
    """Return the content of a thumbnail that is a data URL."""
    return base64.b64decode(url.removeprefix(JPEG_URL))


def _opened(file: Path, layout: Layout, anew: bool) -> GalleryStore | None:
    """A table to write; None where it cannot be written."""
    with suppress(StoreError):
        return GalleryStore.write(file, layout, anew)
    return None

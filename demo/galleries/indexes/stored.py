"""Galleries of many photographs, searchable as far as they are indexed. Embeddings are in a table on disk, see
`seps.search.store`, which `demo.galleries.indexes.indexing` fills."""

from collections.abc import Callable, Hashable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import lru_cache, partial
from pathlib import Path

import torch
from PIL import Image
from torch import Tensor

from demo.galleries.gallery import Gallery
from demo.galleries.reading.decoding import PhotoError
from demo.galleries.reading.photos import data_url, read_small
from seps import CaptionIndex, ImageIndex, ScoringEngine
from seps.common.progress import Progress
from seps.search.features import pack_features, read_images
from seps.search.pooling import pooled_captions, pooled_images
from seps.search.schema import PRECISIONS, Layout
from seps.search.stages import SHORTLIST, rank_stored
from seps.search.store import GalleryStore
from seps.search.table_errors import StoreError

REMEMBERED = 64  # photographs' embeddings, 0.3 MB each
THUMBNAILS = 4096  # some 6 kB each
MISSING = "data:image/gif;base64,R0lGODlhAQABAIAAAAAAAP///yH5BAEAAAAALAAAAAABAAEAAAIBRAA7"  # one clear pixel

Encode = Callable[[Sequence[Image.Image]], Tensor]


@dataclass(frozen=True)
class IndexingStatus:
    """Indexing progress of a folder."""

    indexed: int  # searchable photographs
    total: int  # files of the folder
    skipped: int  # unreadable ones
    seconds: float | None  # estimated remaining time; None if unknown or finished
    running: bool
    problem: str  # the current obstacle, or ""


@dataclass(frozen=True)
class _Snapshot:
    """A committed version of a table, with maps from positions to row ids and back."""

    store: GalleryStore | None
    rows: dict[int, int]
    positions: dict[int, int]


class StoredGallery:
    """A gallery with its embeddings in the table at a path, of this layout if it is created; `gallery` has all its
    files, including those not yet indexed or damaged. `indexing` returns the status of its indexing, if any."""

    def __init__(self, engine: ScoringEngine, layout: Layout, gallery: Gallery, table: Path, encode: Encode) -> None:
        self.gallery, self.table, self.layout = gallery, table, layout
        self.indexing: Callable[[], IndexingStatus] | None = None
        self._engine, self._encode = engine, encode
        self._places = {item.key: index for index, item in enumerate(gallery.items)}
        self._snapshot = _Snapshot(None, {}, {})
        self._photo = lru_cache(REMEMBERED)(self._read_photo)
        self._thumbnail = lru_cache(THUMBNAILS)(self._read_thumbnail)
        self.refresh()

    def __len__(self) -> int:
        return len(self.gallery)

    def refresh(self) -> None:
        """Use the current version of the table; empty if it is missing or unreadable."""
        try:
            store = GalleryStore.read(self.table, self.layout.encoder)
            places = {row: self._places[path] for path, row in store.row_ids().items() if path in self._places}
        except StoreError:
            return
        self._snapshot = _Snapshot(store, {index: row for row, index in places.items()}, places)

    def write(self, anew: bool = False) -> GalleryStore:
        """Open the table for writing; `anew` and errors as in `GalleryStore.write`."""
        return GalleryStore.write(self.table, self.layout, anew, partial(pack_features, self._engine))

    @property
    def indexed(self) -> int:
        """Number of indexed photographs."""
        return len(self._snapshot.rows)

    def encode_file(self, key: str) -> Tensor:
        """Encode the photograph of a key, (N[+1], C); PhotoError if it cannot be read or encoded."""
        item = self.gallery.items[self._places[key]]
        try:
            return self._encode([item.read().image])[0].cpu()
        except PhotoError:
            raise
        except ValueError as error:
            raise PhotoError(f'The photo "{item.title}" cannot be encoded: {error}') from error

    @property
    def nbytes(self) -> int:
        """Size of the table on disk, in bytes."""
        sizes = []
        for file in self.table.rglob("*"):
            with suppress(OSError):  # put together with others meanwhile
                sizes.append(file.stat().st_size)
        return sum(sizes)

    @property
    def state(self) -> Hashable:
        """Equal if rankings for the same caption are equal."""
        store = self._snapshot.store
        return str(self.table), 0 if store is None else store.version

    def patches(self, index: int) -> Tensor:
        """Return the photograph's patch embeddings (N[+1], C)."""
        return self._photo(index)[0]

    def digest(self, index: int) -> str:
        """Return the photograph's digest."""
        return self._photo(index)[1]

    def image(self, index: int) -> ImageIndex:
        """Return the engine's index of only this photograph."""
        return self._engine.encode_images(self.patches(index)[None])

    def thumbnail(self, index: int) -> str:
        """Return the photograph as a small data URL, created on first use; transparent if its file is missing."""
        try:
            return self._thumbnail(index)
        except PhotoError:
            return MISSING

    def pooled(self, indices: Sequence[int]) -> Tensor:
        """Return the photographs' pooled vectors (K, C), of unit length."""
        rows, store = self._snapshot.rows, self._snapshot.store
        stored = [index for index in indices if index in rows]
        vectors = {}
        if store is not None and stored:
            vectors = dict(zip(stored, store.pooled([rows[index] for index in stored]), strict=True))
        others = {index: pooled_images(self.patches(index)[None].cpu())[0] for index in indices if index not in vectors}
        return torch.stack([(vectors | others)[index] for index in indices])

    def shortlist(self, captions: CaptionIndex, index: int) -> tuple[ImageIndex, list[int]]:
        """Return the images to score for a caption, with the nearest pooled vectors, and that at `index`; and their
        positions."""
        snapshot, nearest = self._snapshot, list[int]()
        if snapshot.store is not None:
            nearest = snapshot.store.nearest(pooled_captions(captions)[0], SHORTLIST)
        rows = {snapshot.positions[row]: row for row in nearest if row in snapshot.positions}
        others = {position: row for position, row in rows.items() if position != index}
        if snapshot.store is not None and index in snapshot.rows:
            chosen = [snapshot.rows[index], *others.values()]
            images = read_images(self._engine, snapshot.store, chosen, captions.dense is not None)
        else:
            embeddings = self.patches(index)[None].cpu()
            if snapshot.store is not None and others:
                embeddings = torch.cat([embeddings, snapshot.store.embeddings(list(others.values()))])
            images = self._engine.encode_images(embeddings)
        return images, [index, *others]

    def rank(
        self,
        captions: CaptionIndex,
        exhaustive: bool = False,
        name: str = "",
        also: Sequence[int] = (),
        progress: Progress = False,
    ) -> tuple[list[int], list[float], int]:
        """Rank the indexed photographs for one caption, in two stages or with exact scores of all; `name`: required
        part of file names; `also`: positions that are always scored. Returns positions and scores, the best first,
        without missing files, and the number of searched photographs; StoreError if the table cannot be read."""
        snapshot = self._snapshot
        pairs, total = list[tuple[int, float]](), 0
        if snapshot.store is not None:
            ranking = rank_stored(self._engine, snapshot.store, captions, SHORTLIST, exhaustive, name, progress)
            rows = zip(ranking.rows.tolist(), ranking.scores.tolist(), strict=True)
            pairs = [(snapshot.positions[row], score) for row, score in rows if row in snapshot.positions]
            total = ranking.total
        scored = {index for index, _ in pairs}
        for index in also:
            if index not in scored:
                pairs.append((index, float(self._engine.score(self.image(index), captions)[0, 0])))
        kept = [pair for pair in pairs if pair[0] in also or self._is_there(pair[0])]
        kept.sort(key=lambda pair: -pair[1])
        return [index for index, _ in kept], [score for _, score in kept], max(total, len(kept))

    def _is_there(self, index: int) -> bool:
        source = self.gallery.items[index].source
        return not isinstance(source, Path) or source.is_file()

    def _read_photo(self, index: int) -> tuple[Tensor, str]:
        """Return a photograph's embeddings (N[+1], C) on the model's device, and its digest."""
        snapshot = self._snapshot
        row = snapshot.rows.get(index)
        photos = {} if snapshot.store is None or row is None else snapshot.store.photos([row])
        if row in photos:
            return photos[row].embeddings.to(self._engine.device), photos[row].file.digest
        item = self.gallery.items[index]
        precision = (self.layout if snapshot.store is None else snapshot.store.layout).precision
        embeddings = self.encode_file(item.key).to(PRECISIONS[precision][0]).float()
        return embeddings.to(self._engine.device), item.digest()

    def _read_thumbnail(self, index: int) -> str:
        item = self.gallery.items[index]
        image = read_small(item.source, item.title) if isinstance(item.source, Path) else item.photo()
        return data_url(image, max(image.size))

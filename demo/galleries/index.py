"""Galleries encoded by a model, with a cache."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Generator, Hashable, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path

import torch
from PIL import Image
from torch import Tensor

from demo.galleries.gallery import Gallery, GalleryItem
from demo.galleries.photos import KeptPhoto, shrink_photo, thumbnail
from demo.galleries.table import GalleryTable, thumbnail_content, thumbnail_url
from seps import CaptionIndex, ImageIndex, ScoringEngine, SEPSModel
from seps.progress import Progress, finish, with_progress
from seps.search.pooling import pooled_images
from seps.search.store import FileFacts, StoredPhoto

NOTES = 3  # that are shown of a gallery's photographs


class IndexedGallery(ABC):
    """An encoded gallery, for ranking and explanation: in memory (`GalleryInMemory`) or in a table on disk
    (`demo.galleries.stored.StoredGallery`).

    Attributes:
        gallery: its V photographs.
    """

    gallery: Gallery

    def __len__(self) -> int:
        return len(self.gallery)

    @property
    @abstractmethod
    def state(self) -> Hashable:
        """Equal if rankings for the same caption are equal."""

    @abstractmethod
    def patches(self, index: int) -> Tensor:
        """Return the photograph's patch embeddings (N[+1], C)."""

    @abstractmethod
    def image(self, index: int) -> ImageIndex:
        """Return the engine's index of only this photograph."""

    @abstractmethod
    def digest(self, index: int) -> str:
        """Return the photograph's digest, which depends only on its content."""

    @abstractmethod
    def thumbnail(self, index: int) -> str:
        """Return the photograph as a small data URL."""

    @abstractmethod
    def pooled(self, indices: Sequence[int]) -> Tensor:
        """Return the photographs' pooled vectors (K, C), of unit length."""

    @abstractmethod
    def shortlist(self, captions: CaptionIndex, index: int) -> tuple[ImageIndex, list[int]]:
        """Return the images to score for a caption and their positions, including that at `index`; in memory all."""


@dataclass(frozen=True)
class GalleryInMemory(IndexedGallery):
    """A gallery in memory.

    Attributes:
        gallery: the V readable photographs.
        images: in the same order; thumbnails, digests: of each, a JPEG data URL and a sha256.
        embeddings: (V, N[+1], C) on the model's device, from the model's image encoder.
    """

    gallery: Gallery
    images: ImageIndex
    thumbnails: tuple[str, ...]
    digests: tuple[str, ...]
    embeddings: Tensor

    @property
    def state(self) -> Hashable:
        """Equal if rankings for the same caption are equal."""
        return self.digests

    @property
    def nbytes(self) -> int:
        """Approximate memory in bytes: embeddings, as much again in `images`, and pictures in memory."""
        kept = (item.source.content for item in self.gallery.items if isinstance(item.source, KeptPhoto))
        return 2 * self.embeddings.nbytes + sum(map(len, (*kept, *self.thumbnails)))

    def patches(self, index: int) -> Tensor:
        """Return the photograph's patch embeddings (N[+1], C)."""
        return self.embeddings[index]

    def image(self, index: int) -> ImageIndex:
        """Return the engine's index of only this photograph."""
        return self.images[index]

    def digest(self, index: int) -> str:
        """Return the photograph's digest."""
        return self.digests[index]

    def thumbnail(self, index: int) -> str:
        """Return the photograph as a small data URL."""
        return self.thumbnails[index]

    def pooled(self, indices: Sequence[int]) -> Tensor:
        """Return the photographs' pooled vectors (K, C), of unit length."""
        return pooled_images(self.embeddings[list(indices)].float())

    def shortlist(self, captions: CaptionIndex, index: int) -> tuple[ImageIndex, list[int]]:
        """Return all photographs, at their positions."""
        return self.images, list(range(len(self)))


def require_in_memory(indexed: IndexedGallery) -> GalleryInMemory:
    """Return the gallery if it is in memory; ValueError for one on disk."""
    if isinstance(indexed, GalleryInMemory):
        return indexed
    raise ValueError(f'The gallery "{indexed.gallery.title}" is too large for this: choose a smaller one.')


@dataclass(frozen=True)
class _Encoded:
    """Encoded data of one photograph: embeddings (N[+1], C), thumbnail, digest; and the note on a new one."""

    embeddings: Tensor
    thumbnail: str
    digest: str
    note: str = ""


def index_gallery(
    model: SEPSModel,
    gallery: Gallery,
    cache: Path | None,
    progress: Progress = False,
    encode: Callable[[Sequence[Image.Image]], Tensor] | None = None,
    before: GalleryInMemory | None = None,
) -> GalleryInMemory:
    """Encode a gallery. Scores are the same with and without the cache.

    As `index_in_steps`, without interruption.

    Raises:
        ValueError: no photographs, or none that can be read.
    """
    return finish(index_in_steps(model, gallery, cache, progress, encode, before))


def index_in_steps(
    model: SEPSModel,
    gallery: Gallery,
    cache: Path | None,
    progress: Progress = False,
    encode: Callable[[Sequence[Image.Image]], Tensor] | None = None,
    before: GalleryInMemory | None = None,
) -> Generator[int, None, GalleryInMemory]:
    """Encode a gallery photograph by photograph; closing the generator stops it.

    Each photograph is decoded once. Of an upload, its item keeps a small picture, and the cache nothing.

    Args:
        model: in evaluation mode.
        gallery: unreadable photographs move from its items to `skipped`.
        cache: folder with a table of embeddings (float32) and thumbnails per gallery and image encoder, see
            `demo.galleries.table`; damaged entries are replaced. None disables the cache.
        progress: as in `ScoringEngine`.
        encode: encodes photographs, by default on the model's device, see `demo.service.gpu`.
        before: previous uploads of the same session and model, which are not encoded again.

    Yields:
        After each photograph, the number done.

    Raises:
        ValueError: no photographs, or none that can be read.
    """
    has_files = any(not isinstance(item.source, bytes) for item in gallery.items)
    table = GalleryTable(cache if has_files else None, gallery, model)
    items: list[GalleryItem] = []
    encoded, skipped, notes = list[_Encoded](), list(gallery.skipped), [gallery.note]
    known = {} if before is None else {digest: place for place, digest in enumerate(before.digests)}
    try:
        for item in with_progress(gallery.items, f"Indexing {gallery.noun}", progress):
            place = known.get(item.digest()) if known and isinstance(item.source, bytes) else None
            try:
                if before is not None and place is not None:
                    item, photo = _taken_over(item, before, place)
                else:
                    item, photo = _encode(model, item, table, encode or model.encode_photos)
            except ValueError as error:
                skipped.append(str(error))
                continue
            items.append(item)
            encoded.append(photo)
            notes.append(photo.note)
            yield len(items)
        table.forget_others([item.key for item in items])
    finally:
        table.close()
    if not items:
        reason = f" {(skipped or [gallery.note])[0]}".rstrip()
        raise ValueError(f'The gallery "{gallery.title}" has no photo that can be read.{reason}')
    embeddings = torch.stack([photo.embeddings for photo in encoded]).to(model.device)
    return GalleryInMemory(
        gallery=replace(gallery, items=tuple(items), skipped=tuple(skipped), note=_note(notes)),
        images=ScoringEngine(model.cross_net).encode_images(embeddings),
        thumbnails=tuple(photo.thumbnail for photo in encoded),
        digests=tuple(photo.digest for photo in encoded),
        embeddings=embeddings,
    )


def _note(notes: Sequence[str]) -> str:
    """Join the first notes in one line."""
    given = list(filter(None, notes))
    more = f" And {len(given) - NOTES} more." if len(given) > NOTES else ""
    return " ".join(given[:NOTES]) + more


def _taken_over(item: GalleryItem, before: GalleryInMemory, place: int) -> tuple[GalleryItem, _Encoded]:
    """Return a photograph's data from another gallery, under its own name."""
    encoded = _Encoded(before.embeddings[place].cpu(), before.thumbnails[place], before.digests[place])
    return replace(item, source=before.gallery.items[place].source), encoded


def _encode(
    model: SEPSModel, item: GalleryItem, table: GalleryTable, encode: Callable[[Sequence[Image.Image]], Tensor]
) -> tuple[GalleryItem, _Encoded]:
    """Encode the item's photograph, or read it from the table; also return the item to keep."""
    sent = isinstance(item.source, bytes)
    if not sent and table.photos:
        kept = table.photos.get(item.digest())
        if kept is not None:
            table.put(replace(kept, file=replace(kept.file, path=item.key)))
            embeddings = kept.embeddings.to(model.img_enc.vision_proj.weight.dtype)
            return item, _Encoded(embeddings, thumbnail_url(kept), kept.file.digest)
    photo = item.read()
    try:
        embeddings = encode([photo.image])[0].cpu()
    except ValueError as error:
        raise ValueError(f'The photo "{item.title}" cannot be encoded: {error}') from error
    encoded = _Encoded(embeddings, thumbnail(photo.image), photo.digest, photo.note)
    if sent:
        return replace(item, source=shrink_photo(photo.image)), encoded
    table.put(_to_keep(item, encoded))
    return item, encoded


def _to_keep(item: GalleryItem, encoded: _Encoded) -> StoredPhoto:
    """Return the row of an encoded photograph for its gallery's table."""
    size = modified = 0
    if isinstance(item.source, Path):
        with suppress(OSError):  # deleted meanwhile
            size, modified = item.source.stat().st_size, item.source.stat().st_mtime_ns
    facts = FileFacts(item.key, size, modified, encoded.digest)
    content = thumbnail_content(encoded.thumbnail)
    return StoredPhoto(facts, encoded.embeddings.float(), content, item.licence, item.credit)

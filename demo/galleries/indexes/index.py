"""Galleries encoded by a model, with a cache."""

from base64 import b64decode
from collections.abc import Callable, Generator, Hashable, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TypeAlias

import torch
from PIL import Image
from torch import Tensor

from demo.galleries.gallery import Gallery, GalleryItem
from demo.galleries.indexes.stored import StoredGallery
from demo.galleries.indexes.table import GalleryTable
from demo.galleries.reading.photos import JPEG_URL, THUMBNAIL, KeptPhoto, jpeg, jpeg_url, shrink_photo
from seps import CaptionIndex, ImageIndex, ScoringEngine, SEPSModel
from seps.common.progress import Progress, finish, with_progress
from seps.search.pooling import pooled_images
from seps.search.store import FileFacts, StoredPhoto

NOTES = 3  # that are shown of a gallery's photographs


@dataclass(frozen=True)
class GalleryInMemory:
    """A gallery in memory, with the same methods as `StoredGallery`."""

    gallery: Gallery  # the V readable photographs; all else is in their order
    images: ImageIndex
    thumbnails: tuple[str, ...]  # JPEG data URLs
    digests: tuple[str, ...]  # sha256, which depend only on the content
    embeddings: Tensor  # (V, N[+1], C) of the image encoder, on the model's device

    def __len__(self) -> int:
        return len(self.gallery)

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


IndexedGallery: TypeAlias = GalleryInMemory | StoredGallery  # for ranking and explanation


def require_in_memory(indexed: IndexedGallery) -> GalleryInMemory:
    """Return the gallery if it is in memory; ValueError for one on disk."""
    if isinstance(indexed, GalleryInMemory):
        return indexed
    raise ValueError(f'The gallery "{indexed.gallery.title}" is too large for this: choose a smaller one.')


def index_gallery(
    model: SEPSModel,
    gallery: Gallery,
    cache: Path | None,
    progress: Progress = False,
    encode: Callable[[Sequence[Image.Image]], Tensor] | None = None,
    before: GalleryInMemory | None = None,
) -> GalleryInMemory:
    """Encode a gallery as `index_in_steps`, without interruption."""
    return finish(index_in_steps(model, gallery, cache, progress, encode, before))


def index_in_steps(
    model: SEPSModel,
    gallery: Gallery,
    cache: Path | None,
    progress: Progress = False,
    encode: Callable[[Sequence[Image.Image]], Tensor] | None = None,
    before: GalleryInMemory | None = None,
) -> Generator[int, None, GalleryInMemory]:
    """Encode a gallery with a model in evaluation mode, and yield the number of photographs done after each; closing
    the generator stops it. Each photograph is decoded once; unreadable ones move to `skipped`. Of an upload, its item
    keeps a small picture, and the cache nothing. `cache`: folder with a table of embeddings (float32) and thumbnails
    per gallery and image encoder, see `demo.galleries.indexes.table`, with which scores are the same; None disables it.
    `encode`: encodes photographs, by default on the model's device; `before`: previous uploads of the same session and
    model, which are not encoded again. ValueError without a readable photograph."""
    has_files = any(not isinstance(item.source, bytes) for item in gallery.items)
    table = GalleryTable(cache if has_files else None, gallery, model)
    items: list[GalleryItem] = []
    encoded, skipped, notes = list[StoredPhoto](), list(gallery.skipped), [gallery.note]
    known = {} if before is None else {digest: place for place, digest in enumerate(before.digests)}
    try:
        for item in with_progress(gallery.items, f"Indexing {gallery.noun}", progress):
            place = known.get(item.digest()) if known and isinstance(item.source, bytes) else None
            try:
                if before is not None and place is not None:
                    file = FileFacts(item.key, 0, 0, before.digests[place])
                    thumbnail = b64decode(before.thumbnails[place].removeprefix(JPEG_URL))
                    photo, note = StoredPhoto(file, before.embeddings[place].cpu().float(), thumbnail), ""
                    item = replace(item, source=before.gallery.items[place].source)
                else:
                    item, photo, note = _encode(item, table, encode or model.encode_photos)
            except ValueError as error:
                skipped.append(str(error))
                continue
            items.append(item)
            encoded.append(photo)
            notes.append(note)
            yield len(items)
        table.forget_others([item.key for item in items])
    finally:
        table.close()
    if not items:
        reason = f" {(skipped or [gallery.note])[0]}".rstrip()
        raise ValueError(f'The gallery "{gallery.title}" has no photo that can be read.{reason}')
    given = list(filter(None, notes))
    more = f" And {len(given) - NOTES} more." if len(given) > NOTES else ""
    precision = model.img_enc.vision_proj.weight.dtype
    embeddings = torch.stack([photo.embeddings for photo in encoded]).to(model.device, precision)
    return GalleryInMemory(
        gallery=replace(gallery, items=tuple(items), skipped=tuple(skipped), note=" ".join(given[:NOTES]) + more),
        images=ScoringEngine(model.cross_net).encode_images(embeddings),
        thumbnails=tuple(jpeg_url(photo.thumbnail) for photo in encoded),
        digests=tuple(photo.file.digest for photo in encoded),
        embeddings=embeddings,
    )


def _encode(
    item: GalleryItem, table: GalleryTable, encode: Callable[[Sequence[Image.Image]], Tensor]
) -> tuple[GalleryItem, StoredPhoto, str]:
    """Encode the item's photograph, or read it from the table; return the item to keep, the photograph and a note."""
    sent = isinstance(item.source, bytes)
    kept = table.photos.get(item.digest()) if table.photos and not sent else None
    if kept is not None:
        table.put(replace(kept, file=replace(kept.file, path=item.key)))
        return item, kept, ""
    photo = item.read()
    try:
        embeddings = encode([photo.image])[0].cpu().float()
    except ValueError as error:
        raise ValueError(f'The photo "{item.title}" cannot be encoded: {error}') from error
    size = modified = 0
    if isinstance(item.source, Path):
        with suppress(OSError):  # deleted meanwhile
            size, modified = item.source.stat().st_size, item.source.stat().st_mtime_ns
    file = FileFacts(item.key, size, modified, photo.digest)
    encoded = StoredPhoto(file, embeddings, jpeg(photo.image, THUMBNAIL), item.licence, item.credit)
    if sent:
        return replace(item, source=shrink_photo(photo.image)), encoded, photo.note
    table.put(encoded)
    return item, encoded, photo.note

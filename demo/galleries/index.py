"""A gallery encoded by a model: once, and from the cache afterwards."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path

import torch
from PIL import Image
from safetensors import SafetensorError, safe_open
from safetensors.torch import save
from torch import Tensor

from demo.galleries.cache import write_whole
from demo.galleries.gallery import Gallery, GalleryItem
from demo.galleries.photos import KeptPhoto, kept_small, thumbnail
from seps import ImageIndex, ScoringEngine, SEPSModel
from seps.progress import Progress, with_progress


@dataclass(frozen=True)
class IndexedGallery:
    """A gallery that can be ranked and explained without encoding a photograph again.

    Attributes:
        gallery: the photographs that could be read, V of them.
        images: of the same order; thumbnails, digests: of each, a JPEG data URL and a sha256.
        embeddings: (V, N[+1], C) on the model's device, what the model's image encoder gives.
    """

    gallery: Gallery
    images: ImageIndex
    thumbnails: tuple[str, ...]
    digests: tuple[str, ...]
    embeddings: Tensor

    def __len__(self) -> int:
        return len(self.gallery)

    @property
    def nbytes(self) -> int:
        """How much memory it takes, nearly: embeddings, as much again in `images`, and the pictures in memory."""
        kept = (item.source.content for item in self.gallery.items if isinstance(item.source, KeptPhoto))
        return 2 * self.embeddings.nbytes + sum(map(len, (*kept, *self.thumbnails)))

    def patches(self, index: int) -> Tensor:
        """The photograph's patch embeddings (N[+1], C)."""
        return self.embeddings[index]

    def digest(self, index: int) -> str:
        """The photograph's digest, the same wherever the same content lies."""
        return self.digests[index]


@dataclass(frozen=True)
class _Encoded:
    """What the index keeps of one photograph: embeddings (N[+1], C), thumbnail, digest."""

    embeddings: Tensor
    thumbnail: str
    digest: str


def index_gallery(
    model: SEPSModel,
    gallery: Gallery,
    cache: Path | None,
    progress: Progress = False,
    encode: Callable[[Sequence[Image.Image]], Tensor] | None = None,
    before: IndexedGallery | None = None,
) -> IndexedGallery:
    """Encode a gallery. Scores are the same whether photographs are encoded or come from the cache.

    Each photograph is decoded once. Of one that somebody sent, its item keeps a small picture, and the cache nothing.

    Args:
        model: in evaluation mode.
        gallery: a photograph that cannot be read moves from its items to `skipped`.
        cache: embeddings and thumbnails lie in its folder embeddings, float32, by the photograph's and the image
            encoder's content; files there that are not as they were written are written anew. None writes nothing.
        progress: as in `ScoringEngine`.
        encode: encodes photographs elsewhere than on the model's device, see `demo.service.gpu`.
        before: what the same person sent before, by the same model: photographs that it holds are not encoded again.

    Raises:
        ValueError: no photograph, or none that can be read.
    """
    folder = None if cache is None else cache / "embeddings" / encoder_key(model)
    items, encoded, skipped = [], [], list(gallery.skipped)
    known = {} if before is None else {digest: place for place, digest in enumerate(before.digests)}
    for item in with_progress(gallery.items, f"Indexing {gallery.noun}", progress):
        place = known.get(item.digest()) if known and isinstance(item.source, bytes) else None
        try:
            if before is not None and place is not None:
                item, photo = _taken_over(item, before, place)
            else:
                item, photo = _encode(model, item, folder, encode or model.encode_photos)
        except ValueError as error:
            skipped.append(str(error))
            continue
        items.append(item)
        encoded.append(photo)
    if not items:
        reason = f" {(skipped or [gallery.note])[0]}".rstrip()
        raise ValueError(f'The gallery "{gallery.title}" has no photo that can be read.{reason}')
    embeddings = torch.stack([photo.embeddings for photo in encoded]).to(model.device)
    return IndexedGallery(
        gallery=replace(gallery, items=tuple(items), skipped=tuple(skipped)),
        images=ScoringEngine(model.cross_net).encode_images(embeddings),
        thumbnails=tuple(photo.thumbnail for photo in encoded),
        digests=tuple(photo.digest for photo in encoded),
        embeddings=embeddings,
    )


def _taken_over(item: GalleryItem, before: IndexedGallery, place: int) -> tuple[GalleryItem, _Encoded]:
    """A photograph as another gallery holds it, under its own name."""
    encoded = _Encoded(before.embeddings[place].cpu(), before.thumbnails[place], before.digests[place])
    return replace(item, source=before.gallery.items[place].source), encoded


def encoder_key(model: SEPSModel) -> str:
    """A short hash of all that embeddings depend on besides the photograph: preprocessing, parameters, arithmetic."""
    config = json.dumps(model.config.as_dict()["vision"], sort_keys=True)
    key = hashlib.sha256(f"{config} {model.device.type} {torch.__version__}".encode())
    for name, values in model.img_enc.state_dict().items():
        key.update(f"{name} {values.dtype} {tuple(values.shape)}".encode())
        key.update(values.detach().cpu().contiguous().flatten().view(torch.uint8).numpy().data)
    return key.hexdigest()[:16]


def _encode(
    model: SEPSModel,
    item: GalleryItem,
    folder: Path | None,
    encode: Callable[[Sequence[Image.Image]], Tensor],
) -> tuple[GalleryItem, _Encoded]:
    """The item as it is kept, and its photograph encoded, from the cache where it is there."""
    sent = isinstance(item.source, bytes)
    folder = None if sent else folder
    cached = None if folder is None else _load(model, folder, item.digest())
    if cached is not None:
        return item, cached
    photo = item.read()
    try:
        embeddings = encode([photo.image])[0].cpu()
    except ValueError as error:
        raise ValueError(f'The photo "{item.title}" cannot be encoded: {error}') from error
    encoded = _Encoded(embeddings, thumbnail(photo.image), photo.digest)
    if folder is not None:
        with suppress(OSError):  # a cache that cannot be written costs time, nothing else
            _store(folder, encoded)
    return (replace(item, source=kept_small(photo.image)) if sent else item), encoded


def _file(folder: Path, digest: str) -> Path:
    return folder / f"{digest}.safetensors"


def _checksum(folder: Path, embeddings: Tensor, picture: str, digest: str) -> str:
    """sha256 of what is kept of a photograph, of which photograph, and of which encoder; in hexadecimal."""
    checksum = hashlib.sha256(f"{folder.name} {digest} {embeddings.dtype} {tuple(embeddings.shape)} {picture}".encode())
    checksum.update(embeddings.contiguous().flatten().view(torch.uint8).numpy().data)
    return checksum.hexdigest()


def _store(folder: Path, encoded: _Encoded) -> None:
    """Write one photograph into the cache; OSError where it cannot be written."""
    embeddings = encoded.embeddings.float().contiguous()
    checksum = _checksum(folder, embeddings, encoded.thumbnail, encoded.digest)
    metadata = {"thumbnail": encoded.thumbnail, "checksum": checksum}
    write_whole(_file(folder, encoded.digest), save({"embeddings": embeddings}, metadata))


def _load(model: SEPSModel, folder: Path, digest: str) -> _Encoded | None:
    """One photograph from the cache, or None where it is not there as it was written."""
    try:
        with safe_open(_file(folder, digest), "pt") as file:
            embeddings = file.get_tensor("embeddings")
            metadata = file.metadata() or {}
            picture, checksum = metadata["thumbnail"], metadata["checksum"]
    except (OSError, SafetensorError, KeyError):
        return None
    if checksum != _checksum(folder, embeddings, picture, digest):
        return None
    return _Encoded(embeddings.to(model.img_enc.vision_proj.weight.dtype), picture, digest)

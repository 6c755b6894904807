"""Galleries: photographs with captions, licences and credits, opened on demand."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from PIL import Image

from demo.galleries.annotation import SceneAnnotation
from demo.galleries.photos import (
    KEPT,
    KeptPhoto,
    Photo,
    compute_digest,
    data_url,
    file_digest,
    jpeg_url,
    pixels_digest,
    read_photo,
    read_upload,
)
from seps.text import nfc


@dataclass(frozen=True)
class GalleryItem:
    """One photograph.

    Attributes:
        key: unique in its gallery; title: display name.
        captions: sentences written for it; dense: a long description, or None.
        licence: its name, or ""; licence_link: the licence's URL, or None.
        credit: the author, or ""; link: the photograph's page, or None.
        source: its file, the content of an upload, or a function that returns it in RGB.
        known: annotation of a drawn picture; None for a photograph.
        phrases: captions of different things in it, if known.
    """

    key: str
    title: str
    captions: tuple[str, ...]
    dense: str | None
    licence: str
    licence_link: str | None
    credit: str
    link: str | None
    source: Path | bytes | Callable[[], Image.Image]
    known: SceneAnnotation | None = None
    phrases: tuple[str, ...] = ()

    def read(self) -> Photo:
        """Return the photograph in RGB with its digest.

        Raises:
            ValueError: it is unavailable or unreadable.
        """
        if isinstance(self.source, Path):
            return read_photo(self.source, self.title)
        if isinstance(self.source, bytes):
            return read_upload(self.source, self.title)
        image = self.source()
        return Photo(image, pixels_digest(image), self.title)

    def photo(self) -> Image.Image:
        """Return the photograph in RGB; errors as `read`."""
        return self.read().image

    def picture(self) -> tuple[str, int, int]:
        """Return the photograph for display: a data URL with at most KEPT pixels on the long side, and the original
        width and height. An upload's stored JPEG is returned unchanged; errors as `read`."""
        if isinstance(self.source, KeptPhoto):
            return jpeg_url(self.source.content), *self.source.size
        photo = self.photo()
        return data_url(photo, KEPT), photo.width, photo.height

    def digest(self) -> str:
        """Return the digest of `read` without decoding, if it is a file's; errors as `read`."""
        if isinstance(self.source, Path):
            return file_digest(self.source, self.title)
        return compute_digest(self.source) if isinstance(self.source, bytes) else self.read().digest


@dataclass(frozen=True)
class Gallery:
    """A searchable collection of photographs.

    Attributes:
        name: in links and commands; title: display name.
        note: one line to show, or "".
        items: the photographs.
        skipped: a sentence for each file that was left out.
        noun: word for its items in texts.
        table: name of its table in the cache; by default `name`.
        timed: whether its items are frames of a video, in order of time; keys are then seconds.
        captions: initial captions, if it has its own.
    """

    name: str
    title: str
    note: str
    items: tuple[GalleryItem, ...]
    skipped: tuple[str, ...] = ()
    noun: str = "photographs"
    table: str = ""
    timed: bool = False
    captions: tuple[str, ...] = ()

    def __len__(self) -> int:
        return len(self.items)

    def position(self, key: str) -> int:
        """Return the position of the photograph with this key, compared in NFC; ValueError if there is none."""
        key = nfc(key)
        for index, item in enumerate(self.items):
            if item.key == key:
                return index
        raise ValueError(f"The gallery {self.name!r} has no photo {key!r}: choose one of its {len(self)} photos.")


def caption_pool(gallery: Gallery) -> tuple[list[str], list[int]]:
    """Return every caption of a gallery, and the position of its photograph."""
    pairs = [(caption, index) for index, item in enumerate(gallery.items) for caption in item.captions]
    return [caption for caption, _ in pairs], [index for _, index in pairs]

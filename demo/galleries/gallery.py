"""A gallery: photographs with their captions, licences and credits; none is opened before it is needed."""

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
    content_digest,
    data_url,
    file_digest,
    jpeg_url,
    pixels_digest,
    read_photo,
    read_upload,
)


@dataclass(frozen=True)
class GalleryItem:
    """One photograph.

    Attributes:
        key: unique in its gallery; title: for people.
        captions: sentences written for it; dense: a long description, or None.
        licence: its name, or ""; licence_link: where it is written, or None.
        credit: whose it is, or ""; link: the photograph's page, or None.
        source: its file, the content of one that somebody sent, or what gives it in RGB.
        known: of a drawn picture, its objects and where they are; None of a photograph.
        phrases: captions of different things in it, where some are known.
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
            ValueError: it cannot be had or read.
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
        """Return the photograph as a page shows it: a data URL of at most KEPT pixels on the long side, and the
        photograph's own width and height. What was kept for that is given as it is; errors as `read`."""
        if isinstance(self.source, KeptPhoto):
            return jpeg_url(self.source.content), *self.source.size
        photo = self.photo()
        return data_url(photo, KEPT), photo.width, photo.height

    def digest(self) -> str:
        """Return the digest that `read` gives, a file's without decoding; errors as `read`, where no decoding is
        needed."""
        if isinstance(self.source, Path):
            return file_digest(self.source, self.title)
        return content_digest(self.source) if isinstance(self.source, bytes) else self.read().digest


@dataclass(frozen=True)
class Gallery:
    """Photographs that are searched together.

    Attributes:
        name: in links and commands; title: for people.
        note: one line that people should read, or "".
        items: the photographs.
        skipped: a sentence for each file that was left out.
        noun: what its items are called, for people.
        table: the name of its table in the cache; its own name where left out.
        timed: whether its items are frames of a video, in the order of their times: a key is a number of seconds.
        captions: to begin with, where there are such of its own.
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
        """Return where the photograph of this key stands; ValueError where there is none."""
        for index, item in enumerate(self.items):
            if item.key == key:
                return index
        raise ValueError(f"The gallery {self.name!r} has no photo {key!r}: choose one of its {len(self)} photos.")

    def titled(self, title: str) -> int:
        """Return where the first photograph of this title stands; ValueError where there is none."""
        for index, item in enumerate(self.items):
            if item.title == title:
                return index
        raise ValueError(f"The gallery {self.name!r} has no photo {title!r}: choose one of its {len(self)} photos.")


def caption_pool(gallery: Gallery) -> tuple[list[str], list[int]]:
    """Return every caption of a gallery, and for each the position of the photograph that it was written for."""
    pairs = [(caption, index) for index, item in enumerate(gallery.items) for caption in item.captions]
    return [caption for caption, _ in pairs], [index for _, index in pairs]

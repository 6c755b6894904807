"""Galleries: photographs with captions, licences and credits, opened on demand; and the initial content of each view,
chosen by measurements and written by `python -m demo.examples`."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

from PIL import Image

from demo.galleries.annotation import SceneAnnotation
from demo.galleries.reading.photos import (
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
from seps.common.text import nfc

OPENINGS_FILE = Path(__file__).resolve().parents[2] / "assets" / "opening" / "examples.json"
PHOTOGRAPHS, SCENES = "examples", "scenes"  # their choices also apply to other galleries


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
        """Return the photograph in RGB with its digest; ValueError if it is unavailable or unreadable."""
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


@dataclass(frozen=True)
class Opening:
    """Initial content of a view.

    Attributes:
        index: of the photograph in its gallery; captions: one, or those to compare.
        against: the index of a second photograph, if any.
    """

    index: int
    captions: tuple[str, ...]
    against: int | None = None


@lru_cache(maxsize=1)
def load_openings() -> dict[str, dict[str, Any]]:
    """Read the file: by gallery, the choice of each view with its measurements, and "chips"."""
    galleries: dict[str, dict[str, Any]] = json.loads(OPENINGS_FILE.read_text(encoding="utf-8"))["galleries"]
    return galleries


def choices_of(gallery: Gallery) -> dict[str, Any]:
    """Return the choices of a gallery: its own, else the scenes' for drawn pictures and the examples' for
    others."""
    kind = PHOTOGRAPHS if all(item.known is None for item in gallery.items) else SCENES
    return load_openings().get(gallery.name, load_openings()[kind])


def first_captions(gallery: Gallery) -> tuple[str, ...]:
    """Return the suggested captions of a gallery's search, the initial one first."""
    return gallery.captions or tuple(choices_of(gallery)["chips"])


def get_opening(gallery: Gallery, view: str) -> Opening | None:
    """Return the initial content of a view in a gallery; None if none was chosen or its photographs are missing."""
    choice = choices_of(gallery).get(view)
    keys = {item.key: index for index, item in enumerate(gallery.items)}
    if choice is None or not {choice["photo"], choice.get("against", choice["photo"])} <= keys.keys():
        return None
    return Opening(keys[choice["photo"]], tuple(choice["captions"]), keys.get(choice.get("against", "")))

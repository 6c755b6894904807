"""Galleries: photographs with captions, licences and credits, opened on demand; and the initial content of each view,
chosen by measurements and written by `python -m demo.examples`."""

import json
from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

from PIL import Image

from demo.galleries.annotation import SceneAnnotation
from demo.galleries.reading import photos
from seps.common.text import nfc

OPENINGS_FILE = Path(__file__).resolve().parents[2] / "assets" / "opening" / "examples.json"
PHOTOGRAPHS, SCENES = "examples", "scenes"  # their choices also apply to other galleries


@dataclass(frozen=True)
class GalleryItem:
    """One photograph."""

    key: str  # unique in its gallery
    title: str
    captions: tuple[str, ...]  # written for it
    dense: str | None
    licence: str
    licence_link: str | None
    credit: str
    link: str | None  # the photograph's page
    source: Path | bytes | Callable[[], Image.Image]  # a file, an upload's content, or what returns it in RGB
    known: SceneAnnotation | None = None  # of a drawn picture
    phrases: tuple[str, ...] = ()  # captions of different things in it

    def read(self) -> photos.Photo:
        """Return the photograph in RGB with its digest; ValueError if it is unavailable or unreadable."""
        if isinstance(self.source, Path):
            return photos.read_photo(self.source, self.title)
        if isinstance(self.source, bytes):
            return photos.read_upload(self.source, self.title)
        image = self.source()
        return photos.Photo(image, photos.pixels_digest(image), self.title)

    def photo(self) -> Image.Image:
        """Return the photograph in RGB; errors as `read`."""
        return self.read().image

    def picture(self) -> tuple[str, int, int]:
        """Return a data URL, at most KEPT pixels on the long side, and the original width and height. An upload's
        stored JPEG is returned unchanged; errors as `read`."""
        if isinstance(self.source, photos.KeptPhoto):
            return photos.jpeg_url(self.source.content), *self.source.size
        photo = self.photo()
        return photos.data_url(photo, photos.KEPT), photo.width, photo.height

    def digest(self) -> str:
        """Return the digest of `read` without decoding, if it is a file's; errors as `read`."""
        if isinstance(self.source, Path):
            return photos.file_digest(self.source, self.title)
        return photos.compute_digest(self.source) if isinstance(self.source, bytes) else self.read().digest


@dataclass(frozen=True)
class Gallery:
    """A searchable collection of photographs."""

    name: str  # in links and commands
    title: str
    note: str  # one line to show
    items: tuple[GalleryItem, ...]
    skipped: tuple[str, ...] = ()  # a sentence for each file that was left out
    noun: str = "photographs"  # for its items in texts
    table: str = ""  # its table's name in the cache; by default `name`
    timed: bool = False  # items are frames of a video in order, keys are seconds
    captions: tuple[str, ...] = ()  # initial ones, if it has its own

    def __len__(self) -> int:
        return len(self.items)

    def position(self, key: str) -> int:
        """Return the position of the photograph with this key, compared in NFC; ValueError if there is none."""
        key = nfc(key)
        for index, item in enumerate(self.items):
            if item.key == key:
                return index
        raise ValueError(f"The gallery {self.name!r} has no photo {key!r}: choose one of its {len(self)} photos.")


@dataclass(frozen=True)
class Opening:
    """Initial content of a view: a photograph, the caption or those to compare, and a second photograph if any."""

    index: int
    captions: tuple[str, ...]
    against: int | None = None


@lru_cache(maxsize=1)
def load_openings() -> dict[str, dict[str, Any]]:
    """Read the file: by gallery, the choice of each view with its measurements, and "chips"."""
    galleries: dict[str, dict[str, Any]] = json.loads(OPENINGS_FILE.read_text(encoding="utf-8"))["galleries"]
    return galleries


def choices_of(gallery: Gallery) -> dict[str, Any]:
    """Return a gallery's own choices, else the scenes' for drawn pictures and the examples' for others."""
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

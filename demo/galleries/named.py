"""The app's galleries by name, for files that refer to their pictures."""

from __future__ import annotations

from collections.abc import Callable

from demo.galleries.cache import default_cache
from demo.galleries.examples import examples_gallery
from demo.galleries.gallery import Gallery, GalleryItem
from demo.galleries.moving import MOVING, create_moving_gallery
from demo.galleries.open_photos import open_photos_gallery
from demo.galleries.scenes import SCENES, scenes_gallery
from seps.progress import Progress

NAMES = ("examples", "open-photos", SCENES, MOVING)


def open_named_gallery(name: str, progress: Progress = False) -> Gallery:
    """Open a gallery that comes with the app.

    Args:
        name: one of NAMES; progress: of downloads, as in `seps.progress.with_progress`.

    Raises:
        ValueError: unknown gallery.
    """
    openers: dict[str, Callable[[], Gallery]] = {
        "examples": examples_gallery,
        "open-photos": lambda: open_photos_gallery(default_cache(), progress=progress),
        SCENES: scenes_gallery,
        MOVING: create_moving_gallery,
    }
    if name not in openers:
        raise ValueError(f"There is no gallery {name!r} that comes with the app: there are {', '.join(NAMES)}.")
    return openers[name]()


def find_named_item(name: str, key: str, progress: Progress = False) -> GalleryItem:
    """Find a picture of a gallery that comes with the app; ValueError for an unknown gallery or picture."""
    gallery = open_named_gallery(name, progress)
    return gallery.items[gallery.position(key)]

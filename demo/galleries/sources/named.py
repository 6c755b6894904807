"""The gallery of examples, and all of the app's galleries by name, for files that refer to their pictures."""

from collections.abc import Callable

from demo.galleries.gallery import Gallery, GalleryItem
from demo.galleries.reading.paths import default_cache
from demo.galleries.sources.open_photos import open_photos_gallery
from demo.galleries.sources.packaged import load_examples, load_regions
from demo.galleries.sources.scenes import MOVING, SCENES, create_moving_gallery, scenes_gallery

NAMES = ("examples", "open-photos", SCENES, MOVING)


def open_named_gallery(name: str) -> Gallery:
    """Open a gallery that comes with the app, one of NAMES; ValueError for others."""
    openers: dict[str, Callable[[], Gallery]] = {
        "examples": examples_gallery,
        "open-photos": lambda: open_photos_gallery(default_cache()),
        SCENES: scenes_gallery,
        MOVING: create_moving_gallery,
    }
    if name not in openers:
        raise ValueError(f"There is no gallery {name!r} that comes with the app: there are {', '.join(NAMES)}.")
    return openers[name]()


def examples_gallery() -> Gallery:
    """Return the gallery of examples; needs no network."""
    regions = load_regions()
    items = tuple(
        GalleryItem(
            key=example.name,
            title=example.name,
            captions=example.captions,
            dense=example.dense,
            licence=example.licence,
            licence_link=example.licence_link,
            credit=example.credit,
            link=example.link,
            source=example.photo,
            phrases=regions[example.name].phrases if example.name in regions else (),
        )
        for example in load_examples()
    )
    return Gallery("examples", "Examples", "", items)

"""Gallery of the photographs that ship with the app or with installed Python packages."""

from __future__ import annotations

from demo.galleries.gallery import Gallery, GalleryItem
from demo.galleries.packaged import load_examples
from demo.galleries.regions import load_regions


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

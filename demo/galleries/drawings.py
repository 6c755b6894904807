"""Pictures that the generator drew for one caption, as a gallery of their own."""

from __future__ import annotations

from collections.abc import Sequence

from PIL import Image

from demo.galleries.gallery import Gallery, GalleryItem

DRAWN = "drawn"  # the name of a gallery of such pictures
CREDIT = "drawn by the generator"


def drawn_gallery(pictures: Sequence[Image.Image], seeds: Sequence[int]) -> Gallery:
    """Return the pictures in their order, each with the seed that it was drawn with for a key."""
    items = tuple(
        GalleryItem(str(seed), f"seed {seed}", (), None, "", None, CREDIT, None, picture.copy)
        for picture, seed in zip(pictures, seeds, strict=True)
    )
    return Gallery(DRAWN, "Drawn pictures", "", items, noun="pictures")

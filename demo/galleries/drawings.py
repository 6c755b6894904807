"""Gallery of the pictures that the generator drew for one caption."""

from __future__ import annotations

from collections.abc import Sequence

from PIL import Image

from demo.galleries.gallery import Gallery, GalleryItem

DRAWN = "drawn"  # the name of a gallery of such pictures
CREDIT = "drawn by the generator"


def create_drawn_gallery(pictures: Sequence[Image.Image], seeds: Sequence[int]) -> Gallery:
    """Create a gallery of the pictures in order, with their seeds as keys."""
    items = tuple(
        GalleryItem(str(seed), f"seed {seed}", (), None, "", None, CREDIT, None, picture.copy)
        for picture, seed in zip(pictures, seeds, strict=True)
    )
    return Gallery(DRAWN, "Drawn pictures", "", items, noun="pictures")

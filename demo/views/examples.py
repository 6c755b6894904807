"""The captions that a view begins with, see `demo.galleries.openings`."""

from __future__ import annotations

from demo.galleries.index import IndexedGallery
from demo.galleries.openings import PHOTOGRAPHS, first_captions, load_openings

EXAMPLES: tuple[str, ...] = tuple(load_openings()[PHOTOGRAPHS]["chips"])
FIRST_CAPTION = EXAMPLES[0]
FIRST_PHOTO: str = load_openings()[PHOTOGRAPHS]["search"]["photo"]


def examples_of(indexed: IndexedGallery) -> tuple[str, ...]:
    """Captions to begin with in a gallery."""
    return first_captions(indexed.gallery)

"""Photographs as the page takes them: under a picture, and in a strip."""

from functools import lru_cache
from typing import Any

from demo.galleries.gallery import GalleryItem
from demo.galleries.indexes.index import IndexedGallery
from demo.galleries.sources.folder import PERSONAL

LONGEST_STRIP = 500  # photographs of a strip; of a longer one STRIP are shown


def photo_value(indexed: IndexedGallery, index: int) -> dict[str, Any]:
    """Return the photograph as the viewer takes it."""
    item = indexed.gallery.items[index]
    of_a_person = indexed.gallery.name in PERSONAL  # nothing of these outlives the session
    source, width, height = item.picture() if of_a_person else _remembered_picture(item)
    facts = {name: getattr(item, name) for name in ("title", "credit", "link", "licence", "licence_link")}
    return {"src": source, "width": width, "height": height} | facts


_remembered_picture = lru_cache(maxsize=256)(GalleryItem.picture)


def get_credit(item: GalleryItem) -> str:
    """Whose the photograph is, and its licence."""
    return ", ".join(part for part in (item.credit, item.licence) if part)

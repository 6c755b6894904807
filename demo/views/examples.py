"""The captions that a view begins with."""

from __future__ import annotations

from demo.galleries.index import IndexedGallery

FIRST_CAPTION = "an orange flower"  # by measure the most telling, see tests/demo/views/test_examples.py
EXAMPLES = (
    FIRST_CAPTION,
    "a tabby cat with green eyes",
    "a motorcycle parked indoors",
    "a person in a space suit",
    "a woman wearing glasses and an officer's hat",
)


def examples_of(indexed: IndexedGallery) -> tuple[str, ...]:
    """Captions to begin with: those written for the first scenes, or the page's own for photographs."""
    scenes = [item for item in indexed.gallery.items if item.known is not None and item.captions]
    return tuple(min(item.captions, key=len) for item in scenes[: len(EXAMPLES)]) or EXAMPLES

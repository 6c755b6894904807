"""The captions that a view begins with, see `demo.galleries.openings`, and those with which it goes on in another
gallery."""

from __future__ import annotations

from demo.galleries.index import IndexedGallery
from demo.galleries.openings import PHOTOGRAPHS, first_captions, load_openings
from demo.screens.parts import ViewState
from demo.service.captions import read_caption
from demo.service.retrieval import RetrievalService

EXAMPLES: tuple[str, ...] = tuple(load_openings()[PHOTOGRAPHS]["chips"])
FIRST_CAPTION = EXAMPLES[0]
FIRST_PHOTO: str = load_openings()[PHOTOGRAPHS]["search"]["photo"]


def examples_of(indexed: IndexedGallery) -> tuple[str, ...]:
    """Captions to begin with in a gallery."""
    return first_captions(indexed.gallery)


def carried_over(
    service: RetrievalService, before: RetrievalService, indexed: IndexedGallery, state: ViewState
) -> tuple[str, str]:
    """Return the captions to go on with in another gallery: the same ones where its model is that of `before` or reads
    every word of them, else the gallery's first example and no dense caption."""
    try:
        if service is before or not read_caption(service.model, state.caption).note:
            return state.caption, state.dense or ""
    except ValueError:
        pass
    return examples_of(indexed)[0], ""

"""The captions that searches offer: those chosen by measure, for each kind of gallery."""

from __future__ import annotations

from dataclasses import replace

from demo.galleries.index import IndexedGallery, require_in_memory
from demo.galleries.openings import get_opening, load_openings
from demo.screens.examples import EXAMPLES, FIRST_CAPTION, FIRST_PHOTO, examples_of
from demo.service.registry import ModelRegistry
from demo.service.retrieval import RetrievalService


def renamed(indexed: IndexedGallery, name: str) -> IndexedGallery:
    """The same pictures under another name, as a model of one's own has them."""
    return replace(require_in_memory(indexed), gallery=replace(indexed.gallery, name=name))


def test_the_first_caption_finds_the_first_photograph(service: RetrievalService) -> None:
    indexed = service.find("examples")
    assert EXAMPLES[0] == FIRST_CAPTION == load_openings()["examples"]["search"]["captions"][0]
    assert service.rank_images(indexed, FIRST_CAPTION).order[0] == indexed.gallery.position(FIRST_PHOTO)


def test_each_kind_of_gallery_has_its_own(service: RetrievalService, registry: ModelRegistry) -> None:
    scenes = registry.open("scenes")[1]
    assert examples_of(scenes) == examples_of(renamed(scenes, "mine")) == tuple(load_openings()["scenes"]["chips"])
    photographs = service.find("examples")
    assert examples_of(photographs) == examples_of(renamed(photographs, "mine")) == EXAMPLES
    assert not set(EXAMPLES) & set(examples_of(scenes))


def test_a_gallery_without_the_chosen_photograph_opens_with_none(service: RetrievalService) -> None:
    gallery = service.find("examples").gallery
    assert get_opening(gallery, "compare") is not None
    assert get_opening(gallery, "generate") is None
    key = load_openings()["examples"]["compare"]["photo"]
    others = tuple(item for item in gallery.items if item.key != key)
    assert get_opening(replace(gallery, items=others), "compare") is None

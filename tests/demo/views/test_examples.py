"""The captions that searches offer: those chosen by measure, for each kind of gallery."""

from __future__ import annotations

from dataclasses import replace

from demo.galleries.index import IndexedGallery, require_in_memory
from demo.galleries.openings import first_captions, get_opening, load_openings
from demo.service.registry import ModelRegistry
from demo.service.retrieval import RetrievalService


def renamed(indexed: IndexedGallery, name: str) -> IndexedGallery:
    """The same pictures under another name, as a model of one's own has them."""
    return replace(require_in_memory(indexed), gallery=replace(indexed.gallery, name=name))


def test_a_gallery_without_the_chosen_photograph_opens_with_none(service: RetrievalService) -> None:
    gallery = service.find("examples").gallery
    assert get_opening(gallery, "compare") is not None
    assert get_opening(gallery, "generate") is None
    key = load_openings()["examples"]["compare"]["photo"]
    others = tuple(item for item in gallery.items if item.key != key)
    assert get_opening(replace(gallery, items=others), "compare") is None


def test_the_first_caption_finds_the_first_photograph(service: RetrievalService) -> None:
    indexed, opening = service.find("examples"), load_openings()["examples"]["search"]
    assert service.rank_images(indexed, opening["captions"][0]).order[0] == indexed.gallery.position(opening["photo"])


def test_each_kind_of_gallery_has_its_own(service: RetrievalService, registry: ModelRegistry) -> None:
    scenes = registry.open("scenes")[1]
    assert first_of(scenes) == first_of(renamed(scenes, "mine")) == tuple(load_openings()["scenes"]["chips"])
    photographs = service.find("examples")
    assert (
        first_of(photographs) == first_of(renamed(photographs, "mine")) == tuple(load_openings()["examples"]["chips"])
    )
    assert not set(first_of(photographs)) & set(first_of(scenes))


def first_of(indexed: IndexedGallery) -> tuple[str, ...]:
    return first_captions(indexed.gallery)

"""What a mask would be for other things in a photograph: chips of Photos, and the captions that Compare opens with."""

from __future__ import annotations

import numpy as np

from demo.service.masks import read_mask
from demo.service.registry import ModelRegistry
from demo.service.retrieval import RetrievalService
from demo.views.state import ViewState
from demo.views.viewer import OTHERS, search_value


def test_chips_bring_the_masks_that_their_captions_have(service: RetrievalService) -> None:
    indexed = service.find("examples")
    index = indexed.gallery.position("motorcycle")
    phrases = indexed.gallery.items[index].phrases
    value = search_value(service, indexed, ViewState("examples", index, phrases[0]))
    rows = value["others"]
    assert [row["caption"] for row in rows] == list(phrases[1:][:OTHERS])
    for row in rows:
        kept = service.explain(indexed, index, row["caption"]).sparse.kept
        np.testing.assert_array_equal(read_mask(row["mask"], kept.size), kept)
        first = service.explain(indexed, index, phrases[0]).sparse.kept
        overlap = 100 * (first & kept).sum() / (first | kept).sum()
        assert f"share {overlap:.0f}% of their patches" in row["says"]


def test_there_are_none_beside_a_dense_caption_or_without_known_things(service: RetrievalService) -> None:
    indexed = service.find("examples")
    index = indexed.gallery.position("motorcycle")
    dense = ViewState("examples", index, "a motorcycle", indexed.gallery.items[index].dense)
    assert search_value(service, indexed, dense)["others"] == []
    galaxies = ViewState("examples", indexed.gallery.position("galaxies"), "bright lights")
    assert search_value(service, indexed, galaxies)["others"] == []


def test_scenes_offer_their_objects(registry: ModelRegistry) -> None:
    service, indexed = registry.open("scenes")
    rows = search_value(service, indexed, ViewState("scenes", 0, "a boat"))["others"]
    assert [row["caption"] for row in rows] == ["a big red helicopter", "a small dolphin"]

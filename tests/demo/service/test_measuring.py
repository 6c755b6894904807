from dataclasses import replace
from pathlib import Path
from unittest.mock import Mock

import numpy as np
import pytest
from PIL import Image

from demo.galleries.annotation import objects_name
from demo.galleries.indexes.index import index_gallery
from demo.galleries.sources.named import examples_gallery
from demo.record.layers.layer_table import region_sentence
from demo.record.layers.layers import Layer, describe
from demo.record.packing import packed, plain
from demo.service.measuring.effects import Pair, measure, patches_of
from demo.service.measuring.measured import (
    MeasuredExplanation,
    PatchEffects,
    Region,
    find_strongest_region,
    whereabouts,
)
from demo.service.measuring.measures import MEASURES
from demo.service.models.registry import ModelRegistry
from demo.service.retrieval import RetrievalService
from seps import explain, measure_blanked, measure_blurred, measure_effects, smallest_change, smallest_set
from tests.helpers.models.record_words import layers_of
from tests.helpers.models.tiny import tiny_model

CAPTION = "an orange flower with green leaves"


def effects_of(record: MeasuredExplanation, name: str = "effect") -> PatchEffects:
    effects = record.measures[name]
    assert isinstance(effects, PatchEffects)
    return effects


@pytest.fixture(scope="module")
def index(service: RetrievalService) -> int:
    return service.find("examples").gallery.position("dahlia")


@pytest.fixture(scope="module")
def small(bert: Path) -> RetrievalService:
    """A tiny model of 4 x 4 patches with four of the examples."""
    model, gallery = tiny_model(bert, image_size=64), examples_gallery()
    return RetrievalService(model, "tiny", [index_gallery(model, replace(gallery, items=gallery.items[:4]), None)])


@pytest.mark.parametrize("name", ["effect", "blanked"])
def test_values_are_the_librarys(service: RetrievalService, index: int, name: str) -> None:
    indexed = service.find("examples")
    mask = np.random.default_rng(1).random(196) < 0.3 if name == "effect" else None
    record = service.measure(indexed, index, CAPTION, None, name, mask)
    words = service.model.encode_captions([CAPTION])[0][0]
    run = measure_effects if name == "effect" else measure_blanked
    expected = run(service.model.cross_net, indexed.patches(index), words, mask=mask)
    shown = Layer(name).values(record)
    np.testing.assert_allclose(shown.values, expected.effects, atol=1e-6)
    assert shown.diverging and shown.low == -shown.high and shown.high == abs(shown.values).max()
    for word in (0, 3):
        np.testing.assert_allclose(Layer(name, word).values(record).values, expected.word_effects[word], atol=1e-6)
    assert plain(record)["measures"][name]["values"] == shown.values.tolist()
    assert len(packed(record)["measures"][name]["words"]["float32"]) > 100
    assert Layer(name) in layers_of(record) and Layer(name, 2) in layers_of(record)
    assert record.similarity == service.explain(indexed, index, CAPTION, None, mask).similarity


def test_blurred_values_are_the_librarys(small: RetrievalService) -> None:
    indexed, mask = small.find("examples"), np.random.default_rng(1).random(16) < 0.3
    pair = (indexed, 1, "a dog runs", None, "blurred", mask)
    assert not small.is_measured(*pair)
    bar = Mock(side_effect=lambda items, desc: items)
    record = small.measure(*pair, bar)
    expected = measure_blurred(small.model, indexed.gallery.items[1].photo(), "a dog runs", mask=mask)
    shown = Layer("blurred").values(record)
    np.testing.assert_allclose(shown.values, expected.effects, atol=1e-6)
    np.testing.assert_allclose(Layer("blurred", 2).values(record).values, expected.word_effects[2], atol=1e-6)
    assert small.is_measured(*pair)
    assert small.measure(*pair, bar).measures["blurred"] is record.measures["blurred"]
    assert bar.call_count == 1  # then it was remembered


def test_the_smallest_set_and_change_are_the_librarys(small: RetrievalService) -> None:
    indexed, caption = small.find("examples"), "a dog runs in the snow"
    ranking = small.rank_images(indexed, caption)
    index = ranking.order[1]
    others = ranking.others(index)
    words = small.model.encode_captions([caption])[0][0]
    pair = (small.model.cross_net, indexed.patches(index), words)
    smallest = smallest_set(*pair, others=others)
    record = small.measure(indexed, index, caption, None, "smallest_set")
    shown = Layer("smallest_set").values(record)
    assert np.array_equal(shown.values > 0, smallest.kept) and shown.values.sum() == smallest.count
    assert f"{smallest.count} patch" in shown.sentence and f"rank {smallest.rank}" in shown.sentence
    change = smallest_change(*pair, others=others)
    record = small.measure(indexed, index, caption, None, "smallest_change")
    shown, kept = Layer("smallest_change").values(record), record.sparse.kept
    assert change is not None
    assert np.array_equal(shown.values == 1, change.dropped) and np.array_equal(shown.values == 2, change.added)
    assert np.array_equal(shown.values == 3, kept & change.kept) and f"With {change.count} flipped" in shown.sentence
    record = small.measure(indexed, ranking.order[-1], caption, None, "smallest_change")  # the last cannot fall
    shown = Layer("smallest_change").values(record)
    assert np.array_equal(shown.values == 3, record.sparse.kept) and "No flipped decisions" in shown.sentence


def test_the_region_that_is_told_costs_what_it_says(service: RetrievalService, index: int) -> None:
    indexed = service.find("examples")
    record = service.measure(indexed, index, CAPTION, None, "effect")
    effects, kept = effects_of(record), record.sparse.kept
    assert effects.region is not None
    region = find_strongest_region(kept, effects.values, record.grid)
    words = service.model.encode_captions([CAPTION])[0][0]
    without = explain(service.model.cross_net, indexed.patches(index), words, mask=kept & ~region)
    assert effects.region.count == region.sum() and not (region & ~kept).any()
    assert effects.region.cost == pytest.approx(record.similarity - without.similarity, abs=1e-6)
    description = describe(record, Layer("effect"))
    assert f"{abs(effects.region.cost):.2g}" in description and "Dropping" in description


def test_of_a_scene_the_named_objects_are_told(registry: ModelRegistry) -> None:
    service, indexed = registry.open("scenes")
    known = indexed.gallery.items[0].known
    assert known is not None
    caption, mentions = known.mentions[0]
    mask = np.ones(100, dtype=bool)
    record = service.measure(indexed, 0, caption, None, "effect", mask)
    region = effects_of(record).region
    assert region is not None and region.named
    objects = mentions[0].objects
    assert region.name == objects_name(known.scene, objects)
    assert region.count == patches_of(known, objects, record.grid).sum() > 0


def test_regions_hang_together() -> None:
    values = np.array([1.0, 0.6, 0.4, 0, 0, 0.9, 0, 0, 0, 0, 0, 0.8])
    kept = np.ones(12, dtype=bool)
    assert np.flatnonzero(find_strongest_region(kept, values, (3, 4))).tolist() == [0, 1, 5]
    assert not find_strongest_region(kept, -values, (3, 4)).any()
    assert "would cost 0.11." in region_sentence(Region(4, "the ear", True, 0.11))
    assert region_sentence(Region(1, "at the top", False, -0.5)).startswith("Dropping 1 patch at the top")


def test_what_needs_a_gallery_says_so(service: RetrievalService, index: int) -> None:
    indexed = service.find("examples")
    record = service.explain(indexed, index, CAPTION)
    pair = Pair(service.model, record, indexed.patches(index), lambda: Image.new("L", (1, 1)), CAPTION)
    with pytest.raises(ValueError, match='The layer "smallest_set" needs a gallery that the photo is'):
        measure("smallest_set", pair)
    for row in MEASURES:
        with pytest.raises(ValueError, match=f'The layer "{row.name}" is measured in Photos, Captions'):
            Layer(row.name).check(record)


def test_a_full_third_or_ninth_is_named_and_evenly_spread_amounts_have_no_place() -> None:
    for rows, columns, words in (
        (slice(0, 4), slice(None), "at the top"),
        (slice(None), slice(10, 14), "on the right"),
        (slice(5, 9), slice(5, 9), "in the centre"),
        (slice(10, 14), slice(5, 9), "in the lower middle"),
    ):
        amounts = np.zeros((14, 14))
        amounts[rows, columns] = 1.0
        assert whereabouts(amounts) == words
    chessboard = np.indices((14, 14)).sum(axis=0) % 2
    for amounts in (chessboard, np.eye(9), np.zeros((4, 7)), np.ones((1, 1))):
        assert whereabouts(amounts) is None

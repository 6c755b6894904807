"""The views open with the examples that the rules choose on the shipped weights, without warnings."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from demo.examples.choose import choose_all, is_different_thing
from demo.examples.measure import Measures, inside_outside, measure_above_uniform, share_kept
from demo.galleries.index import require_in_memory
from demo.galleries.openings import get_opening, load_openings
from demo.galleries.scenes import SCENES
from demo.record.unmatched import unmatched
from demo.service.retrieval import RetrievalService
from demo.service.start import open_scenes
from seps.models.hub import shipped_models

VIEWS = ("search", "captions", "compare", "why")


@pytest.fixture(scope="module")
def photographs(service: RetrievalService) -> Measures:
    return Measures(service, require_in_memory(service.find("examples")))


def near(written: dict[str, Any], measured: dict[str, Any]) -> None:
    """Both choices are the same, and their measures but for rounding on another machine."""
    assert written.keys() == measured.keys()
    assert written["chips"] == measured["chips"]
    for view in measured.keys() - {"chips"}:
        assert written[view] | {"measures": {}} == measured[view] | {"measures": {}}
        assert written[view]["measures"] == pytest.approx(measured[view]["measures"], abs=0.002)


def test_the_examples_choices_are_what_the_measure_gives(photographs: Measures) -> None:
    near(load_openings()["examples"], choose_all(photographs))


@pytest.mark.slow
def test_the_scenes_choices_are_what_the_measure_gives(cache: Path) -> None:
    service = open_scenes(shipped_models()[SCENES], cache)
    near(load_openings()[SCENES], choose_all(Measures(service, require_in_memory(service.open(SCENES)))))


@pytest.mark.parametrize("view", VIEWS)
def test_no_first_example_is_flagged(service: RetrievalService, view: str) -> None:
    indexed = service.find("examples")
    opening = get_opening(indexed.gallery, view)
    assert opening is not None
    for caption in opening.captions:
        assert service.read(caption).note == ""
        record = service.explain(indexed, opening.index, caption)
        assert unmatched(record, service.unmatched_rule) == []
        ranking = service.rank_images(indexed, caption)
        assert view == "compare" or ranking.order[0] == opening.index
        assert opening.against in (None, ranking.order[1])


def test_chips_find_their_photographs_and_are_not_flagged(service: RetrievalService, photographs: Measures) -> None:
    chips = load_openings()["examples"]["chips"]
    assert len(chips) == len(set(chips)) >= 3
    owners = dict(zip(photographs.captions, photographs.owners, strict=True))
    for caption in chips:
        ranking = service.rank_images(service.find("examples"), caption)
        assert ranking.order[0] == owners[caption] and ranking.reading.note == ""


def test_captions_that_are_compared_name_different_things(photographs: Measures) -> None:
    choice = load_openings()["examples"]["compare"]
    index = photographs.indexed.gallery.position(choice["photo"])
    assert set(choice["captions"]) <= set(photographs.indexed.gallery.items[index].phrases)
    assert choice["measures"]["contrast"] > 0


def test_only_what_lies_apart_counts_as_different() -> None:
    left, right = np.array([1.0, 1.0, 0.1, 0.0]), np.array([0.0, 0.0, 1.0, 1.0])
    assert is_different_thing(left, right)
    assert not is_different_thing(left, np.array([0.0, 1.0, 1.0, 0.0]))


def test_what_lies_inside_is_counted_above_an_even_map() -> None:
    region = np.array([1.0, 0.5, 0.0, 0.0])
    assert measure_above_uniform(np.array([2.0, 0.0, 0.0, 0.0]), region) == pytest.approx(1 - 0.375)
    assert measure_above_uniform(np.ones(4), region) == pytest.approx(0)


def test_a_mask_is_to_keep_what_is_named_and_drop_the_rest() -> None:
    region, mask = np.array([1.0, 0.5, 0.0, 0.0]), np.array([True, False, True, False])
    assert share_kept(mask, region) == pytest.approx(1 / 1.5)
    assert inside_outside(mask, region) == pytest.approx(1 / 1.5 - 1 / 2.5)
    assert inside_outside(np.ones(4, dtype=bool), region) == pytest.approx(0)
    assert share_kept(mask, np.zeros(4)) == 0

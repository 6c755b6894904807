from pathlib import Path
from typing import Any

import pytest

from demo.examples.choose import choose_all
from demo.examples.measure import Measures
from demo.galleries.gallery import load_openings
from demo.galleries.indexes.index import require_in_memory
from demo.galleries.sources.scenes import SCENES
from demo.service.models.start import open_scenes
from demo.service.retrieval import RetrievalService
from seps.models.hub import shipped_models


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


@pytest.mark.slow
def test_the_examples_choices_are_what_the_measure_gives(photographs: Measures) -> None:
    near(load_openings()["examples"], choose_all(photographs))


@pytest.mark.slow
def test_the_scenes_choices_are_what_the_measure_gives(cache: Path) -> None:
    service = open_scenes(shipped_models()[SCENES], cache)
    near(load_openings()[SCENES], choose_all(Measures(service, require_in_memory(service.open(SCENES)))))


def test_chips_find_their_photographs_and_are_not_flagged(service: RetrievalService, photographs: Measures) -> None:
    chips = load_openings()["examples"]["chips"]
    assert len(chips) == len(set(chips)) >= 3
    owners = dict(zip(photographs.captions, photographs.owners, strict=True))
    for caption in chips:
        ranking = service.rank_images(service.find("examples"), caption)
        assert ranking.order[0] == owners[caption] and ranking.reading.note == ""

"""The photograph, the captions and the settings with which the lesson is tested."""

import pytest

from demo.record.settings import Knobs, evaluation_knobs
from demo.service.retrieval import RetrievalService
from demo.views.lesson.walk import WalkRequest

CAPTION = "a motorcycle parked indoors"


@pytest.fixture(scope="module")
def base(service: RetrievalService) -> Knobs:
    return evaluation_knobs(service.model)


@pytest.fixture(scope="module")
def index(service: RetrievalService) -> int:
    return service.find("examples").gallery.position("motorcycle")


@pytest.fixture(scope="module")
def dense(service: RetrievalService, index: int) -> str:
    text = service.find("examples").gallery.items[index].dense
    assert text is not None
    return text


def asked(service: RetrievalService, dense: str | None, knobs: Knobs, mask: str = "") -> WalkRequest:
    indexed = service.find("examples")
    return WalkRequest(service, indexed, indexed.gallery.position("motorcycle"), CAPTION, dense, knobs, mask)

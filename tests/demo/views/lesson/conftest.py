"""The photograph, the captions and the settings with which the lesson is tested."""

import pytest

from demo.record.settings import Knobs, evaluation_knobs
from demo.service.retrieval import RetrievalService

CAPTION = "a motorcycle parked indoors"


@pytest.fixture(scope="module")
def base(service: RetrievalService) -> Knobs:
    return evaluation_knobs(service.model)


@pytest.fixture(scope="module")
def dense(service: RetrievalService) -> str:
    return dense_of(service)


def place_of(service: RetrievalService) -> int:
    return service.find("examples").gallery.position("motorcycle")


def dense_of(service: RetrievalService) -> str:
    text = service.find("examples").gallery.items[place_of(service)].dense
    assert text is not None
    return text

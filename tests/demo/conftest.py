"""Fixtures of the app's tests."""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache, partial
from pathlib import Path

import pytest

from demo.galleries.moving import MOVING
from demo.galleries.scenes import SCENES
from demo.record import layer_table
from demo.record.layer_table import EITHER, Row
from demo.record.table import TABLE, TEMPLATES
from demo.service import start
from demo.service.registry import ModelRegistry
from demo.service.retrieval import RetrievalService
from demo.service.start import open_scenes, open_service
from seps import SEPSModel, load_model
from seps.models.shipped import shipped_models
from tests.helpers.world import write_scenes_model


@pytest.fixture(scope="session", autouse=True)
def loaded_once() -> Iterator[None]:
    """Each shipped model is loaded once for all commands and services: the app does not change it."""
    shipped, load = shipped_models(), lru_cache(load_model)

    def model_of(name_or_folder: str | Path) -> SEPSModel:
        folder = shipped.get(str(name_or_folder), name_or_folder)
        return load(folder) if folder in shipped.values() else load_model(folder)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(start, "load_model", model_of)
        yield


@pytest.fixture(scope="session")
def cache(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A cache folder of the tests' own."""
    return tmp_path_factory.mktemp("cache")


@pytest.fixture(scope="session")
def service(cache: Path) -> RetrievalService:
    """The shipped model with the gallery of examples; nothing is fetched."""
    return open_service(cache=cache, fetch=False)


@pytest.fixture(scope="session")
def scenes_model(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A tiny model of scenes, untrained."""
    return write_scenes_model(tmp_path_factory.mktemp("scenes"))


@pytest.fixture(scope="session")
def registry(service: RetrievalService, scenes_model: Path, cache: Path) -> ModelRegistry:
    """The shipped model's bench, and one of a tiny model with the gallery of scenes."""
    opened = lru_cache(partial(open_scenes, scenes_model, cache))
    return ModelRegistry(service, {SCENES: (SCENES, opened), MOVING: (SCENES, opened)})


@pytest.fixture
def made_layer(monkeypatch: pytest.MonkeyPatch) -> Row:
    """A layer of each patch's place by score, as one row with its sentences."""
    made = Row("place", {"branch.rank": 1}, "zero", branches=EITHER)
    monkeypatch.setattr(layer_table, "LAYERS", (*layer_table.LAYERS, made))
    words = {"title": "Place by score", "scale": "place", "sentence": "Up to {high}.", "name": "Place"}
    for section, text in words.items():
        for table in (TABLE, TEMPLATES):  # two tables where the new page has words of the same section
            monkeypatch.setitem(table[section], "place", text)
    return made

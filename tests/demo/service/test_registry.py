"""A gallery brings its model, loaded when it is first asked for."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from demo.galleries.index import require_in_memory
from demo.service.registry import ModelRegistry
from demo.service.retrieval import RetrievalService
from demo.service.session import SessionData
from demo.service.start import open_registry
from seps.models.hub import shipped_models


def test_a_gallery_belongs_to_one_model(registry: ModelRegistry, service: RetrievalService) -> None:
    assert registry.names == ("examples", "open-photos", "scenes", "moving")
    assert registry.models == ("photos", "scenes")
    assert registry.first == "examples"
    assert registry.of("examples") is registry.of("open-photos") is registry.of("uploads") is service
    service_of_scenes, indexed = registry.open("scenes")
    assert (service_of_scenes.name, service_of_scenes.names, len(indexed)) == ("scenes", ("scenes", "moving"), 200)
    assert registry.of("scenes") is service_of_scenes
    assert registry.find("scenes") == (service_of_scenes, indexed)
    assert (registry.first_of("scenes"), registry.first_of("photos")) == ("scenes", "examples")


def test_a_model_is_loaded_once_and_not_before_it_is_needed(service: RetrievalService) -> None:
    loaded: list[str] = []

    def load() -> RetrievalService:
        loaded.append("scenes")
        return service

    registry = ModelRegistry(service, {"scenes": ("scenes", load)})
    registry.find("examples")
    assert (registry.names[-1], loaded) == ("scenes", [])
    registry.of("scenes")
    registry.of("scenes")
    assert loaded == ["scenes"]


def test_what_is_not_there_is_told(registry: ModelRegistry) -> None:
    for ask in (registry.of, registry.find, registry.open):
        with pytest.raises(ValueError, match="There is no gallery 'moon'"):
            ask("moon")
    with pytest.raises(ValueError, match="There is no model 'moon' here"):
        registry.first_of("moon")
    with pytest.raises(ValueError, match="There is no gallery 'uploads'"):
        registry.find("uploads", SessionData())


def test_uploads_are_one_s_own(registry: ModelRegistry) -> None:
    service, indexed = registry.find("examples")
    uploads = replace(require_in_memory(indexed), gallery=replace(indexed.gallery, name="uploads"))
    assert registry.find("uploads", SessionData(uploads)) == (service, uploads)


def test_without_its_model_there_are_no_scenes(cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    photos = {"photos": shipped_models()["photos"]}
    monkeypatch.setattr("demo.service.start.shipped_models", lambda: photos)
    registry = open_registry(cache=cache, fetch=False)
    assert (registry.names, registry.models) == (("examples", "open-photos"), ("photos",))

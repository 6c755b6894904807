"""A gallery brings its model, loaded when it is first asked for."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from demo.service.benches import Benches, Own
from demo.service.start import open_benches
from demo.service.workbench import Workbench
from seps.models.hub import shipped_models


def test_a_gallery_belongs_to_one_model(benches: Benches, bench: Workbench) -> None:
    assert benches.names == ("examples", "open-photos", "scenes")
    assert benches.models == ("photos", "scenes")
    assert benches.first == "examples"
    assert benches.of("examples") is benches.of("open-photos") is benches.of("uploads") is bench
    found, indexed = benches.open("scenes")
    assert (found.name, found.names, len(indexed)) == ("scenes", ("scenes",), 200)
    assert benches.of("scenes") is found
    assert benches.find("scenes") == (found, indexed)
    assert (benches.first_of("scenes"), benches.first_of("photos")) == ("scenes", "examples")


def test_a_model_is_loaded_once_and_not_before_it_is_needed(bench: Workbench) -> None:
    loaded: list[str] = []

    def load() -> Workbench:
        loaded.append("scenes")
        return bench

    benches = Benches(bench, {"scenes": ("scenes", load)})
    benches.find("examples")
    assert (benches.names[-1], loaded) == ("scenes", [])
    benches.of("scenes")
    benches.of("scenes")
    assert loaded == ["scenes"]


def test_what_is_not_there_is_told(benches: Benches) -> None:
    for ask in (benches.of, benches.find, benches.open):
        with pytest.raises(ValueError, match="There is no gallery 'moon'; there are: examples, open-photos, scenes"):
            ask("moon")
    with pytest.raises(ValueError, match="There is no model 'moon' here; there are: photos, scenes"):
        benches.first_of("moon")
    with pytest.raises(ValueError, match="There is no gallery 'uploads'"):
        benches.find("uploads", Own())


def test_uploads_are_one_s_own(benches: Benches) -> None:
    bench, indexed = benches.find("examples")
    uploads = replace(indexed, gallery=replace(indexed.gallery, name="uploads"))
    assert benches.find("uploads", Own(uploads)) == (bench, uploads)


def test_without_its_model_there_are_no_scenes(cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    photos = {"photos": shipped_models()["photos"]}
    monkeypatch.setattr("demo.service.start.shipped_models", lambda: photos)
    benches = open_benches(cache=cache, fetch=False)
    assert (benches.names, benches.models) == (("examples", "open-photos"), ("photos",))

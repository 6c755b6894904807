import shutil
from dataclasses import replace
from pathlib import Path
from unittest.mock import Mock

import pytest

from demo.galleries.sources.scenes import scenes_gallery
from demo.service.models.own_models import assign_names, check_model, fetch_model
from demo.service.models.personal import SessionData
from demo.service.models.registry import ModelRegistry
from demo.service.models.start import GalleryOptions, open_own, open_registry
from demo.service.retrieval import RetrievalService
from seps.encoders import sources
from seps.models.config import ModelConfig
from seps.models.hub import shipped_models


@pytest.fixture(scope="module")
def run(scenes_model: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("runs") / "first run"
    shutil.copytree(scenes_model, folder / "best")
    return folder


@pytest.fixture(scope="module")
def own_registry(run: Path, cache: Path) -> ModelRegistry:
    return open_registry(GalleryOptions(cache=cache, fetch=False), [str(run / "best"), str(run / "best")])


def test_names_are_those_of_runs_and_all_different(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("run/best", "other/best", "scenes", "a b"):
        (tmp_path / name).mkdir(parents=True)
    monkeypatch.chdir(tmp_path)
    models = ["run/best", "other/best/", "scenes", "a b", "run/best", "owner/name"]
    assert list(assign_names(models)) == ["run", "other", "scenes-2", "a-b", "run-2", "name"]
    assert list(assign_names(models).values()) == models
    monkeypatch.chdir(tmp_path / "run" / "best")
    assert list(assign_names(["."])) == ["run"]


def test_what_is_no_model_is_told(tmp_path: Path) -> None:
    for fine in ("photos", "owner/name"):
        check_model(fine)
    with pytest.raises(ValueError, match="There is no model 'moon' here"):
        check_model("moon")
    with pytest.raises(ValueError, match=r"has no config\.json, so it holds no model"):
        check_model(str(tmp_path))


def test_each_model_is_a_service_with_a_gallery_of_its_own(own_registry: ModelRegistry) -> None:
    assert own_registry.names == ("first-run", "first-run-2", "examples", "open-photos", "scenes", "moving")
    assert own_registry.models == ("photos", "scenes", "first-run", "first-run-2")
    assert (own_registry.first, own_registry.first_of("photos")) == ("first-run", "examples")
    assert own_registry.is_waited_for("first-run-2") and not own_registry.is_waited_for("first-run")
    service, indexed = own_registry.open("first-run")
    assert (service.name, indexed.gallery.name, len(indexed)) == ("first-run", "first-run", 14)
    assert service is not own_registry.of("first-run-2") is not own_registry.photos
    assert own_registry.of("examples") is own_registry.of("uploads") is own_registry.photos


def test_a_model_that_reads_scenes_alone_gets_the_drawn_ones(
    run: Path, cache: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    encoder = ModelConfig.from_json(run / "best" / "config.json").text.encoder
    few = replace(scenes_gallery(), items=scenes_gallery().items[:2])
    monkeypatch.setattr("demo.service.models.start.SCENES_ENCODER", encoder)
    monkeypatch.setattr("demo.service.models.start.scenes_gallery", lambda: few)
    indexed = open_own(str(run / "best"), "mine", GalleryOptions(cache=cache)).open("mine")
    assert (indexed.gallery.name, indexed.gallery.noun, len(indexed)) == ("mine", "scenes", 2)


def test_a_model_is_loaded_once_and_not_before_it_is_needed(service: RetrievalService) -> None:
    load = Mock(return_value=service)
    registry = ModelRegistry(service, {"scenes": ("scenes", load)})
    registry.find("examples")
    assert registry.names[-1] == "scenes" and not load.called
    assert registry.of("scenes") is registry.of("scenes") and load.call_count == 1


def test_what_is_not_there_is_told(registry: ModelRegistry) -> None:
    with pytest.raises(ValueError, match="There is no gallery 'moon'"):
        registry.find("moon")
    with pytest.raises(ValueError, match="There is no model 'moon' here"):
        registry.first_of("moon")
    with pytest.raises(ValueError, match="There is no gallery 'uploads'"):
        registry.find("uploads", SessionData())


def test_without_its_model_there_are_no_scenes(cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    photos = {"photos": shipped_models()["photos"]}
    monkeypatch.setattr("demo.service.models.start.shipped_models", lambda: photos)
    registry = open_registry(GalleryOptions(cache=cache, fetch=False))
    assert (registry.names, registry.models) == (("examples", "open-photos"), ("photos",))


def test_a_name_that_is_no_folder_nor_to_be_had_says_both(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sources, "hub_answers", lambda: False)
    monkeypatch.setattr(sources, "snapshot_download", Mock(side_effect=OSError("offline")))
    fetch_model("photos")
    with pytest.raises(ValueError, match="There is no folder run/best"):
        fetch_model("run/best")

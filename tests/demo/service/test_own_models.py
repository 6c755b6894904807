"""A user's model next to the shipped ones, with its gallery, links and figures."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

from demo.service.own_models import assign_names, check_model, fetch_model
from demo.service.registry import ModelRegistry
from demo.service.start import open_own, open_registry
from demo.views.state import ViewState, link_to
from seps.encoders import sources
from seps.models.config import ModelConfig

RECALLS = {"r1": 12.25, "r5": 40.0, "r10": 61.0}
RESULT = {"split": "dev", "images": 8, "captions": 40, "rsum": 226.5} | dict.fromkeys(
    ("image_to_text", "text_to_image"), RECALLS
)


@pytest.fixture(scope="module")
def run(scenes_model: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("runs") / "first run"
    shutil.copytree(scenes_model, folder / "best")
    (folder / "results.json").write_text(json.dumps({"captions_only": RESULT}))
    return folder


@pytest.fixture(scope="module")
def registry(run: Path, cache: Path) -> ModelRegistry:
    return open_registry(cache=cache, fetch=False, models=[str(run / "best"), str(run / "best")])


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


def test_a_name_that_is_no_folder_nor_to_be_had_says_both(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object, **__: object) -> str:
        raise OSError("offline")

    monkeypatch.setattr(sources, "hub_answers", lambda: False)
    monkeypatch.setattr(sources, "snapshot_download", refuse)
    fetch_model("photos")
    with pytest.raises(ValueError, match="There is no folder run/best"):
        fetch_model("run/best")


def test_each_model_is_a_service_with_a_gallery_of_its_own(registry: ModelRegistry) -> None:
    assert registry.names == ("first-run", "first-run-2", "examples", "open-photos", "scenes", "moving")
    assert registry.models == ("photos", "scenes", "first-run", "first-run-2")
    assert (registry.first, registry.first_of("photos")) == ("first-run", "examples")
    assert registry.is_waited_for("first-run-2") and not registry.is_waited_for("first-run")
    service, indexed = registry.open("first-run")
    assert (service.name, indexed.gallery.name, len(indexed)) == ("first-run", "first-run", 14)
    assert service is not registry.of("first-run-2") is not registry.photos
    assert [item.key for item in indexed.gallery.items] == [
        item.key for item in registry.find("examples")[1].gallery.items
    ]


HOSTILE = {  # results that any repo of the hub may hold
    "captions_only": {"split": 3, "images": "many", "captions": [], "rsum": None, "image_to_text": {"r1": "0"}},
    "grounding": [1, 2],
    "contrast": {"split": ["dev"], "maps": {"score": 3, "word_map": {"own": {"mean": "high", "low": 1}}}},
}


def test_a_model_that_reads_scenes_alone_gets_the_drawn_ones(
    registry: ModelRegistry, run: Path, cache: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    encoder = ModelConfig.from_json(run / "best" / "config.json").text.encoder
    monkeypatch.setattr("demo.service.start.SCENES_ENCODER", encoder)
    indexed = open_own(str(run / "best"), "mine", cache=cache).open("mine")
    assert (indexed.gallery.name, indexed.gallery.noun, len(indexed)) == ("mine", "scenes", 200)


@pytest.mark.parametrize("view", ["search", "captions", "compare", "lesson"])
def test_links_lead_to_the_model(registry: ModelRegistry, view: str) -> None:
    service, indexed = registry.open("first-run")
    link = link_to(service, view, indexed, ViewState("first-run", indexed.gallery.position("cat"), "a cat\na dog"))
    assert link is not None
    assert "model=first-run&gallery=first-run&photo=cat" in link

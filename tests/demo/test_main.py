"""The app without a browser."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from PIL import Image

from demo.__main__ import main
from demo.galleries import photos
from demo.service import start
from demo.service.registry import ModelRegistry
from demo.service.retrieval import RetrievalService


@pytest.fixture
def photo(service: RetrievalService, tmp_path: Path) -> Path:
    file = tmp_path / "cup.png"
    service.find("examples").gallery.items[service.find("examples").gallery.position("coffee")].photo().save(file)
    return file


@pytest.fixture(autouse=True)
def own_cache(cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SEPS_CACHE", str(cache))


def test_explain_draws_a_picture(photo: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out = tmp_path / "out.png"
    assert main(["explain", str(photo), "a cup on a table", "-o", str(out), "--layer", "score"]) == 0
    with Image.open(out) as image:
        assert image.width >= 1400
    assert "S(I, T) = " in capsys.readouterr().out
    assert main(["explain", str(photo), "a cup", "-o", str(tmp_path / "out.json")]) == 0
    assert json.loads((tmp_path / "out.json").read_text(encoding="utf-8"))["caption"] == "a cup"


def test_rank_prints_the_best(
    service: RetrievalService,
    photo: Path,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(photos, "decoders", None)  # a person's own photo needs no process of its own
    table = tmp_path / "ranking.csv"
    assert main(["rank", "a tabby cat", "--top", "3", "--csv", str(table)]) == 0
    ranking = service.rank_images(service.find("examples"), "a tabby cat")
    titles = [service.find("examples").gallery.items[index].title for index in ranking.order]
    lines = capsys.readouterr().out.splitlines()
    assert [line.split("  ", 2)[-1].strip() for line in lines] == [
        f"{score:.4f}  {title}" for score, title in zip(ranking.scores[:3], titles[:3], strict=True)
    ]
    assert len(table.read_text(encoding="utf-8-sig").splitlines()) == 15
    assert main(["rank", "--photo", str(photo), "a cup", "a zebra"]) == 0
    assert len(capsys.readouterr().out.splitlines()) == 2


def test_a_folder_of_photos_is_ranked(photo: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (photo.parent / "notes.txt").write_text("no photo")
    assert main(["rank", "a cup", "--photos", str(photo.parent)]) == 0
    out = capsys.readouterr().out
    assert "cup.png" in out
    assert "notes.txt" in out


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (["explain", "nowhere.png", "a cup", "-o", "out.png"], "nowhere.png"),
        (["rank", "a cup", "--photos", "nowhere"], "There is no folder"),
        (["rank", "a cup", "--gallery", "moon"], "There is no gallery 'moon'"),
        (["rank"], "The caption is empty"),
    ],
)
def test_what_is_wrong_is_told_in_a_line(arguments: list[str], told: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(arguments) == 2
    assert told in capsys.readouterr().err


def test_an_unknown_kind_of_file_is_refused(photo: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["explain", str(photo), "a cup", "-o", str(photo.with_suffix(".gif"))]) == 2
    assert "must be one of png, svg, pdf, json" in capsys.readouterr().err


def test_scenes_are_explained_and_ranked_by_their_own_model(
    registry: ModelRegistry,
    scenes_model: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    shipped = {**start.shipped_models(), "scenes": scenes_model}
    monkeypatch.setattr(start, "shipped_models", lambda: shipped)
    service, indexed = registry.open("scenes")
    caption = indexed.gallery.items[0].captions[0]
    best = service.rank_images(indexed, caption)
    wanted = f"{best.scores[0]:.4f}  {indexed.gallery.items[best.order[0]].title}"
    for chosen in (["--model", "scenes"], ["--gallery", "scenes"]):
        assert main(["rank", caption, "--top", "1", *chosen]) == 0
        assert wanted in capsys.readouterr().out
    source, out = indexed.gallery.items[0].source, tmp_path / "out.json"
    assert main(["explain", str(source), caption, "-o", str(out), "--model", "scenes"]) == 0
    told = json.loads(out.read_text(encoding="utf-8"))
    assert told["model"] == "scenes"
    assert told["explanation"]["similarity"] == pytest.approx(service.explain(indexed, 0, caption).similarity, abs=1e-5)
    assert main(["rank", caption, "--model", "photos", "--gallery", "scenes"]) == 2
    assert "belongs to the model 'scenes', not 'photos'" in capsys.readouterr().err


@pytest.mark.parametrize("command", [["rank", "a cup"], ["explain", "x.png", "a cup", "-o", "out.png"]])
def test_an_unknown_model_is_told(command: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    assert main([*command, "--model", "moon"]) == 2
    assert "There is no model 'moon' here; there are: photos" in capsys.readouterr().err

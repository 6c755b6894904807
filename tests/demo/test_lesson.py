"""The lesson as a command: its files, its progress, and its page that needs no server."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from demo import lesson
from demo.__main__ import main
from demo.galleries import photos
from demo.record.packing import packed
from demo.service import start
from demo.service.retrieval import RetrievalService
from tests.helpers.single_page import shown_in

CAPTION = "a cup of coffee on a table"
MOST = 1_000_000  # bytes of a page


@pytest.fixture(autouse=True)
def own_cache(cache: Path, service: RetrievalService, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SEPS_CACHE", str(cache))
    monkeypatch.setattr(start, "open_model", lambda name: service)
    monkeypatch.setattr(photos, "decoders", None)  # a user's photo needs no separate process


@pytest.fixture
def cup(service: RetrievalService, tmp_path: Path) -> Path:
    items, file = service.find("examples").gallery, tmp_path / "cup.png"
    items.items[items.position("coffee")].photo().save(file)
    return file


def test_a_page_of_the_worked_example_needs_no_server(
    service: RetrievalService, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "lesson.html"
    assert main(["lesson", "-o", str(out)]) == 0
    page = out.read_text(encoding="utf-8")
    assert len(page) <= MOST
    assert not re.search(r'(?:src|href)="(?!data:)', page)  # nothing of another place
    shown = shown_in(page)
    value, indexed = shown["value"], service.find("examples")
    index = service.rank_images(indexed, value["caption"]).order[0]
    assert (shown["component"], value["still"], value["formats"], len(value["steps"])) == ("lesson", True, [], 9)
    assert value["dense_caption"] == indexed.gallery.items[index].dense
    assert value["record"] == packed(service.explain(indexed, index, value["caption"], value["dense_caption"]))
    assert value["photo"]["credit"] == indexed.gallery.items[index].credit
    assert f"is written: {len(page.encode()) / 1e6:.1f} MB" in capsys.readouterr().out


@pytest.mark.slow
def test_a_file_of_a_photograph_shows_its_progress_and_its_credit(
    cup: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "lesson.pdf"
    assert main(["lesson", str(cup), CAPTION, "--credit", "a photographer, CC BY 2.0", "-o", str(out)]) == 0
    assert len(re.findall(rb"/Type /Page\b", out.read_bytes())) == 9
    assert re.search(r"Drawing the steps: 100%.* 9/9", capsys.readouterr().err)


def test_a_photograph_is_ranked_among_the_examples(cup: Path, tmp_path: Path) -> None:
    out = tmp_path / "lesson.html"
    assert main(["lesson", str(cup), CAPTION, "--credit", "a photographer, CC BY 2.0", "-o", str(out)]) == 0
    value = shown_in(out.read_text(encoding="utf-8"))["value"]
    assert (value["caption"], value["dense_caption"], value["photo"]["title"]) == (CAPTION, None, "cup.png")
    assert value["photo"]["credit"] == "a photographer, CC BY 2.0"
    assert value["rank"]["total"] == 15


@pytest.mark.parametrize(
    ("arguments", "problem"),
    [
        (["nothing.png", CAPTION], "is not there"),
        (["cup.png"], "needs a caption"),
        (["--dense", "a long one"], "need your own photograph"),
        (["-o", "lesson.mp4"], "must be one of pdf, zip, gif, html"),
    ],
)
def test_what_is_wrong_is_told_without_a_model(
    cup: Path,
    arguments: list[str],
    problem: str,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.chdir(cup.parent)
    monkeypatch.setattr(lesson, "opened", lambda options: pytest.fail("a model was opened"))
    assert main(["lesson", "-o", "lesson.pdf", *arguments]) == 2
    assert problem in capsys.readouterr().err


def test_a_pass_and_a_contrast_are_pages_too(
    service: RetrievalService, cup: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "view.html"
    assert main(["explain", str(cup), CAPTION, "--layer", "word:2", "--opacity", "0.5", "-o", str(out)]) == 0
    shown = shown_in(out.read_text(encoding="utf-8"))
    assert (shown["component"], shown["value"]["layer"], shown["value"]["opacity"]) == ("viewer", "word:2", 0.5)
    assert shown["value"]["model"] == service.name
    assert main(["explain", str(cup), CAPTION, "--drop", "all", "--keep", "1", "-o", str(out)]) == 2
    assert "do not go with html" in capsys.readouterr().err
    assert main(["why", str(cup), CAPTION, "--other-caption", "a red car", "--word", "1", "-o", str(out)]) == 0
    shown = shown_in(out.read_text(encoding="utf-8"))
    assert shown["component"] == "why" and shown["value"]["captions"]
    assert shown["value"]["layer"].startswith("word:")
    assert [side["caption"] for side in shown["value"]["sides"]] == [CAPTION, "a red car"]

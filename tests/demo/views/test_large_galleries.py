"""Photos with a folder too large for memory: a shortlist, all at one click, a filter on names, how far indexing is."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from demo.drawing.rankings import images_csv
from demo.galleries.examples import examples_gallery
from demo.galleries.folder import create_listed_gallery, folder_gallery
from demo.galleries.stored import IndexingStatus, StoredGallery
from demo.page.api import Endpoints
from demo.page.values import ranked
from demo.service.counterfactual import Forcing
from demo.service.ranking import Candidates
from demo.service.registry import ModelRegistry
from demo.service.retrieval import RetrievalService
from demo.service.start import open_service
from demo.views.indexing import indexing_text
from demo.views.state import ViewState
from demo.views.why.values import WhyState, why_value

COUNT, SHORT = 32, 10
CAPTION = "two lions lie on a rock"


@pytest.fixture(scope="module")
def many(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RetrievalService]:
    """The shipped model with a folder that counts as large; its shortlists are short."""
    folder = tmp_path_factory.mktemp("many") / "holiday"
    folder.mkdir()
    for number in range(COUNT):
        item = examples_gallery().items[number % 14]
        photo = item.photo().resize((96, 96)).rotate(13 * (number // 14))
        photo.save(folder / f"{number:02}-{item.key}.png")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("demo.service.stored.LARGE", 20)
        patch.setattr("demo.galleries.stored.SHORTLIST", SHORT)
        patch.setattr("demo.record.photo.LONGEST_STRIP", 20)
        yield open_service(folder, folder.parent / "cache", fetch=False, examples=False)


@pytest.fixture
def large(many: RetrievalService) -> StoredGallery:
    indexed = many.find("folder")
    assert isinstance(indexed, StoredGallery)
    return indexed


def test_endpoints_tell_what_a_shortlist_was_made_of(many: RetrievalService, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("demo.page.api.LISTED", 7)
    endpoints = Endpoints(ModelRegistry(many))
    answer = endpoints.rank_images(CAPTION, "", "folder")
    assert (len(answer["ranking"]), answer["total"]) == (SHORT, COUNT)
    listed = endpoints.galleries()["folder"]
    assert [photo["title"] for photo in listed] == [item.title for item in many.find("folder").gallery.items[:7]]


def test_the_file_has_what_is_in_sight(many: RetrievalService, large: StoredGallery) -> None:
    def rows(name: str, exhaustive: bool) -> list[str]:
        file = images_csv(many, large, CAPTION, None, None, Candidates((), name, exhaustive))
        return [row["photo"] for row in csv.DictReader(io.StringIO(file.content.decode("utf-8-sig")))]

    assert (len(rows("", False)), len(rows("", True))) == (SHORT, COUNT)
    assert rows("lions", False) and all("lions" in name for name in rows("lions", False))


def test_a_folder_whose_files_are_gone_is_told(
    many: RetrievalService, large: StoredGallery, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(large, "_is_there", lambda index: False)
    with pytest.raises(ValueError, match='The photos of "holiday" are no longer there'):
        many.rank_images(large, CAPTION)


def test_a_large_folder_has_a_table_of_its_own(large: StoredGallery, tmp_path: Path) -> None:
    folder = tmp_path / "holiday"
    folder.mkdir()
    large.gallery.items[0].photo().save(folder / "one.png")
    assert create_listed_gallery(folder)[0].table != folder_gallery(folder).table  # half as precise


def test_a_photograph_off_the_shortlist_is_explained_and_compared(many: RetrievalService, large: StoredGallery) -> None:
    ranking = many.rank_images(large, CAPTION)
    off = next(index for index in range(COUNT) if index not in ranking.order)
    forcing = Forcing(many, large, off, CAPTION)
    assert 1 <= forcing.decided.rank <= forcing.decided.total == SHORT + 1
    value = why_value(many, large, WhyState("folder", ranking.order[0], CAPTION, against=off))
    assert off in [index for index, _ in value["options"]]


def test_a_shortlist_is_told_and_all_are_scored_when_asked(many: RetrievalService, large: StoredGallery) -> None:
    state = ViewState("folder", 0, CAPTION)
    ranking = ranked(many, large, state, count=COUNT)["ranking"]
    assert ranking["note"].startswith(f"{SHORT} of {COUNT} photographs scored exactly in ")
    assert ranking["all"] == f"Score all {COUNT}"
    whole = ranked(many, large, replace(state, exhaustive=True), count=COUNT)["ranking"]
    assert whole["note"].startswith(f"{COUNT} photographs ranked in ")
    assert whole["all"] == ""
    best = [row["score"] for row in whole["lists"][0]["items"]]
    assert best == sorted(best, reverse=True)
    shared = {row["index"]: row["score"] for row in whole["lists"][0]["items"]}
    for row in ranking["lists"][0]["items"]:
        assert row["score"] == pytest.approx(shared.get(row["index"], row["score"]))


def test_names_are_filtered_in_every_gallery(
    many: RetrievalService, large: StoredGallery, service: RetrievalService
) -> None:
    state = ViewState("folder", 0, CAPTION, name="LIONS")
    titles = [row["title"] for row in ranked(many, large, state)["ranking"]["lists"][0]["items"]]
    assert titles and all("lions" in title for title in titles)
    with pytest.raises(ValueError, match='No photograph\'s name holds "no such name"'):
        ranked(many, large, replace(state, name="no such name"))
    examples = service.find("examples")
    title = examples.gallery.items[5].title
    assert service.rank_images(examples, CAPTION, candidates=Candidates(name=title.upper())).order == [5]


@pytest.mark.parametrize(
    ("status", "text"),
    [
        (
            IndexingStatus(10, 90, 0, None, True, ""),
            "10 of 90 photographs are indexed and searched, the others follow.",
        ),
        (
            IndexingStatus(10, 90, 0, 150, True, ""),
            "10 of 90 photographs are indexed and searched; the others take about 2 minutes.",
        ),
        (
            IndexingStatus(10, 90, 0, None, True, "The disk is full."),
            "10 of 90 photographs are indexed and searched; the others wait. The disk is full.",
        ),
        (
            IndexingStatus(89, 90, 1, None, False, ""),
            "All photographs are indexed: 89 are searched. 1 file cannot be read; the terminal names them.",
        ),
    ],
)
def test_how_far_indexing_is_stands_in_a_line(status: IndexingStatus, text: str) -> None:
    assert indexing_text(status) == text

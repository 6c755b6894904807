from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from demo.galleries.indexes.stored import IndexingStatus, StoredGallery
from demo.galleries.sources.named import examples_gallery
from demo.page.values import ranked
from demo.service.experiments.counterfactual import Forcing
from demo.service.models import start
from demo.service.retrieval import RetrievalService
from demo.views.photos import indexing_text
from demo.views.state import ViewState
from demo.views.why.values import WhyState, why_value
from seps import load_model

COUNT, SHORT = 6, 3
CAPTION = "a red boat next to a dog"


@pytest.fixture(scope="module")
def many(scenes_model: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[RetrievalService]:
    """A tiny model with a folder that counts as large; its shortlists are short."""
    folder = tmp_path_factory.mktemp("many") / "holiday"
    folder.mkdir()
    for item in examples_gallery().items[-COUNT:]:
        item.photo().resize((96, 96)).save(folder / f"{item.key}.png")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(start, "load_model", lambda name: load_model(scenes_model))
        patch.setattr("demo.service.models.stored.LARGE", 4)
        patch.setattr("demo.galleries.indexes.stored.SHORTLIST", SHORT)
        patch.setattr("demo.record.photo.LONGEST_STRIP", 5)
        yield start.open_service(start.GalleryOptions(folder, folder.parent / "cache", fetch=False, examples=False))


@pytest.fixture
def large(many: RetrievalService) -> StoredGallery:
    indexed = many.find("folder")
    assert isinstance(indexed, StoredGallery)
    return indexed


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


@pytest.mark.parametrize(
    ("status", "text"),
    [
        ((10, 90, 0, 150, True, ""), "10 of 90 photographs are indexed and searched; the others take about 2 minutes."),
        ((9, 90, 0, None, True, "No disk."), "9 of 90 photographs are indexed and searched; the others wait. No disk."),
        ((89, 90, 1, None, False, ""), "All photographs are indexed: 89 are searched. 1 file cannot be read;"),
    ],
)
def test_how_far_indexing_is_stands_in_a_line(status: tuple[Any, ...], text: str) -> None:
    assert indexing_text(IndexingStatus(*status)).startswith(text)


def test_a_folder_whose_files_are_gone_is_told(
    many: RetrievalService, large: StoredGallery, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(large, "_is_there", lambda index: False)
    with pytest.raises(ValueError, match='The photos of "holiday" are no longer there'):
        many.rank_images(large, CAPTION)

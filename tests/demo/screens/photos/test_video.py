"""Captions through a video in Photos: the timeline, a second caption, links, files, and a video of one's own."""

from __future__ import annotations

import csv
import json
from io import BytesIO, StringIO
from pathlib import Path
from urllib.parse import parse_qsl

import numpy as np
import pytest
from PIL import Image

from demo.galleries.index import GalleryInMemory, IndexedGallery, index_gallery
from demo.galleries.moving import MOVING
from demo.galleries.personal import OWN_VIDEO
from demo.galleries.video import read_video
from demo.record.timeline import tiles
from demo.views.state import SelectedImage
from demo.views.compare import show_side_by_side
from demo.views.state import ViewState
from demo.page import queues as sending
from demo.views import worked_example as photos_view
from demo.views.video import film_download
from demo.views.session import fill
from demo.views.why import view as why
from demo.views.why.values import WhyState
from demo.service.masks import read_mask
from demo.service.registry import ModelRegistry
from demo.service.retrieval import RetrievalService
from demo.service.session import SessionData
from seps.progress import finish
from tests.helpers.clips import BLUE, RED, write_clip

CAPTION, OTHER = "a white balloon", "a brown rabbit"


@pytest.fixture
def moving(registry: ModelRegistry) -> tuple[RetrievalService, IndexedGallery]:
    return registry.open(MOVING)


@pytest.fixture(scope="module")
def sent(registry: ModelRegistry, tmp_path_factory: pytest.TempPathFactory) -> GalleryInMemory:
    """A video of a person's own, of three frames."""
    clip = write_clip(tmp_path_factory.mktemp("clip") / "clip.avi", [(RED, 4), (BLUE, 4)])
    return index_gallery(registry.photos.model, finish(read_video(clip, OWN_VIDEO, most=3)), None)


def test_the_ranking_of_frames_has_a_curve_a_caption(moving: tuple[RetrievalService, IndexedGallery]) -> None:
    service, indexed = moving
    _, ranking, viewer, state = photos_view.rank_and_show(service, indexed, CAPTION, None, ViewState(other=OTHER))
    film = ranking["timeline"]
    assert film["seconds"] == [number / 4 for number in range(24)]
    assert [line["caption"] for line in film["lines"]] == [CAPTION, OTHER]
    for line in film["lines"]:
        records = [service.explain(indexed, index, line["caption"]) for index in range(24)]
        assert line["scores"] == pytest.approx([record.similarity for record in records], abs=1e-4)
        assert line["moments"][0] == int(np.argmax(line["scores"]))
        for tile in line["tiles"]:
            kept = records[tile["index"]].sparse.kept
            np.testing.assert_array_equal(read_mask(tile["mask"], kept.size), kept)
        assert line["steady"].startswith("From frame to frame the masks share ")
    assert ranking["selected"] == state.index == film["lines"][0]["moments"][0]
    assert dict(parse_qsl(viewer["link"][1:]))["photo"] == f"{film['seconds'][state.index]:.3f}"  # the time in the link


def test_photographs_have_no_timeline(service: RetrievalService) -> None:
    indexed = service.find("examples")
    _, ranking, viewer, _ = photos_view.rank_and_show(service, indexed, "a dog", None, ViewState(other=OTHER))
    assert "timeline" not in ranking and "other" not in viewer["link"]
    with pytest.raises(ValueError, match="These photographs are no frames of a video"):
        film_download(service, indexed, ViewState("examples", 0, "a dog"), "gif")


def test_a_link_brings_time_and_both_captions_back(registry: ModelRegistry) -> None:
    query = {"view": "search", "gallery": MOVING, "photo": "2.500", "caption": CAPTION, "other": f" {OTHER}  "}
    values = fill(registry, query)[1]["search"]
    state, film = values[6], values[4]["timeline"]
    assert (state.index, state.other, values[5]["photo"]["title"]) == (10, OTHER, "0:02.50")
    assert [line["caption"] for line in film["lines"]] == [CAPTION, OTHER]
    assert dict(parse_qsl(values[5]["link"][1:]))["other"] == OTHER
    wrong = fill(registry, query | {"photo": "2.6"})[1]["search"]
    assert "has no photo" in wrong[0]


def test_the_worked_example_opens_with_what_moves(registry: ModelRegistry) -> None:
    values = fill(registry, {"view": "search", "gallery": MOVING})[1]["search"]
    assert values[7]["items"][:2] == [CAPTION, OTHER] and values[1] == CAPTION


@pytest.mark.parametrize(("count", "most", "expected"), [(1, 12, [0]), (3, 12, [0, 1, 2]), (24, 4, [0, 8, 15, 23])])
def test_tiles_go_from_the_first_frame_to_the_last(count: int, most: int, expected: list[int]) -> None:
    assert tiles(count, most) == expected


def test_a_timeline_is_taken_away_as_film_and_numbers(moving: tuple[RetrievalService, IndexedGallery]) -> None:
    service, indexed = moving
    state = ViewState(MOVING, 3, CAPTION, other=OTHER)
    table = film_download(service, indexed, state, "csv").content.decode("utf-8-sig")
    rows = list(csv.reader(StringIO(table)))
    assert rows[0][-3:] == ["seconds", CAPTION, OTHER] or rows[0] == ["seconds", CAPTION, OTHER]
    assert len(rows) == 25
    record = json.loads(film_download(service, indexed, state, "json").content)
    assert [line["caption"] for line in record["captions"]] == [CAPTION, OTHER]
    with Image.open(BytesIO(film_download(service, indexed, state, "gif").content)) as film:
        assert getattr(film, "n_frames", 0) > 1
    with pytest.raises(ValueError, match="format is 'exe'"):
        film_download(service, indexed, state, "exe")


def test_a_video_of_one_s_own_is_read_step_by_step_and_its_file_goes(registry: ModelRegistry, tmp_path: Path) -> None:
    clip = write_clip(tmp_path / "clip.avi", [(RED, 2)])
    work = sending.steps(registry, clip)
    values = []
    with pytest.raises(StopIteration) as end:
        while True:
            values.append(next(work))
    indexed = end.value.value
    assert [value["says"] for value in values] == [
        "Reading clip.avi: 0 frames gone through.",
        "The model reads clip.avi: frame 1 of 1.",
    ]
    assert values[-1]["done"] == 1 and all(value["busy"] for value in values)
    assert (len(indexed), indexed.gallery.name, clip.exists()) == (1, OWN_VIDEO, False)


@pytest.mark.parametrize("stop", [True, False])
def test_the_file_goes_too_where_it_is_stopped_or_no_video(registry: ModelRegistry, tmp_path: Path, stop: bool) -> None:
    file = tmp_path / "clip.avi"
    file.write_bytes(b"no video at all")
    work = sending.steps(registry, file)
    next(work)
    if stop:
        work.close()
    else:
        with pytest.raises(ValueError, match=r'"clip\.avi" is no video by its content'):
            finish(work)
    assert not file.exists()


def test_frames_of_one_s_own_are_explained_and_compared_as_photographs_are(
    registry: ModelRegistry, sent: GalleryInMemory
) -> None:
    session = SessionData(video=sent)
    service, indexed = registry.find(OWN_VIDEO, session)
    assert (service, indexed) == (registry.photos, sent)
    assert session.nbytes == sent.nbytes > 0
    _, ranking, viewer, _ = photos_view.rank_and_show(service, indexed, "a red wall", None, ViewState())
    assert viewer["link"] is None and len(ranking["timeline"]["seconds"]) == len(sent)
    _, beside, _ = show_side_by_side(registry, SelectedImage(OWN_VIDEO, 1, session), "a wall\na dog", ViewState())
    assert beside["photo"]["title"] == sent.gallery.items[1].title
    shown = WhyState(OWN_VIDEO, 0, "a red wall", against=1, uploaded=session)
    assert [side["index"] for side in why.show(registry, None, shown)[1]["sides"]] == [0, 1]


def test_back_leads_to_the_frame_that_was_shown_or_to_none(registry: ModelRegistry, sent: GalleryInMemory) -> None:
    title = sent.gallery.items[1].title
    state = ViewState(OWN_VIDEO, 2, "a red wall", other="a dog")
    values = photos_view.again(registry, SessionData(video=sent), {"photo": title}, state)
    assert values[5]["photo"]["title"] == title
    assert len(values[4]["timeline"]["lines"]) == 2
    with pytest.raises(ValueError, match=r"The gallery 'own-video' has no photo '9:99\.99'"):
        photos_view.again(registry, SessionData(video=sent), {"photo": "9:99.99"}, state)

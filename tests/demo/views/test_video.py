"""Captions through a video in Photos: the timeline, a second caption, links, files, and a video of one's own."""

from __future__ import annotations

import csv
import json
from io import BytesIO, StringIO

import numpy as np
import pytest
from PIL import Image

from demo.galleries.index import GalleryInMemory, IndexedGallery, index_gallery
from demo.galleries.moving import MOVING
from demo.galleries.personal import OWN_VIDEO
from demo.galleries.video import read_video
from demo.page.values import compared, contrasted, explained, ranked
from demo.record.timeline import tiles
from demo.service.masks import read_mask
from demo.service.registry import ModelRegistry
from demo.service.retrieval import RetrievalService
from demo.service.session import SessionData
from demo.views.state import ViewState
from demo.views.video import film_download
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


def test_the_ranking_of_frames_has_a_curve_a_caption(moving: tuple[RetrievalService, IndexedGallery]) -> None:
    service, indexed = moving
    answer = ranked(service, indexed, ViewState(MOVING, 0, CAPTION, other=OTHER))
    film = answer["timeline"]
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
    assert answer["best"] == film["lines"][0]["moments"][0]


def test_photographs_have_no_timeline(service: RetrievalService) -> None:
    indexed = service.find("examples")
    assert ranked(service, indexed, ViewState("examples", 0, "a dog", other=OTHER))["timeline"] is None
    with pytest.raises(ValueError, match="These photographs are no frames of a video"):
        film_download(service, indexed, ViewState("examples", 0, "a dog"), "gif")


def test_frames_of_one_s_own_are_explained_and_compared_as_photographs_are(
    registry: ModelRegistry, sent: GalleryInMemory
) -> None:
    session = SessionData(video=sent)
    service, indexed = registry.find(OWN_VIDEO, session)
    assert (service, indexed) == (registry.photos, sent)
    assert session.nbytes == sent.nbytes > 0
    state = ViewState(OWN_VIDEO, 0, "a red wall")
    assert explained(service, indexed, state)["link"] is None
    assert len(ranked(service, indexed, state)["timeline"]["seconds"]) == len(sent)
    beside = compared(service, indexed, 1, "a wall\na dog", "mask")
    assert beside["photo"]["title"] == sent.gallery.items[1].title
    sides = contrasted(service, indexed, 0, 1, "a red wall", "", "")["sides"]
    assert [side["index"] for side in sides] == [0, 1]

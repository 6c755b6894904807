from pathlib import Path

import numpy as np
import pytest
import torch
from PIL import Image

from demo.galleries.indexes.index import GalleryInMemory, index_gallery
from demo.galleries.sources.folder import OWN_VIDEO, folder_gallery
from demo.galleries.sources.named import examples_gallery
from demo.galleries.sources.scenes import MOVING
from demo.galleries.sources.video import clock, read_video
from demo.page.questions import Two
from demo.page.values import compared, contrasted, explained, ranked
from demo.service.masks import read_mask
from demo.service.models.personal import SessionData
from demo.service.models.registry import ModelRegistry
from demo.service.ranking import group_near_photographs
from demo.service.retrieval import RetrievalService
from demo.service.timeline import frame_cosine, mask_overlap, moments
from demo.views.photos import ranking_value
from demo.views.state import ViewState
from demo.views.video import film_download, tiles
from seps.common.progress import finish
from tests.helpers.pictures.clips import BLUE, RED, write_clip

CAPTION, OTHER = "a white balloon", "a brown rabbit"


@pytest.fixture(scope="module")
def sent(registry: ModelRegistry, tmp_path_factory: pytest.TempPathFactory) -> GalleryInMemory:
    """A video of a person's own, of two frames."""
    clip = write_clip(tmp_path_factory.mktemp("clip") / "clip.avi", [(RED, 4), (BLUE, 4)])
    return index_gallery(registry.photos.model, finish(read_video(clip, OWN_VIDEO, most=2)), None)


def test_tiles_go_from_the_first_frame_to_the_last() -> None:
    assert (tiles(1, 12), tiles(3, 12), tiles(24, 4)) == ([0], [0, 1, 2], [0, 8, 15, 23])


def test_the_ranking_of_frames_has_a_curve_a_caption(registry: ModelRegistry) -> None:
    service, indexed = registry.open(MOVING)
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
    session = SessionData({OWN_VIDEO: sent})
    service, indexed = registry.find(OWN_VIDEO, session)
    assert (service, indexed) == (registry.photos, sent)
    assert session.nbytes == sent.nbytes > 0
    state = ViewState(OWN_VIDEO, 0, "a red wall")
    assert explained(service, indexed, state)["photo"]["src"].startswith("data:")
    assert len(ranked(service, indexed, state)["timeline"]["seconds"]) == len(sent)
    beside = compared(service, indexed, 1, "a wall\na dog", "mask")
    assert beside["photo"]["title"] == sent.gallery.items[1].title
    sides = contrasted(*Two(session, OWN_VIDEO, 0, "a red wall", 1).read(registry))["sides"]
    assert [side["index"] for side in sides] == [0, 1]


@pytest.mark.parametrize(
    ("curve", "expected"),
    [
        ([0.1, 0.5, 0.2, 0.9, 0.3], (3, 1)),
        ([0.9, 0.85, 0.84, 0.1], (0,)),  # neighbours of one peak, at an end
        ([0.1, 0.2, 0.3], (2,)),
        ([0.1, 0.5, 0.49, 0.51, 0.1], (3,)),  # a dent is no valley
        ([0.1, 0.7, 0.7, 0.7, 0.1], (2,)),
        ([-0.3], (0,)),
    ],
)
def test_moments_are_peaks_the_best_first(curve: list[float], expected: tuple[int, ...]) -> None:
    assert moments(curve) == expected
    assert moments(np.array(curve) * 7 - 3, most=2) == expected


def test_masks_of_neighbouring_frames_are_compared() -> None:
    masks = np.array([[1, 1, 0, 0], [0, 1, 1, 0], [0, 0, 0, 0], [0, 0, 0, 0]], dtype=bool)
    assert mask_overlap(masks).tolist() == [1 / 3, 0, 1]
    patches = torch.tensor([[[1.0, 0], [0, 2]], [[3.0, 0], [0, -1]]])
    assert frame_cosine(patches).tolist() == [0.0]


def test_times_are_written_as_people_write_them() -> None:
    assert [clock(seconds) for seconds in (7.249, 59.999, 3723.5)] == ["0:07.25", "1:00.00", "1:02:03.50"]


def test_copies_stand_with_the_best_of_them(service: RetrievalService, tmp_path: Path) -> None:
    first, other, *_ = examples_gallery().items
    key, photo = first.key, first.photo()
    for item in (first, other):
        item.photo().save(tmp_path / f"{item.key}.jpg", quality=90)
    photo.save(tmp_path / f"{key}-again.jpg", quality=70)
    photo.transpose(Image.Transpose.FLIP_LEFT_RIGHT).save(tmp_path / f"{key}-mirrored.jpg", quality=90)
    indexed = index_gallery(service.model, folder_gallery(tmp_path), None)
    ranking = service.rank_images(indexed, "an animal")
    groups = group_near_photographs(indexed, ranking.order, 24)
    assert group_near_photographs(indexed, [], 3) == []
    keys = [{indexed.gallery.items[index].key for index in group} for group in groups]
    assert sorted(map(len, groups)) == [1, 3]
    assert {f"{key}.jpg", f"{key}-again.jpg", f"{key}-mirrored.jpg"} in keys
    assert [group[0] for group in groups] == sorted((group[0] for group in groups), key=ranking.order.index)

    rows = ranking_value(indexed, ranking, None)["lists"][0]["items"]
    assert len(rows) == 2
    folded = next(row for row in rows if "alike" in row)
    assert len(folded["alike"]["items"]) == 2
    ranks = [row["rank"] for row in rows] + [row["rank"] for row in folded["alike"]["items"]]
    assert sorted(ranks) == [1, 2, 3, 4]

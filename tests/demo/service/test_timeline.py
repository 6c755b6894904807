"""A caption through the frames of a video."""

from __future__ import annotations

import numpy as np
import pytest
import torch
from PIL import Image

from demo.galleries.index import index_gallery
from demo.galleries.video import clock, video_gallery
from demo.service.retrieval import RetrievalService
from demo.service.timeline import frame_cosine, mask_overlap, moments, timeline
from seps.videos import Frame, Video


@pytest.mark.parametrize(
    ("curve", "expected"),
    [
        ([0.1, 0.5, 0.2, 0.9, 0.3], (3, 1)),
        ([0.9, 0.85, 0.84, 0.1], (0,)),  # neighbours of one peak, at an end
        ([0.1, 0.2, 0.3], (2,)),
        ([0.1, 0.5, 0.49, 0.51, 0.1], (3,)),  # a dent is no valley
        ([0.1, 0.7, 0.7, 0.7, 0.1], (2,)),
        ([0.4, 0.4, 0.4], (0,)),
        ([-0.3], (0,)),
    ],
)
def test_moments_are_peaks_the_best_first(curve: list[float], expected: tuple[int, ...]) -> None:
    assert moments(curve) == expected
    assert moments(np.array(curve) * 7 - 3) == expected


def test_a_curve_has_as_many_moments_as_are_asked_for() -> None:
    assert moments([0, 1, 0, 3, 0, 2, 0], most=2) == (3, 5)


def test_masks_of_neighbouring_frames_are_compared() -> None:
    masks = np.array([[1, 1, 0, 0], [0, 1, 1, 0], [0, 0, 0, 0], [0, 0, 0, 0]], dtype=bool)
    assert mask_overlap(masks).tolist() == [1 / 3, 0, 1]
    patches = torch.tensor([[[1.0, 0], [0, 2]], [[3.0, 0], [0, -1]]])
    assert frame_cosine(patches).tolist() == [0.0]


@pytest.mark.parametrize(
    ("seconds", "text"), [(0, "0:00.00"), (7.249, "0:07.25"), (59.999, "1:00.00"), (3723.5, "1:02:03.50")]
)
def test_times_are_written_as_people_write_them(seconds: float, text: str) -> None:
    assert clock(seconds) == text


def test_a_caption_s_curve_is_each_frame_s_own_similarity(service: RetrievalService) -> None:
    items = service.find("examples").gallery.items[:3]
    photos = [item.photo().resize((320, 240)) for item in items]
    video = Video(tuple(Frame(i / 2, photo) for i, photo in enumerate(photos)), 1.5, (320, 240), ("a note",))
    indexed = index_gallery(service.model, video_gallery(video, "clip.mp4"), None)
    assert (indexed.gallery.noun, indexed.gallery.note) == ("frames", "a note")
    line = timeline(service, indexed, items[1].captions[0])
    records = [service.explain_photo(photo, items[1].captions[0]) for photo in photos]
    assert line.scores == pytest.approx([record.similarity for record in records], abs=1e-5)
    assert [mask.tolist() for mask in line.masks] == [record.sparse.kept.astype(bool).tolist() for record in records]
    assert line.moments[0] == 1 and line.seconds.tolist() == [0, 0.5, 1]
    assert indexed.gallery.items[1].title == "0:00.50"
    assert isinstance(indexed.gallery.items[1].photo(), Image.Image)

"""The camera in Photos: what is told of a frame, what is kept of it, and what is refused."""

from __future__ import annotations

import re
from base64 import b64encode
from io import BytesIO

import numpy as np
import pytest
from PIL import Image

from demo.galleries.personal import CAMERA
from demo.page.actions import LONGEST_PICTURE, picture_of
from demo.record.table import say
from demo.service.masks import read_mask
from demo.service.personal import index_frame
from demo.service.registry import ModelRegistry
from demo.service.retrieval import RetrievalService
from demo.service.session import SessionData
from demo.views.camera import NAME, look_value
from demo.views.worked_example import worked_example
from seps.photos import to_rgb


@pytest.fixture(scope="module")
def frame(service: RetrievalService) -> bytes:
    """A frame as a page sends it."""
    indexed = service.find("examples")
    photo = indexed.gallery.items[indexed.gallery.position("coffee")].photo()
    photo.thumbnail((448, 448))
    content = BytesIO()
    photo.save(content, "JPEG", quality=80)
    return content.getvalue()


@pytest.mark.parametrize("gallery", ["examples", "scenes"])
def test_a_frame_is_told_what_the_model_of_the_gallery_makes_of_it(
    registry: ModelRegistry, frame: bytes, gallery: str
) -> None:
    service = registry.of(gallery)
    value = look_value(service, frame, "a cup on a table")
    with Image.open(BytesIO(frame)) as image:
        record = service.explain_photo(to_rgb(image), "a cup on a table")
    np.testing.assert_array_equal(read_mask(value["mask"], record.sparse.kept.size), record.sparse.kept)
    assert value["similarity"] == pytest.approx(record.similarity, abs=1e-5)
    assert value["words"] == list(record.sparse_alignment.words)
    assert value["maps"]["shape"] == [len(value["words"]), record.sparse.kept.size]
    assert (value["grid"], value["model"]) == (list(record.grid), service.name)
    assert "photo" not in value


def test_a_frozen_frame_is_a_photograph_of_the_session(registry: ModelRegistry, frame: bytes) -> None:
    indexed = index_frame(registry.photos, NAME, frame, say("camera.switch"))
    session = SessionData(camera=indexed)
    assert registry.find(CAMERA, session) == (registry.photos, indexed)
    _, ranking, viewer = worked_example(registry.photos, indexed, "a cup")
    assert (viewer["link"], len(ranking["lists"][0]["items"])) == (None, 1)
    assert ranking["note"].startswith("1 photograph ranked in ")


def test_what_is_no_frame_is_refused_in_a_sentence(registry: ModelRegistry, frame: bytes) -> None:
    for content, message in (
        (b"", 'The photo "camera.jpg" is empty'),
        (b"no picture", 'The photo "camera.jpg" is no photo that can be read'),
        (frame[: len(frame) // 3], 'The photo "camera.jpg" is damaged or cut short'),
    ):
        with pytest.raises(ValueError, match=re.escape(message)):
            look_value(registry.photos, content, "a cup")
    with pytest.raises(ValueError, match="The caption is empty"):
        look_value(registry.photos, frame, " ")
    with pytest.raises(ValueError, match="The frame is not"):
        picture_of("%%%")
    with pytest.raises(ValueError, match="400,004"):
        picture_of("A" * (LONGEST_PICTURE + 4))
    assert picture_of(b64encode(frame).decode()) == frame

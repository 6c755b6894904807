"""An edited scene takes the place of the original for one person, and is ranked as if it had always been there."""

from __future__ import annotations

import time
from dataclasses import replace

import numpy as np
import pytest
import torch
from PIL import Image

from demo.galleries.index import index_gallery, require_in_memory
from demo.service.experiment import experiment, known, read_changes, with_changes
from demo.service.registry import ModelRegistry
from demo.service.session import SessionData
from demo.views.state import ViewState, link_to
from seps.scenes import draw

CAPTION = "a red helicopter over a tiny dolphin"
REMOVE = {"do": "remove", "object": 0}


def test_the_session_s_gallery_is_the_one_indexed_anew(registry: ModelRegistry) -> None:
    service, indexed = registry.open("scenes")
    session = with_changes(registry, SessionData(), 0, [REMOVE])
    session = with_changes(registry, session, 3, [{"do": "move", "object": 1, "dx": 20, "dy": 0}])
    edited = require_in_memory(registry.find("scenes", session)[1])
    subset = replace(edited.gallery, items=edited.gallery.items[:5])
    anew = index_gallery(service.model, subset, None)
    torch.testing.assert_close(edited.embeddings[:5], anew.embeddings)
    assert edited.digests[:5] == anew.digests
    assert edited.thumbnails[:5] == anew.thumbnails
    scores = service.engine.score(edited.images[:5], service.encode([CAPTION]))
    torch.testing.assert_close(scores, service.engine.score(anew.images, service.encode([CAPTION])))
    assert registry.find("scenes")[1] is indexed  # others keep theirs
    assert registry.find("scenes", SessionData())[1] is indexed
    assert edited.gallery.items[1] is indexed.gallery.items[1]


def test_before_and_after_are_the_model_s_own_numbers(registry: ModelRegistry) -> None:
    service, indexed = registry.open("scenes")
    session = with_changes(registry, SessionData(), 0, [REMOVE])
    tried = experiment(registry, session, 0, CAPTION)
    picture = Image.fromarray(draw(tried.after.scene).pixels)
    record = service.model.explain(picture, CAPTION)
    assert tried.after.record.similarity == pytest.approx(record.similarity, abs=1e-5)
    np.testing.assert_array_equal(tried.after.record.sparse.kept, record.sparse.kept)
    plain = service.rank_images(indexed, CAPTION)
    assert tried.before.rank == 1 + plain.order.index(0)
    higher = sum(
        score > tried.after.record.similarity + 1e-6
        for score, index in zip(plain.scores, plain.order, strict=True)
        if index
    )
    assert tried.after.rank == 1 + higher
    kept = tried.before.record.sparse.kept, record.sparse.kept
    assert (tried.gained, tried.lost) == (int((kept[1] & ~kept[0]).sum()), int((kept[0] & ~kept[1]).sum()))
    untouched = experiment(registry, SessionData(), 0, CAPTION)
    assert untouched.after is untouched.before


def test_changes_are_taken_back_one_by_one_or_all_at_once(registry: ModelRegistry) -> None:
    first = with_changes(registry, SessionData(), 0, [REMOVE])
    two = with_changes(registry, first, 0, [{"do": "redraw", "seed": 4}])
    assert len(two.edits["scenes"][0].history) == 2
    back = with_changes(registry, two, 0, [{"do": "undo"}])
    assert back.edits["scenes"][0].scene == first.edits["scenes"][0].scene
    assert with_changes(registry, back, 0, [{"do": "undo"}]).edits["scenes"] == {}
    assert with_changes(registry, two, 0, [{"do": "original"}]).edits["scenes"] == {}
    assert with_changes(registry, SessionData(), 0, [{"do": "undo"}]).edits["scenes"] == {}


def test_an_edit_is_quick_and_the_same_every_time(registry: ModelRegistry) -> None:
    experiment(registry, SessionData(), 7, CAPTION)
    started = time.process_time()
    first = experiment(registry, with_changes(registry, SessionData(), 7, [REMOVE]), 7, CAPTION)
    assert time.process_time() - started < 1
    again = experiment(registry, with_changes(registry, SessionData(), 7, [REMOVE]), 7, CAPTION)
    assert (first.after.rank, first.after.record.similarity) == (again.after.rank, again.after.record.similarity)


def test_an_edited_scene_has_captions_that_are_true_of_it_and_no_link(registry: ModelRegistry) -> None:
    service, _ = registry.open("scenes")
    session = with_changes(registry, SessionData(), 0, [REMOVE])
    _, edited = registry.find("scenes", session)
    item = edited.gallery.items[0]
    assert item.title == "0: dolphin, edited"
    assert item.captions
    assert not any("helicopter" in caption or "chopper" in caption for caption in item.captions)
    assert link_to(service, "search", edited, ViewState("scenes", 0, CAPTION)) is None
    assert link_to(service, "search", edited, ViewState("scenes", 1, CAPTION)) is not None
    ranking = service.rank_captions(edited, 0, "scenes")
    assert {text for text, right in zip(ranking.captions, ranking.correct, strict=True) if right} <= set(item.captions)


def test_an_empty_scene_is_a_scene_too(registry: ModelRegistry) -> None:
    session = with_changes(registry, SessionData(), 0, [REMOVE, REMOVE])
    tried = experiment(registry, session, 0, CAPTION)
    assert tried.after.scene.objects == ()
    assert tried.after.indexed.gallery.items[0].captions == ()
    assert tried.after.record.similarity != tried.before.record.similarity


def test_what_cannot_be_changed_is_told(registry: ModelRegistry) -> None:
    with pytest.raises(ValueError, match="There is no object 9"):
        with_changes(registry, SessionData(), 0, [{"do": "remove", "object": 9}])
    with pytest.raises(ValueError, match="At most 40 scenes and 200 changes of each"):
        with_changes(registry, SessionData(), 0, [{"do": "move", "object": 0, "dx": 1, "dy": 0}] * 201)
    with pytest.raises(ValueError, match="astronaut is no drawn scene"):
        known(registry.find("examples")[1], 0)
    for text in ("", "{}", "[1]", "[[]]"):
        with pytest.raises(ValueError, match=r"The changes (cannot be read as JSON|must be a list of at most 200)"):
            read_changes(text)
    assert read_changes('[{"do": "undo"}]') == [{"do": "undo"}]

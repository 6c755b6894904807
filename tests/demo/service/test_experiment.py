import json
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
import torch
from PIL import Image

from demo.galleries.indexes.index import IndexedGallery, index_gallery, require_in_memory
from demo.service.experiments.experiment import edited_gallery, experiment, known, read_changes
from demo.service.models.registry import ModelRegistry
from demo.views.edit import scene_value
from seps.scenes import draw

CAPTION = "a red helicopter over a tiny dolphin"
REMOVE: dict[str, Any] = {"do": "remove", "object": 0}


def changed(registry: ModelRegistry, index: int, changes: Sequence[Mapping[str, Any]]) -> IndexedGallery:
    edited = edited_gallery(registry, index, changes)
    assert edited is not None
    return edited


def test_the_edited_gallery_is_the_one_indexed_anew(registry: ModelRegistry) -> None:
    service, indexed = registry.open("scenes")
    edited = require_in_memory(changed(registry, 0, [REMOVE]))
    subset = replace(edited.gallery, items=edited.gallery.items[:5])
    anew = index_gallery(service.model, subset, None)
    torch.testing.assert_close(edited.embeddings[:5], anew.embeddings)
    assert (edited.digests[:5], edited.thumbnails[:5]) == (anew.digests, anew.thumbnails)
    scores = service.engine.score(edited.images[:5], service.encode([CAPTION]))
    torch.testing.assert_close(scores, service.engine.score(anew.images, service.encode([CAPTION])))
    assert registry.find("scenes")[1] is indexed  # others keep theirs
    assert edited.gallery.items[1] is indexed.gallery.items[1]


def test_before_and_after_are_the_model_s_own_numbers(registry: ModelRegistry) -> None:
    service, indexed = registry.open("scenes")
    tried = experiment(registry, 0, CAPTION, changed(registry, 0, [REMOVE]))
    picture = Image.fromarray(draw(tried.after.scene).pixels)
    record = service.model.explain(picture, CAPTION)
    assert tried.after.record.similarity == pytest.approx(record.similarity, abs=1e-5)
    np.testing.assert_array_equal(tried.after.record.sparse.kept, record.sparse.kept)
    plain = service.rank_images(indexed, CAPTION)
    assert tried.before.rank == 1 + plain.order.index(0)
    others = [score for score, index in zip(plain.scores, plain.order, strict=True) if index]
    assert tried.after.rank == 1 + sum(score > record.similarity + 1e-6 for score in others)
    kept = tried.before.record.sparse.kept, record.sparse.kept
    moved = f"{(kept[1] & ~kept[0]).sum()} patches gained, {(kept[0] & ~kept[1]).sum()} lost"
    assert scene_value(registry, tried, 0, CAPTION)["moved"] == moved
    untouched = experiment(registry, 0, CAPTION)
    assert untouched.after is untouched.before


def test_changes_are_taken_back_one_by_one_or_all_at_once(registry: ModelRegistry) -> None:
    undo: dict[str, Any] = {"do": "undo"}
    original: dict[str, Any] = {"do": "original"}
    redraw: dict[str, Any] = {"do": "redraw", "seed": 4}
    scene = known(changed(registry, 0, [REMOVE]), 0).scene
    assert known(changed(registry, 0, [REMOVE, redraw]), 0).scene != scene
    assert known(changed(registry, 0, [REMOVE, redraw, undo]), 0).scene == scene
    for changes in ([undo], [REMOVE, undo], [REMOVE, redraw, undo, undo, undo], [REMOVE, redraw, original]):
        assert edited_gallery(registry, 0, changes) is None


def test_an_edited_scene_has_captions_that_are_true_of_it(registry: ModelRegistry) -> None:
    service, _ = registry.open("scenes")
    edited = changed(registry, 0, [REMOVE])
    item = edited.gallery.items[0]
    assert item.title == "0: dolphin, edited" and item.captions
    assert not any("helicopter" in caption or "chopper" in caption for caption in item.captions)
    ranking = service.rank_captions(edited, 0, "scenes")
    assert {text for text, right in zip(ranking.captions, ranking.correct, strict=True) if right} <= set(item.captions)


def test_what_cannot_be_changed_is_told(registry: ModelRegistry) -> None:
    with pytest.raises(ValueError, match="There is no object 9"):
        changed(registry, 0, [{"do": "remove", "object": 9}])
    with pytest.raises(ValueError, match="astronaut is no drawn scene"):
        known(registry.find("examples")[1], 0)
    for text in ("", "{}", "[1]", "[[]]", json.dumps([REMOVE] * 201)):
        with pytest.raises(ValueError, match=r"The changes (cannot be read as JSON|must be a list of at most 200)"):
            read_changes(text)
    assert read_changes('[{"do": "undo"}]') == [{"do": "undo"}]


def test_the_words_whose_shares_changed_most_are_told(registry: ModelRegistry) -> None:
    service, _ = registry.open("scenes")
    change = {"do": "move", "object": 0, "dx": 40, "dy": 30}
    tried = experiment(registry, 0, CAPTION, edited_gallery(registry, 0, [change]))
    changes = scene_value(registry, tried, 0, CAPTION)["shares"]
    attributions = [service.split_all(outcome.record)[0].of_words for outcome in (tried.before, tried.after)]
    words = tried.before.record.sparse_alignment.words
    moved = sorted(abs(attributions[1] - attributions[0])[1:-1].tolist(), reverse=True)
    assert [abs(changed["change"]) for changed in changes] == pytest.approx(moved[: len(changes)])
    assert 0 < len(changes) <= 4
    for changed in changes:
        shares = zip(words, *(shares.tolist() for shares in attributions), strict=True)
        told = (changed["word"], changed["before"], changed["after"])
        assert any(word == told[0] and each == pytest.approx(told[1:]) for word, *each in shares)
        assert changed["change"] == pytest.approx(changed["after"] - changed["before"])
    untouched = experiment(registry, 0, CAPTION)
    assert scene_value(registry, untouched, 0, CAPTION)["shares"] == []

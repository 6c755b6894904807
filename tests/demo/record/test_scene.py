from dataclasses import replace

import numpy as np
import pytest
from matplotlib.path import Path
from numpy.typing import NDArray

from demo.galleries.annotation import SceneAnnotation, labels, phrases_of
from demo.record import scene as scene_data
from demo.record.scene import Line, outlines, weights_inside
from demo.service.models.registry import ModelRegistry
from seps.data.objects import mask_overlap
from seps.scenes import SIDE, make_scene
from tests.seps.scenes.test_edit import CUP_ON_TABLE


def test_each_word_of_a_phrase_gets_its_own_share(registry: ModelRegistry, monkeypatch: pytest.MonkeyPatch) -> None:
    service, indexed = registry.open("scenes")
    item = indexed.gallery.items[0]
    assert item.known is not None
    caption = item.captions[0]
    assert caption == "A red helicopter above a small dolphin at sea"
    record = service.explain(indexed, 0, caption)
    maps = np.zeros_like(record.sparse_alignment.word_maps)  # (11, 100)
    seen = labels(item.known.scene)
    cover = mask_overlap(seen == 0, record.grid).reshape(-1)  # the helicopter's
    full, empty = int(cover.argmax()), int(cover.argmin())
    assert cover[empty] == 0
    maps[2, full] = 1.0  # "red"
    maps[3, full], maps[3, empty] = 0.25, 0.75  # "helicopter"
    maps[7, empty] = 1.0  # "dolphin"
    record = replace(record, sparse_alignment=replace(record.sparse_alignment, word_maps=maps))
    weights = {weight.word: weight for weight in weights_inside(record, item.known, caption, service.model.tokenizer)}
    assert set(weights) == {2, 3, 7}  # "a" has no weight, and "above" and "sea" name nothing
    assert weights[2].fraction == pytest.approx(cover[full])
    assert weights[3].fraction == pytest.approx(0.25 * cover[full])
    assert (weights[2].name, weights[2].objects) == ("the red helicopter", (0,))
    assert weights[7].name == "the dolphin"
    assert replace(weights[2], fraction=0.708).says == "71% of this word's weight lies inside the red helicopter."
    monkeypatch.setattr(scene_data, "labels", lambda scene: np.full((224, 224), -1))
    assert weights_inside(record, item.known, caption, service.model.tokenizer) == []  # nothing of them is seen


@pytest.mark.parametrize(
    ("caption", "expected"),
    [
        ("a red cup on the brown table.", [("a red cup", 0, (1,)), ("the brown table", 4, (0,))]),
        ("The little black hound, alone", [("The little black hound", 0, (2,))]),
        ("one mug and two balls", [("one mug", 0, (1,)), ("two balls", 3, (3,))]),
        ("a green cup", []),
        ("a large dog", []),
        ("a zebra in the desert", []),
        ("", []),
    ],
)
def test_any_caption_s_phrases_are_found(caption: str, expected: list[tuple[str, int, tuple[int, ...]]]) -> None:
    mentions = phrases_of(SceneAnnotation(CUP_ON_TABLE), caption)
    assert [(mention.phrase, mention.first_word, mention.objects) for mention in mentions] == expected


def test_the_generator_s_own_phrases_are_found_in_their_captions(registry: ModelRegistry) -> None:
    for item in registry.open("scenes")[1].gallery.items:
        assert item.known is not None
        for caption in item.captions:
            mentions = phrases_of(item.known, caption)
            assert mentions == dict(item.known.mentions)[caption]
            assert phrases_of(SceneAnnotation(item.known.scene), caption) == mentions


CENTRES = np.stack(np.meshgrid(np.arange(SIDE), np.arange(SIDE)), axis=-1).reshape(-1, 2) / SIDE + 0.5 / SIDE


def filled(lines: tuple[Line, ...]) -> NDArray[np.bool_]:
    """The pixels with centres inside an odd number of lines."""
    inside = np.zeros(SIDE * SIDE, dtype=int)
    for line in lines:
        inside += Path(np.reshape(line, (-1, 2))).contains_points(CENTRES)
    return (inside % 2 == 1).reshape(SIDE, SIDE)


def test_outlines_hold_the_masks_pixels() -> None:
    for index in range(3):
        scene = make_scene(0, "test", index)
        for outline in outlines(SceneAnnotation(scene), ""):
            np.testing.assert_array_equal(filled(outline.lines), labels(scene) == outline.number)

"""The values of the view "Generate", with a tiny generator of random weights: frames, statements, words, links."""

from __future__ import annotations

import re
from dataclasses import replace
from urllib.parse import parse_qsl

import numpy as np
import pytest
from PIL import Image

from demo.galleries.drawings import DRAWN
from demo.galleries.scenes import SCENES, scenes_gallery
from demo.record.table import ordinal
from demo.service.generating.rank import rank_drawing
from demo.service.generating.request import read_numbers
from demo.service.generating.service import GeneratingService, rank_among, read_true_share
from demo.service.generating.step import DrawnStep
from demo.service.registry import ModelRegistry
from demo.views.generate.attention_maps import find_looks, on_grid, shared_tokens
from demo.views.generate.statements import recaption_statements
from demo.views.generate.values import (
    EXAMPLES,
    GenerateState,
    beam_sentence,
    captioned_value,
    drawing_value,
    drawn_value,
    finish,
    finished,
    link_of,
    opened_generator,
    recaption_value,
    words_value,
)
from seps.explanation.caption_words import is_content
from seps.generator import ImageTextGenerator
from seps.scenes.reading import read_caption
from tests.helpers.generated import write_tiny_generator

TEXT = "a red dog next to a dog"


@pytest.fixture(scope="module")
def generator(tmp_path_factory: pytest.TempPathFactory) -> ImageTextGenerator:
    return ImageTextGenerator(write_tiny_generator(tmp_path_factory.mktemp("generator")), "cpu")


@pytest.fixture
def drawing(registry: ModelRegistry, generator: ImageTextGenerator, monkeypatch: pytest.MonkeyPatch) -> ModelRegistry:
    """The app's models with a generator, the scenes open."""
    monkeypatch.setattr(registry, "generating", GeneratingService(lambda: generator))
    registry.open(SCENES)
    return registry


def drawn(registry: ModelRegistry, count: int = 1) -> tuple[GenerateState, list[DrawnStep]]:
    """A finished drawing of ten steps, and the steps of it that are shown."""
    state = GenerateState(caption=TEXT, steps=10, seed=5, count=count)
    steps = list(opened_generator(registry).draw(state.asked))
    return finish(registry, state, steps), steps


def test_the_second_dog_of_one_list_is_the_second_of_the_other() -> None:
    tokens, others = ["[CLS]", "dog", "and", "dog", "[SEP]"], ["[CLS]", "a", "dog", "dog", "[SEP]"]
    assert shared_tokens(tokens, others) == [(1, 2), (3, 3)]


def test_shares_keep_their_sum_on_another_grid() -> None:
    weights = np.arange(12.0).reshape(3, 4) / 66
    np.testing.assert_array_equal(on_grid(weights, (3, 4)), weights)
    wide = on_grid(weights, (6, 8))
    np.testing.assert_allclose(wide, np.repeat(np.repeat(weights, 2, 0), 2, 1) / 4)
    for grid in ((2, 5), (1, 1), (10, 10)):
        assert on_grid(weights, grid).sum() == pytest.approx(1)
    np.testing.assert_allclose(on_grid(wide, (3, 4)), weights)


def test_a_caption_has_its_words_attention(drawing: ModelRegistry, generator: ImageTextGenerator) -> None:
    picture = Image.new("RGB", (40, 30), "red")
    beams = generator.write([picture])[0]
    value = captioned_value(picture, "mine.png", beams, None)
    assert "only ever seen drawn scenes" in value["note"]
    assert value["beams"][0]["truth"] is None
    scene = scenes_gallery().items[0].known
    assert scene is not None
    of_scene = captioned_value(picture, "0", beams, scene.scene)
    assert of_scene["note"] == ""
    assert of_scene["beams"][0]["truth"]["summary"].startswith("True of the scene")
    first = value["beams"][0]
    assert len(value["beams"]) == len(beams)
    assert [word["label"] for word in first["words"]] == list(beams[0].words)
    assert first["maps"]["shape"] == [len(first["words"]), first["grid"][0] * first["grid"][1]]
    assert (value["photo"]["width"], value["photo"]["height"], value["photo"]["title"]) == (40, 30, "mine.png")


@pytest.mark.parametrize(
    ("numbers", "message"),
    [
        ((9, 3, 0), "steps is '9', but a whole number from 10 to 100 is needed"),
        ((10.5, 3, 0), "steps is '10.5'"),
        ((30, 16, 0), "guidance is '16'"),
        ((30, "nan", 0), "guidance is 'nan'"),
        ((30, 3, -1), "seed is '-1', but a whole number from 0 to 2,147,483,647 is"),
        ((30, 3, None), "seed is 'None', but a whole number from 0 to 2,147,483,647"),
        ((30, 3, 0, 5), "count is '5', but a whole number from 1 to 4 is needed"),
    ],
    ids=str,
)
def test_wrong_numbers_are_told(numbers: tuple[object, ...], message: str) -> None:
    with pytest.raises(ValueError, match=re.escape(message)):
        read_numbers(*numbers)


def test_without_a_generator_or_a_drawing_it_is_told(registry: ModelRegistry) -> None:
    with pytest.raises(ValueError, match="No generator ships with this copy of the app"):
        opened_generator(registry)
    with pytest.raises(ValueError, match="Nothing is drawn yet"):
        finished(GenerateState())


def test_examples_can_be_written_by_the_grammar() -> None:
    for caption in EXAMPLES:
        reading = read_caption(caption)
        assert not reading.unread, caption
        assert reading.statements


def test_a_drawing_on_its_way_has_its_pictures(drawing: ModelRegistry) -> None:
    state, steps = drawn(drawing, 2)
    value = drawing_value(state, steps[0])
    assert (value["done"], value["of"], value["seeds"], value["scores"]) == (1, 10, [5, 6], [])
    assert [source.partition(",")[0] for source in value["pictures"]] == ["data:image/jpeg;base64"] * 2
    assert value["says"].startswith("Step 1 of 10")


def test_a_finished_drawing_is_explained(drawing: ModelRegistry) -> None:
    state, steps = drawn(drawing, 2)
    assert finished(state).pictures == tuple(steps[-1].pictures)
    assert state.nbytes > len(steps) * 2 * 3 * 32 * 32
    service, scenes = drawing.find(SCENES)
    state = replace(state, index=1)
    value, words = drawn_value(state, service), words_value(drawing, state)
    read = opened_generator(drawing).recaption(finished(state).pictures[1], TEXT)
    recaption = recaption_value(read, rank_drawing(service, scenes, finished(state).indexed, 1, TEXT))
    assert (value["chosen"], value["says"]) == (1, "Drawn with seed 6 in 10 steps.")
    assert len(value["pictures"]) == len(value["scores"]) == 2
    similarity = service.explain(finished(state).indexed, 1, TEXT).similarity
    rank = rank_among(similarity, service.rank_images(scenes, TEXT).scores)
    assert value["scores"][1] == f"score {similarity:.3f}"
    assert f"in the {ordinal(rank)} place among 201 pictures" in recaption["standing"]
    assert recaption["numbers"][0].endswith(
        f"with S(I, T) {similarity:.3f}: rank {rank} of 201, with the 200 scenes of the gallery."
    )
    assert recaption["statements"] == [
        {"says": statement.says, "verdict": statement.verdict} for statement in recaption_statements(read)
    ]
    assert recaption["summary"].startswith(f"Of your caption's {len(recaption_statements(read))} statements: ")
    assert recaption["beams"] == [beam.text for beam in read.best]
    assert recaption["numbers"][1:] == [beam_sentence(beam) for beam in read.best]
    fraction = read_true_share()
    assert fraction is not None
    assert f"{100 * fraction:.0f}% of what it says is true" in recaption["note"]
    assert words["photo"]["title"] == "seed 6"
    assert finished(state).indexed.gallery.name == DRAWN
    assert [word["label"] for word in words["words"]] == TEXT.split()


def test_both_maps_of_a_word_add_up_to_one_on_one_grid(drawing: ModelRegistry) -> None:
    state, _ = drawn(drawing)
    record = drawing.of(SCENES).explain(finished(state).indexed, 0, TEXT)
    tokens = opened_generator(drawing).tokens(TEXT)
    looks = find_looks(tokens, finished(state).attention[0], record)
    for look in looks:
        assert look.unet.shape == look.seps.shape == record.grid
        assert look.unet.sum() == pytest.approx(1, abs=1e-5)
        assert look.seps.sum() == pytest.approx(1, abs=1e-5) or not look.seps.any()
        assert look.high == max(look.unet.max(), look.seps.max())
        seen = record.on_grid(record.sparse_alignment.word_maps[look.word])
        np.testing.assert_allclose(look.seps, seen, atol=1e-5)
    words = words_value(drawing, state)
    count = len(looks)
    assert words["unet"]["shape"] == words["seps"]["shape"] == [count, record.grid[0] * record.grid[1]]
    assert words["words"][0]["unet"].startswith("Where it looked for “a” while it drew")
    assert "cross-attention to “a”" in words["words"][0]["numbers"][0]
    assert all("SEPS" in word["seps"] for word in words["words"])
    labels = record.sparse_alignment.words
    assert labels[words["selected"]] == next(word for word in labels[1:] if is_content(word))


def test_a_link_draws_the_same() -> None:
    state = GenerateState(caption="a dog & a \u201ccat\u201d", steps=20, guidance=2.5, seed=7, count=4)
    query = dict(parse_qsl(link_of(state).lstrip("?")))
    assert (query["steps"], query["seed"], query["guidance"], query["count"]) == ("20", "7", "2.5", "4")
    assert query["caption"] == state.caption
    assert link_of(GenerateState()) == "?view=generate"

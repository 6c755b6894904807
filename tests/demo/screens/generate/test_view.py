"""The view "Generate": it is hidden without a generator, draws in frames, can be stopped, and links draw again."""

from __future__ import annotations

from pathlib import Path
from typing import Any
from urllib.parse import parse_qsl

import numpy as np
import pytest

from demo.galleries.drawings import DRAWN
from demo.galleries.scenes import SCENES
from demo.opening.write import draw_precomputed
from demo.record.language import CHINESE, sentences, speaking
from demo.views.generate.values import EXAMPLES, GenerateState, link_of
from demo.views.generate.view import draw_frames, ended
from demo.views.link import waited_for
from demo.views.session import fill
from demo.service.generating.precomputed import read_precomputed, save_precomputed
from demo.service.generating.service import GeneratingService
from demo.service.registry import ModelRegistry
from seps.generator import ImageTextGenerator
from tests.helpers.generated import write_tiny_generator

TEXT = "a red dog next to a cat"


@pytest.fixture(scope="module")
def generator(tmp_path_factory: pytest.TempPathFactory) -> ImageTextGenerator:
    return ImageTextGenerator(write_tiny_generator(tmp_path_factory.mktemp("generator")), "cpu")


@pytest.fixture
def drawing(registry: ModelRegistry, generator: ImageTextGenerator, monkeypatch: pytest.MonkeyPatch) -> ModelRegistry:
    """The app's models with a generator that is not open yet."""
    monkeypatch.setattr(registry, "generating", GeneratingService(lambda: generator))
    return registry


def opened(registry: ModelRegistry, query: str, view: str = "generate") -> list[Any]:
    """The values of the view that a query leads to."""
    seen, values = fill(registry, dict(parse_qsl(query.lstrip("?"))))
    assert seen == view
    return values[view]


def test_without_a_generator_a_link_to_it_is_told(registry: ModelRegistry) -> None:
    assert "This link leads to the generator, which is not here" in opened(registry, "?view=generate", "search")[0]


def test_the_generator_is_waited_for_once(drawing: ModelRegistry) -> None:
    drawing.open(SCENES)
    assert "The generator is loaded" in waited_for(drawing, {"view": "generate"})
    assert waited_for(drawing, {"view": "search"}) == ""
    assert drawing.generating is not None
    drawing.generating.open()
    assert waited_for(drawing, {"view": "generate"}) == ""


def test_it_opens_with_an_example_that_is_not_drawn(drawing: ModelRegistry) -> None:
    status, caption, steps, guidance, seed, value, recaption, words, looks, state, strip, photos = opened(
        drawing, "?view=generate"
    )
    assert photos is None  # there is no captioner of photographs here
    assert (status, caption, steps, guidance, seed) == ("", EXAMPLES[0], 30, 8.0, 0)
    assert (value["ask"], value["pictures"], recaption, words, looks) == (None, [], None, None, None)
    assert value["says"].startswith("Nothing drawn yet")
    assert (state.caption, state.gallery, len(strip["items"]), strip["selected"]) == ("", DRAWN, 200, None)


def test_it_opens_with_a_drawing_that_was_made_beforehand(
    drawing: ModelRegistry, generator: ImageTextGenerator, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = tmp_path / "drawing.safetensors"
    made = draw_precomputed(GeneratingService(lambda: generator))
    save_precomputed(made, "digest", file)
    assert read_precomputed("another", file) is None
    assert read_precomputed("digest", tmp_path / "nowhere") is None
    service = GeneratingService(lambda: generator, lambda: read_precomputed("digest", file))
    monkeypatch.setattr(drawing, "generating", service)
    status, caption, *numbers, value, recaption, words, looks, state, _, _ = opened(drawing, "?view=generate")
    assert (status, caption, numbers) == ("", EXAMPLES[0], [30, 8.0, 0])
    assert value["says"].startswith("Drawn beforehand with seed 0 in 30 steps")
    assert (len(value["film"]), value["film"][-1]) == (10, value["pictures"][0])
    *_, last = draw_frames(drawing, GenerateState(caption=EXAMPLES[0]))  # the same as when it is drawn now
    for shown, drawn in ((value["pictures"], last[1]["pictures"]), (recaption["statements"], last[2]["statements"])):
        assert shown == drawn
    assert [word["label"] for word in looks["words"]] == [word["label"] for word in last[4]["words"]]
    assert words["record"] == last[3]["record"]
    assert np.abs(state.drawn.attention - last[-1].drawn.attention).max() < 1e-3  # kept in half precision
    file.write_bytes(b"damaged")
    assert opened(drawing, "?view=generate")[5]["says"].startswith("Nothing drawn yet")


def test_a_link_asks_for_its_drawing(drawing: ModelRegistry) -> None:
    state = GenerateState(caption=TEXT, steps=20, guidance=1.5, seed=9, count=4)
    values = opened(drawing, link_of(state))
    assert values[1:5] == [TEXT, 20, 1.5, 9]
    assert values[5]["ask"] == {"caption": TEXT, "steps": 20, "guidance": 1.5, "seed": 9, "count": 4}
    assert values[5]["link"] == link_of(state)
    of_example = opened(drawing, "?view=generate&seed=7")
    assert of_example[5]["link"] == link_of(GenerateState(caption=EXAMPLES[0], seed=7))


@pytest.mark.parametrize(
    ("query", "message"),
    [
        ("?view=generate&caption=%F0%9F%90%B6", "knows none of the words"),
        ("?view=generate&caption=a+dog&steps=1000", "In this link steps is"),
        ("?view=generate&caption=a+dog&guidance=none", "In this link guidance is"),
        ("?view=generate&caption=a+dog&seed=-4", "In this link seed is"),
        ("?view=generate&steps=1000", "In this link steps is"),
        ("?view=generate&seed=x", "In this link seed is"),
        ("?view=generate&caption=a+dog&count=9", "In this link count is"),
    ],
)
def test_a_wrong_link_is_told_above_the_worked_example(drawing: ModelRegistry, query: str, message: str) -> None:
    assert message in opened(drawing, query, "search")[0]


def test_a_drawing_comes_in_frames_and_is_explained_at_its_end(drawing: ModelRegistry) -> None:
    values = list(draw_frames(drawing, GenerateState(caption=f"  {TEXT} ", steps=10, seed=3, count=2, index=1)))
    begun, *frames, (_, value, recaption, words, looks, state) = values
    assert begun[1]["pictures"] == []
    assert begun[-1].caption == TEXT
    assert begun[-1].drawn is None
    assert ["waiting" in value for value in begun[2:5]] == [True] * 3
    assert [frame[1]["done"] for frame in frames] == list(range(1, 11))
    assert {len(frame[1]["pictures"]) for frame in frames} == {2}
    assert (value["done"], len(value["scores"]), value["chosen"], state.seeds) == (10, 2, 0, (3, 4))
    assert {value[1]["link"] for value in values} == {link_of(state)}
    assert recaption["statements"]
    assert words["record"]
    assert [word["label"] for word in looks["words"]] == TEXT.split()


def test_words_outside_the_vocabulary_are_named(drawing: ModelRegistry) -> None:
    status = next(draw_frames(drawing, GenerateState(caption="a zyzzyva next to a dog", steps=10)))[0]
    assert "zyzzyva" in status
    status = next(draw_frames(drawing, GenerateState(caption="a dog playing", steps=10)))[0]
    assert "The nearest words that it knows: playing: lying, flying, leaping." in status
    with speaking(CHINESE):
        assert "playing: lying, flying, leaping" in sentences(status)
        assert "生成器不认识这些词" in sentences(status) and "最相近的词" in sentences(status)
    with pytest.raises(ValueError, match=r"knows none of the words.*playing: lying, flying, leaping"):
        next(draw_frames(drawing, GenerateState(caption="playing", steps=10)))
    with pytest.raises(ValueError, match="The caption is empty"):
        next(draw_frames(drawing, GenerateState(caption=" ")))


def test_a_stopped_drawing_leaves_no_explanation(drawing: ModelRegistry) -> None:
    frames = draw_frames(drawing, GenerateState(caption=TEXT, steps=10))
    state = next(frames)[-1]
    next(frames)
    frames.close()  # type: ignore[attr-defined]
    value, *others, left = ended(state)
    assert value["stopped"]
    assert value["says"].startswith("Stopped")
    assert (others, left) == ([None] * 3, state)
    *_, last = draw_frames(drawing, GenerateState(caption=TEXT, steps=10))  # another one can be drawn
    assert last[-1].drawn is not None

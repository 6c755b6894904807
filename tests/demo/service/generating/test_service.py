"""The generator as the app uses it: the library's pictures, drawn in turn, with a tiny one of random weights."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from demo.service.generating import service as module
from demo.service.generating.request import DrawingRequest
from demo.service.generating.service import GeneratingService, generator_ships, rank_among
from demo.service.generating.step import GENERATOR
from demo.views.generate.statements import recaption_statements
from seps.generator import ImageTextGenerator
from tests.helpers.generated import write_tiny_generator

ROOT = Path(__file__).parents[4]
TEXT = "a red car next to a small dog"


@pytest.fixture(scope="module")
def generator(tmp_path_factory: pytest.TempPathFactory) -> ImageTextGenerator:
    return ImageTextGenerator(write_tiny_generator(tmp_path_factory.mktemp("generator")), "cpu")


@pytest.fixture
def generating(generator: ImageTextGenerator) -> GeneratingService:
    return GeneratingService(lambda: generator)


def assert_same(first: Sequence[Image.Image], second: Sequence[Image.Image]) -> None:
    assert len(first) == len(second)
    for picture, other in zip(first, second, strict=True):  # attention that is watched is summed in another order
        assert np.abs(np.asarray(picture, dtype=int) - np.asarray(other, dtype=int)).max() <= 1


def test_frames_are_the_librarys_and_the_last_has_the_attention(
    generating: GeneratingService, generator: ImageTextGenerator
) -> None:
    assert not generating.is_open
    shown = list(generating.draw(DrawingRequest(TEXT, 25, 3.0, (4,))))
    assert generating.is_open
    assert [step.step for step in shown] == [*range(3, 25, 3), 25]
    assert {step.steps for step in shown} == {25}
    expected = list(generator.frames(TEXT, 25, 4, 3.0, every=3))
    assert_same([step.pictures[0] for step in shown], [step.picture for step in expected])
    assert [step.attention is None for step in shown] == [True] * 8 + [False]
    maps = shown[-1].attention
    assert maps is not None
    size = generator.network.config.latent_size
    tokens = generator.network.tokenizer.encode(TEXT, 24)
    assert maps.shape == (1, len(tokens), size, size)
    np.testing.assert_allclose(maps.sum(axis=(2, 3)), 1, atol=1e-5)


def test_drawings_take_turns_and_one_that_is_stopped_leaves_nothing(generating: GeneratingService) -> None:
    first_asked, two = DrawingRequest(TEXT, 5, 2.0, (1, 2)), DrawingRequest("two dogs", 5, 2.0, (3, 4))
    alone = [list(generating.draw(asked)) for asked in (first_asked, two)]
    stopped = generating.draw(first_asked)
    next(stopped)
    first, second = generating.draw(first_asked), generating.draw(two)
    in_turn = list(zip(first, second, strict=True))
    stopped.close()  # type: ignore[attr-defined]
    for turns, expected in zip(zip(*in_turn, strict=True), alone, strict=True):
        for drawn, alone_step in zip(turns, expected, strict=True):
            assert_same(drawn.pictures, alone_step.pictures)
        assert turns[-1].attention is not None
        assert expected[-1].attention is not None
        np.testing.assert_allclose(turns[-1].attention, expected[-1].attention, atol=1e-5)


def test_a_picture_is_read_back(generating: GeneratingService, generator: ImageTextGenerator) -> None:
    picture = generator.text_to_image(TEXT, 2, seed=0)
    read = generating.recaption(picture, TEXT)
    assert [caption.text for caption in read.best] == [caption.text for caption in generator.write([picture])[0]]
    assert [statement.says for statement in recaption_statements(read)] == [
        "there is: car",
        "the car is red",
        "there is: dog",
        "the dog is small",
        "the car is next to the dog",
    ]
    assert recaption_statements(generating.recaption(picture)) == []


def test_bad_requests_are_refused(generating: GeneratingService) -> None:
    with pytest.raises(ValueError, match="The caption is empty"):
        next(generating.draw(DrawingRequest(" ", 5, 2.0, (1,))))
    with pytest.raises(ValueError, match="num_inference_steps is 0"):
        next(generating.draw(DrawingRequest(TEXT, 0, 2.0, (1,))))
    with pytest.raises(ValueError, match="seed is -1, but a whole number of at least 0 is needed"):
        next(generating.draw(DrawingRequest(TEXT, 5, 2.0, (-1,))))


def test_a_place_among_a_gallerys_pictures() -> None:
    assert [rank_among(score, [3.0, 2.0, 1.0]) for score in (4.0, 2.0, 1.5, 0.0)] == [1, 2, 3, 4]


@pytest.mark.parametrize("draws", [True, False])
def test_a_generator_that_draws_nothing_does_not_count(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, draws: bool
) -> None:
    folder = write_tiny_generator(tmp_path, draws)
    monkeypatch.setattr(module, "shipped_models", lambda file: {"generator": folder} if file == GENERATOR else {})
    assert generator_ships() is draws
    assert not generator_ships("other")


def test_neither_diffusers_nor_the_generator_is_imported_before_its_first_use() -> None:
    code = "import sys, demo.service.generating.service as g; g.generator_ships(); print('diffusers' in sys.modules)"
    result = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True)
    assert result.stdout.strip() == "False"

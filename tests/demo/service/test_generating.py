"""The generator as the app uses it: the library's pictures, drawn in turn, with a tiny one of random weights."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from demo.service import generating as module
from demo.service.asked import Asked
from demo.service.drawn_step import GENERATOR
from demo.service.generating import GeneratingService, generator_ships, rank_among
from seps.generator import ImageTextGenerator
from tests.helpers.generated import write_tiny_generator

ROOT = Path(__file__).parents[3]
TEXT = "a red car next to a small dog"


@pytest.fixture(scope="module")
def generator(tmp_path_factory: pytest.TempPathFactory) -> ImageTextGenerator:
    return ImageTextGenerator(write_tiny_generator(tmp_path_factory.mktemp("generator")), "cpu")


@pytest.fixture
def generating(generator: ImageTextGenerator) -> GeneratingService:
    return GeneratingService(lambda: generator)


def assert_same(first: Sequence[Image.Image], second: Sequence[Image.Image]) -> None:
    assert len(first) == len(second)
    for one, other in zip(first, second, strict=True):  # attention that is watched is summed in another order
        assert np.abs(np.asarray(one, dtype=int) - np.asarray(other, dtype=int)).max() <= 1


def test_frames_are_the_librarys_and_the_last_has_the_attention(
    generating: GeneratingService, generator: ImageTextGenerator
) -> None:
    assert not generating.is_open
    shown = list(generating.draw(Asked(TEXT, 25, 3.0, (4,))))
    assert generating.is_open
    assert [one.step for one in shown] == [*range(3, 25, 3), 25]
    assert {one.steps for one in shown} == {25}
    wanted = list(generator.frames(TEXT, 25, 4, 3.0, every=3))
    assert_same([one.pictures[0] for one in shown], [one.picture for one in wanted])
    assert [one.attention is None for one in shown] == [True] * 8 + [False]
    maps = shown[-1].attention
    assert maps is not None
    size = generator.network.config.latent_size
    tokens = generator.network.tokenizer.encode(TEXT, 24)
    assert maps.shape == (1, len(tokens), size, size)
    np.testing.assert_allclose(maps.sum(axis=(2, 3)), 1, atol=1e-5)


def test_drawings_take_turns_and_one_that_is_stopped_leaves_nothing(generating: GeneratingService) -> None:
    one, two = Asked(TEXT, 5, 2.0, (1, 2)), Asked("two dogs", 5, 2.0, (3, 4))
    alone = [list(generating.draw(asked)) for asked in (one, two)]
    stopped = generating.draw(one)
    next(stopped)
    first, second = generating.draw(one), generating.draw(two)
    in_turn = list(zip(first, second, strict=True))
    stopped.close()  # type: ignore[attr-defined]
    for turns, own in zip(zip(*in_turn, strict=True), alone, strict=True):
        for found, wanted in zip(turns, own, strict=True):
            assert_same(found.pictures, wanted.pictures)
        assert turns[-1].attention is not None
        assert own[-1].attention is not None
        np.testing.assert_allclose(turns[-1].attention, own[-1].attention, atol=1e-5)


def test_a_picture_is_read_back(generating: GeneratingService, generator: ImageTextGenerator) -> None:
    picture = generator.text_to_image(TEXT, 2, seed=0)
    read = generating.read_back(picture, TEXT)
    assert [one.text for one in read.best] == [one.text for one in generator.write([picture])[0]]
    assert [one.says for one in read.statements] == [
        "there is: car",
        "the car is red",
        "there is: dog",
        "the dog is small",
        "the car is next to the dog",
    ]
    assert generating.read_back(picture).statements == []


def test_bad_requests_are_refused(generating: GeneratingService) -> None:
    with pytest.raises(ValueError, match="caption is empty"):
        next(generating.draw(Asked(" ", 5, 2.0, (1,))))
    with pytest.raises(ValueError, match="num_inference_steps"):
        next(generating.draw(Asked(TEXT, 0, 2.0, (1,))))
    with pytest.raises(ValueError, match="seed"):
        next(generating.draw(Asked(TEXT, 5, 2.0, (-1,))))


def test_a_place_among_a_gallerys_pictures() -> None:
    assert [rank_among(one, [3.0, 2.0, 1.0]) for one in (4.0, 2.0, 1.5, 0.0)] == [1, 2, 3, 4]


@pytest.mark.parametrize("draws", [True, False])
def test_a_generator_that_draws_nothing_does_not_count(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, draws: bool
) -> None:
    folder = write_tiny_generator(tmp_path, draws)
    monkeypatch.setattr(module, "shipped_models", lambda file: {"generator": folder} if file == GENERATOR else {})
    assert generator_ships() is draws
    assert not generator_ships("other")


def test_neither_diffusers_nor_the_generator_is_imported_before_its_first_use() -> None:
    code = "import sys, demo.service.generating as g; g.generator_ships(); print('diffusers' in sys.modules)"
    found = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True)
    assert found.stdout.strip() == "False"

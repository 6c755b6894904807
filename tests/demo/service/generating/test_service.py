from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from demo.service.generating import service as module
from demo.service.generating.precomputed import GENERATOR
from demo.service.generating.request import DrawingRequest
from demo.service.generating.service import GeneratingService, generator_ships
from seps.generator import ImageTextGenerator
from tests.helpers.models.generated import write_tiny_generator

TEXT = "a red car next to a small dog"


@pytest.fixture
def generating(generator: ImageTextGenerator) -> GeneratingService:
    return GeneratingService(lambda: generator)


def assert_same(first: Sequence[Image.Image], second: Sequence[Image.Image]) -> None:
    assert len(first) == len(second)
    for picture, other in zip(first, second, strict=True):  # attention that is watched is summed in another order
        assert np.abs(np.asarray(picture, dtype=int) - np.asarray(other, dtype=int)).max() <= 1


def test_frames_are_the_librarys_and_the_last_has_the_attention(
    generating: GeneratingService, generator: ImageTextGenerator, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "FRAMES", 3)
    shown = list(generating.draw(DrawingRequest(TEXT, 5, 3.0, (4,))))
    assert [(step.step, step.steps) for step in shown] == [(2, 5), (4, 5), (5, 5)]
    *drawn, last = generator.draw([TEXT], 5, [4], 3.0)
    latents = [*(step.clean for step in drawn if step.step % 2 == 0), last.latents]
    assert_same([step.pictures[0] for step in shown], [generator.decode(each)[0] for each in latents])
    assert [step.attention is None for step in shown] == [True, True, False]
    maps = shown[-1].attention
    assert maps is not None
    size = generator.network.config.latent_size
    tokens = generator.network.tokenizer.encode(TEXT, 24)
    assert maps.shape == (1, len(tokens), size, size)
    np.testing.assert_allclose(maps.sum(axis=(2, 3)), 1, atol=1e-5)


def test_drawings_take_turns_and_one_that_is_stopped_leaves_nothing(generating: GeneratingService) -> None:
    first_asked, two = DrawingRequest(TEXT, 3, 2.0, (1, 2)), DrawingRequest("two dogs", 3, 2.0, (3, 4))
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


@pytest.mark.parametrize("draws", [True, False])
def test_a_generator_that_draws_nothing_does_not_count(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, draws: bool
) -> None:
    folder = write_tiny_generator(tmp_path, draws)
    monkeypatch.setattr(module, "shipped_models", lambda file: {"generator": folder} if file == GENERATOR else {})
    assert generator_ships() is draws
    assert not generator_ships("other")

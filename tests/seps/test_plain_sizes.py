from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import torch
from PIL import Image
from torch.overrides import TorchFunctionMode

from seps import ScoringEngine
from seps.generator.generator import ImageTextGenerator
from tests.helpers.models.generated import write_tiny_generator
from tests.helpers.models.judged import tiny_judge, write_tiny_clip
from tests.helpers.models.tiny import tiny_model_with_classes

PICTURES = [Image.new("RGB", (64, 48), colour) for colour in ("red", "navy")]


class PlainSizes(TorchFunctionMode):
    """Returns sizes as tuples, without the methods of `torch.Size`."""

    def __torch_function__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        result = func(*args, **(kwargs or {}))
        return tuple(result) if isinstance(result, torch.Size) else result


@pytest.fixture(autouse=True)
def plain_sizes() -> Iterator[None]:
    with PlainSizes():
        assert type(torch.ones(2).shape) is tuple
        yield


def test_a_model_encodes_ranks_and_explains(bert: Path) -> None:
    model = tiny_model_with_classes(bert)
    engine = ScoringEngine(model.cross_net)
    images = engine.encode_images(model.encode_photos(PICTURES))
    captions = engine.encode_captions(*model.encode_captions(["a dog", "snow"]))
    assert engine.score(images, captions).isfinite().all()
    caption = engine.encode_captions(*model.encode_captions(["a dog"]))
    assert sorted(engine.rank_images(caption, images).indices.tolist()) == [0, 1]
    assert model.explain(PICTURES[0], "a dog").sparse.kept.any()


def test_a_judge_judges(tmp_path: Path) -> None:
    judge = tiny_judge(write_tiny_clip(tmp_path))
    assert 0 <= judge.score(PICTURES[0], "a red picture").quality.final <= 1


def test_a_generator_draws_and_writes(tmp_path: Path) -> None:
    generator = ImageTextGenerator(write_tiny_generator(tmp_path))
    drawn = generator.text_to_image("a red car", num_inference_steps=2, seed=0)
    assert drawn.size == (32, 32) and generator.write([drawn])[0]

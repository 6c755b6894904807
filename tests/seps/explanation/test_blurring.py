from pathlib import Path
from typing import Any
from unittest.mock import Mock

import numpy as np
import pytest
import torch
from PIL import Image, ImageFilter

from seps import split_similarity
from seps.explanation import blurring
from seps.explanation.blurring import measure_blurred
from seps.models.model import SEPSModel
from tests.helpers.models.tiny import tiny_model

SIZE, SIDE, ACROSS = 64, 16, 4  # pixels of the model's picture and of a patch of it, and patches in a row


@pytest.fixture
def model(bert: Path) -> SEPSModel:
    return tiny_model(bert, image_size=SIZE)


@pytest.fixture
def photo() -> Image.Image:
    return Image.fromarray(torch.randint(0, 256, (90, 130, 3), dtype=torch.uint8).numpy())


def loop(model: SEPSModel, photo: Image.Image, radius: float, *captions: Any, **masks: Any) -> tuple[Any, Any]:
    """S minus S of the photograph with one patch blurred, (N,), and of each word's share of the mean, (L, N)."""
    squashed = photo.resize((SIZE, SIZE), Image.Resampling.BICUBIC)
    blurred = np.array(squashed.filter(ImageFilter.GaussianBlur(radius)))
    base = model.explain(squashed, *captions, **masks)
    effects, words = [], []
    for patch in range(ACROSS**2):
        top, left = SIDE * (patch // ACROSS), SIDE * (patch % ACROSS)
        pixels = np.array(squashed)
        pixels[top : top + SIDE, left : left + SIDE] = blurred[top : top + SIDE, left : left + SIDE]
        record = model.explain(Image.fromarray(pixels), *captions, **masks)
        effects.append(base.similarity - record.similarity)
        both = (split_similarity(model.cross_net, explained)[0].word_means for explained in (base, record))
        words.append(np.subtract(*both))
    return np.array(effects), np.array(words).T


def test_blurred_patches_equal_a_loop(model: SEPSModel, photo: Image.Image, monkeypatch: pytest.MonkeyPatch) -> None:
    captions = ("a dog runs.", "dogs running a a a a")
    monkeypatch.setattr(blurring, "TOGETHER", 7)  # the last batch is smaller
    result = measure_blurred(model, photo, *captions)
    effects, words = loop(model, photo, SIDE, *captions)
    assert np.abs(effects).max() > 1e-4
    np.testing.assert_allclose(result.effects, effects, atol=2e-6)
    np.testing.assert_allclose(result.word_effects, words, atol=2e-6)
    assert result.similarity == pytest.approx(model.explain(photo, *captions).similarity, abs=1e-6)


def test_a_decision_and_a_radius_hold_for_every_picture(model: SEPSModel, photo: Image.Image) -> None:
    mask = np.random.default_rng(1).random(ACROSS**2) < 0.3
    result = measure_blurred(model, photo, "snow", mask=mask, radius=3.0)
    np.testing.assert_allclose(result.effects, loop(model, photo, 3.0, "snow", mask=mask)[0], atol=2e-6)


def test_pictures_may_be_encoded_elsewhere_and_are_counted(model: SEPSModel, photo: Image.Image) -> None:
    encode, bar = Mock(side_effect=model.encode_photos), Mock(side_effect=lambda items, desc: items)
    measure_blurred(model, photo, "snow", encode=encode, progress=bar)
    sizes = [len(call.args[0]) for call in encode.call_args_list]
    assert sizes == [1, 14, 2]
    assert len(bar.call_args.args[0]) == 2 and bar.call_args.kwargs == {"desc": "Encoding blurred pictures"}


def test_what_blurring_refuses(model: SEPSModel, photo: Image.Image) -> None:
    with pytest.raises(ValueError, match=r"radius is 0\.0, but it must be greater than 0 and finite"):
        measure_blurred(model, photo, "snow", radius=0.0)
    with pytest.raises(ValueError, match="mask keeps 0 of 16 patches"):
        measure_blurred(model, photo, "snow", mask=np.zeros(ACROSS**2, dtype=np.bool_))

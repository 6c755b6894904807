"""The benchmark of blurred patches encodes the pictures that `measure_blurred` encodes."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pytest
import torch
from PIL import Image
from torch import Tensor

from seps import measure_blurred
from tests.bench.blurred import blurred_pictures, blurred_side_by_side
from tests.helpers.tiny import tiny_model


def test_as_measured_and_in_one_pass_are_the_same(bert: Path, capsys: pytest.CaptureFixture[str]) -> None:
    result = blurred_side_by_side(tiny_model(bert), "small", 2)
    assert result["difference"] < 1e-5
    assert result["seconds"] > 0 and result["ratio"] == result["batch_seconds"] / result["seconds"]
    assert "14 blurred pictures of 100   as measured" in capsys.readouterr().out


def test_pictures_are_those_that_are_measured(bert: Path) -> None:
    model = tiny_model(bert)
    encoded: list[list[Image.Image]] = []

    def encode(pictures: Sequence[Image.Image]) -> Tensor:
        encoded.append(list(pictures))
        return model.encode_photos(pictures)

    noise = torch.randint(256, (64, 64, 3), generator=torch.Generator().manual_seed(0), dtype=torch.uint8)
    measure_blurred(model, Image.fromarray(noise.numpy()), "a dog", encode=encode)
    assert [picture.tobytes() for picture in blurred_pictures(model)] == [picture.tobytes() for picture in encoded[1]]

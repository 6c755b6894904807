import copy
import re
from pathlib import Path
from typing import Any

import pytest
import torch
from PIL import Image
from torch import nn

from seps.judge.config import EncoderConfig
from seps.judge.encoders import SepsEncoders, build_encoders, fold_batch_norms, to_pixels
from seps.models.hub import load_model
from seps.models.model import SEPSModel


def test_a_clip_from_a_folder_gives_unit_embeddings(clip: Path) -> None:
    encoders = build_encoders(EncoderConfig("clip", str(clip)))
    pixels = to_pixels([Image.new("RGB", (50, 30), "red"), Image.new("L", (20, 20))], encoders.pixels)
    with torch.no_grad():
        image, text = encoders.pictures(pixels).image, encoders.prompts(["a dog", "red " * 90])
    assert image.norm(dim=-1) == pytest.approx(torch.ones(2)) and text.norm(dim=-1) == pytest.approx(torch.ones(2))
    assert encoders.with_patches(pixels)[1] is None
    with pytest.raises(ValueError, match=r"encoder\.freeze_layers\.vision is 4"):
        build_encoders(EncoderConfig("clip", str(clip), "layers", {"vision": 4, "text": 0}))


@pytest.fixture(scope="module")
def shipped() -> SEPSModel:
    return load_model("judge/encoders")


def test_encoders_that_cannot_be_built(tmp_path: Path, bert: Path, model: SEPSModel, shipped: SEPSModel) -> None:
    (tmp_path / "config.json").write_text('{"model_type": "clip"}')
    for config, message in (
        (EncoderConfig("clip", str(bert)), "config.json describes no CLIP"),
        (EncoderConfig("clip", str(tmp_path)), "holds no whole CLIP"),
    ):
        with pytest.raises(ValueError, match=re.escape(message)):
            build_encoders(config)
    for encoders, message in ((model, "test_vit has no stages that a judge reads"), (shipped, "encoder.stages has 9")):
        with pytest.raises(ValueError, match=re.escape(message)):
            SepsEncoders(encoders, (9,))


@pytest.fixture(scope="module")
def photos(shipped: SEPSModel) -> SepsEncoders:
    return SepsEncoders(copy.deepcopy(shipped), (2, 3, 5, 7))


@pytest.fixture(scope="module")
def picture() -> Image.Image:
    return Image.effect_noise((300, 200), 60).convert("RGB")


def test_the_mean_patch_is_what_quality_is_computed_from(photos: SepsEncoders, picture: Image.Image) -> None:
    pixels = to_pixels([picture], photos.pixels)
    features, patches = photos.with_patches(pixels)
    assert patches is not None and patches.shape == (1, 196, photos.quality_width)
    assert photos.quality_width == 2 * (24 + 40 + 112 + 320)
    torch.testing.assert_close(patches.mean(dim=1), features.quality)
    maps = photos.maps(pixels)
    torch.testing.assert_close(features.quality[:, :24], maps[2].mean(dim=(2, 3)), rtol=1e-3, atol=1e-4)
    deviation = maps[2].flatten(2).std(dim=-1, correction=0)
    torch.testing.assert_close(features.quality[:, 24:48], deviation, rtol=1e-3, atol=1e-3)


def test_consistency_takes_pooled_embeddings(photos: SepsEncoders, picture: Image.Image, shipped: SEPSModel) -> None:
    pooled = nn.functional.normalize(shipped.encode_photos([picture]).mean(dim=1), dim=-1)
    embedding = photos.pictures(to_pixels([picture], photos.pixels)).image
    torch.testing.assert_close(embedding, pooled, rtol=1e-3, atol=1e-4)
    words, lengths = shipped.encode_captions(["a dog runs", "snow"])
    mean = nn.functional.normalize(words.sum(dim=1) / lengths[:, None], dim=-1)
    torch.testing.assert_close(photos.prompts(["a dog runs", "snow"]), mean)


def test_folding_batch_norms_keeps_the_numbers(shipped: SEPSModel) -> None:
    backbone: Any = copy.deepcopy(shipped.img_enc.visual_encoder)
    pixels = torch.rand(1, 3, 64, 64) * 2 - 1
    with torch.no_grad():
        before = backbone.forward_features(pixels)
        for _ in range(2):  # a second time changes nothing
            fold_batch_norms(backbone)
            torch.testing.assert_close(backbone.forward_features(pixels), before, rtol=1e-3, atol=1e-3)

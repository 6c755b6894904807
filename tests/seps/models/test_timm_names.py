import re
from dataclasses import replace
from typing import Any

import pytest
import torch
from torch import nn
from transformers import SwinConfig, SwinModel, ViTConfig, ViTModel

from seps.encoders import VisionEncoder
from seps.models.config import load_config
from seps.models.convert import timm_tensors

SWIN_BASE: dict[str, Any] = {"embed_dim": 128, "depths": [2, 2, 18, 2], "num_heads": [4, 8, 16, 32]}


@pytest.mark.parametrize(
    ("name", "kind", "config", "grid", "has_cls"),
    [
        ("vit_base_patch16_224", ViTModel, ViTConfig(image_size=224), (14, 14), True),
        (
            "swin_base_patch4_window12_384",
            SwinModel,
            SwinConfig(image_size=384, window_size=12, **SWIN_BASE),
            (12, 12),
            False,
        ),
    ],
)
def test_full_size_encoders_have_timms_names_and_shapes(
    name: str, kind: Any, config: Any, grid: tuple[int, int], has_cls: bool
) -> None:
    settings = load_config(name)
    with torch.device("meta"):  # without numbers
        theirs: nn.Module = kind(config, add_pooling_layer=False)
        ours = VisionEncoder(replace(settings.vision, weights="none"), settings.embed_size)
    shapes = {key: tensor.shape for key, tensor in ours.visual_encoder.state_dict().items()}
    assert {key: tensor.shape for key, tensor in timm_tensors(theirs.state_dict()).items()} == shapes
    assert (ours.grid, ours.num_patches) == (grid, grid[0] * grid[1])
    assert (ours.has_cls, ours.width, ours.vision_proj.out_features) == (has_cls, 768 if has_cls else 1024, 512)


ATTENTION = "encoder.layer.0.attention.attention"


@pytest.mark.parametrize(
    ("sizes", "message"),
    [
        ({"key": 2, "value": 2}, "has no query for 'blocks.0.attn.qkv.bias'"),
        ({"query": 2, "key": 3, "value": 2}, "'s parts of 'blocks.0.attn.qkv.bias' differ in shape"),
        ({"key": 2, "layers.0.attention.k_proj.bias": 2}, "has 'layers.0.attention.k_proj.bias' twice, under names"),
        ({"layernorm.weight": 2, "norm.weight": 2}, "has 'norm.weight' twice, under names"),
    ],
)
def test_what_cannot_be_put_together(sizes: dict[str, int], message: str) -> None:
    with pytest.raises(ValueError, match=f"^The image encoder ?{re.escape(message)}"):
        timm_tensors({key if "." in key else f"{ATTENTION}.{key}.bias": torch.ones(sizes[key]) for key in sizes})

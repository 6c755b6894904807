import re
from typing import Any

import pytest
import timm
import torch
from torch import nn
from transformers import SwinConfig, SwinModel, ViTConfig, ViTModel

from seps.models.convert import timm_tensors

SWIN_BASE: dict[str, Any] = {"embed_dim": 128, "depths": [2, 2, 18, 2], "num_heads": [4, 8, 16, 32]}


@pytest.mark.parametrize(
    ("encoder", "kind", "config"),
    [
        ("vit_base_patch16_224", ViTModel, ViTConfig(image_size=224)),
        ("swin_base_patch4_window12_384", SwinModel, SwinConfig(image_size=384, window_size=12, **SWIN_BASE)),
    ],
)
def test_full_size_encoders_have_timms_names_and_shapes(encoder: str, kind: Any, config: Any) -> None:
    with torch.device("meta"):
        theirs: nn.Module = kind(config, add_pooling_layer=False)
        ours = timm.create_model(encoder, num_classes=0)
    named = timm_tensors(theirs.state_dict())
    assert {key: tensor.shape for key, tensor in named.items()} == {
        key: tensor.shape for key, tensor in ours.state_dict().items()
    }


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

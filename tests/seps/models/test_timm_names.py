from typing import Any

import pytest
import timm
import torch
from torch import Tensor, nn
from transformers import SwinConfig, SwinModel, ViTConfig, ViTModel

from seps.models.timm_names import timm_tensors

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


@pytest.mark.parametrize(("eps", "tolerance"), [(1e-6, 1e-6), (1e-12, 2e-3)])
def test_vit_differs_by_the_epsilon_of_its_norms_alone(eps: float, tolerance: float) -> None:
    geometry: Any = {"hidden_size": 64, "num_hidden_layers": 6, "num_attention_heads": 2, "intermediate_size": 192}
    theirs = ViTModel(ViTConfig(image_size=160, layer_norm_eps=eps, **geometry), add_pooling_layer=False).eval()
    ours: Any = timm.create_model("test_vit", num_classes=0).eval()
    ours.load_state_dict(timm_tensors(theirs.state_dict()))
    images = torch.randn(2, 3, 160, 160)
    with torch.no_grad():
        features = theirs(images).last_hidden_state  # (2, 101, 64), of spread 1
        torch.testing.assert_close(ours.forward_features(images), features, atol=tolerance, rtol=0)


def parts(**shapes: tuple[int, ...]) -> dict[str, Tensor]:
    return {f"encoder.layer.0.attention.attention.{name}.bias": torch.ones(shape) for name, shape in shapes.items()}


def test_query_key_and_value_lie_in_timms_order() -> None:
    tensors = {
        "encoder.layer.3.attention.attention.value.bias": torch.full((2,), 3.0),
        "layers.3.attention.q_proj.bias": torch.full((2,), 1.0),
        "encoder.layer.3.attention.attention.key.bias": torch.full((2,), 2.0),
    }
    assert timm_tensors(tensors)["blocks.3.attn.qkv.bias"].tolist() == [1, 1, 2, 2, 3, 3]


def test_what_cannot_be_put_together() -> None:
    with pytest.raises(ValueError, match=r"The image encoder has no query for 'blocks\.0\.attn\.qkv\.bias'"):
        timm_tensors(parts(key=(2,), value=(2,)))
    with pytest.raises(ValueError, match=r"The image encoder's parts of 'blocks\.0\.attn\.qkv\.bias' differ"):
        timm_tensors(parts(query=(2,), key=(3,), value=(2,)))
    twice = parts(query=(2,), key=(2,), value=(2,)) | {"layers.0.attention.k_proj.bias": torch.ones(2)}
    with pytest.raises(ValueError, match=r"The image encoder has 'layers\.0\.attention\.k_proj\.bias' twice"):
        timm_tensors(twice)
    norms = {"layernorm.weight": torch.ones(2), "norm.weight": torch.ones(2)}
    with pytest.raises(ValueError, match=r"The image encoder has 'norm\.weight' twice, under names"):
        timm_tensors(norms)

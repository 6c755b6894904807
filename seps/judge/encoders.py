"""Encoders of a judge: pictures and prompts to unit global embeddings, and which of their parameters learn."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, NamedTuple

import torch
import torch.nn.functional as F
from PIL import Image
from torch import Tensor, nn
from transformers import CLIPConfig, CLIPModel, CLIPTokenizer

from seps.common.checks import read_json_file
from seps.encoders import preprocess
from seps.encoders.config import VisionConfig
from seps.encoders.sources import find_folder
from seps.encoders.tokenizer import folded
from seps.encoders.weights import WEIGHTS_FILE, hide_progress_bar
from seps.judge.config import TOWERS, EncoderConfig
from seps.models.hub import load_model
from seps.models.model import SEPSModel

CLIP_FILES = ("config.json", WEIGHTS_FILE, "tokenizer*.json", "vocab.json", "merges.txt", "special_tokens_map.json")
CLIP_MEAN, CLIP_STD = (0.48145466, 0.4578275, 0.40821073), (0.26862954, 0.26130258, 0.27577711)
MIN_VARIANCE = 1e-8


class PictureFeatures(NamedTuple):
    """Features of B pictures: quality (B, quality_width), before standardisation, and unit embeddings image (B, d)."""

    quality: Tensor
    image: Tensor


def build_encoders(config: EncoderConfig) -> ClipEncoders | SepsEncoders:
    """Build the encoders of a config and freeze what it freezes; ValueError for missing ones or too few layers."""
    if config.kind == "seps":
        return SepsEncoders(load_model(config.name), config.stages)
    return load_clip(config)


def to_pixels(pictures: Sequence[Image.Image], config: VisionConfig) -> Tensor:
    """(B, 3, S, S) normalised pixels of pictures, squashed to a square; ValueError as `preprocess`, with the place."""
    made = []
    for i, picture in enumerate(pictures):
        try:
            made.append(preprocess(picture, config))  # (3, S, S)
        except ValueError as error:
            raise ValueError(f"pictures[{i}]: {error}") from error
    return torch.stack(made)


class ClipEncoders(nn.Module):
    """A transformers CLIP; without a tokenizer no prompt is embedded."""

    grid: tuple[int, int] | None = None

    def __init__(self, model: CLIPModel, tokenizer: CLIPTokenizer | None = None) -> None:
        super().__init__()
        self.model = model
        self.tokenizer = tokenizer
        shape: Any = model.config
        self.width = self.quality_width = int(shape.projection_dim)
        size, self.positions = int(shape.vision_config.image_size), int(shape.text_config.max_position_embeddings)
        self.pixels = VisionConfig("clip", "none", size, CLIP_MEAN, CLIP_STD, cls="encoder")

    def pictures(self, pixels: Tensor) -> PictureFeatures:
        """Features of (B, 3, S, S) normalised pixels: one embedding serves both."""
        pooled = self.model.vision_model(pixel_values=pixels).pooler_output  # (B, D_v)
        image = F.normalize(self.model.visual_projection(pooled), dim=-1)  # (B, d)
        return PictureFeatures(image, image)

    def with_patches(self, pixels: Tensor) -> tuple[PictureFeatures, Tensor | None]:
        """Return the features, and None: no patches have a part in them, since CLIP pools by its class token."""
        return self.pictures(pixels), None

    def prompts(self, prompts: Sequence[str]) -> Tensor:
        """(B, d) unit embeddings of prompts; those beyond the tower's positions are cut."""
        if self.tokenizer is None:
            raise ValueError("This CLIP has no tokenizer: give a folder with vocab.json and merges.txt.")
        tokens = self.tokenizer(
            list(map(folded, prompts)), padding=True, truncation=True, max_length=self.positions, return_tensors="pt"
        ).to(self.model.device)
        pooled = self.model.text_model(**tokens).pooler_output  # (B, D_t)
        return F.normalize(self.model.text_projection(pooled), dim=-1)


def load_clip(config: EncoderConfig) -> ClipEncoders:
    """Load the CLIP of a config; ValueError if it is missing or a tower has fewer layers than are frozen."""
    folder, architecture = clip_architecture(config.name)
    for tower, layers in tower_layers(architecture).items():
        frozen = config.freeze_layers.get(tower, 0)
        if frozen > layers:
            raise ValueError(
                f"encoder.freeze_layers.{tower} is {frozen}, but the {tower} tower of {config.name} has {layers} "
                f"layers: freeze at most {layers}."
            )
    try:
        with hide_progress_bar():
            model = (
                CLIPModel.from_pretrained(folder, local_files_only=True)
                if config.pretrained
                else CLIPModel(architecture)
            )
            tokenizer = CLIPTokenizer.from_pretrained(folder, local_files_only=True)
    except Exception as error:  # transformers raises whatever a file's content leads it to
        raise ValueError(f"{folder} holds no whole CLIP with its tokenizer: {error}") from error
    encoders = ClipEncoders(model.float(), tokenizer)
    freeze(encoders.model, config)
    return encoders


def clip_architecture(name: str) -> tuple[Path, CLIPConfig]:
    """Return the folder of a CLIP, by its path or hub repo, and its towers; ValueError if it cannot be loaded."""
    folder = find_folder(f"folder:{name}" if Path(name).is_dir() else name, CLIP_FILES)
    values = read_json_file(folder / "config.json")
    if not isinstance(values, dict) or values.get("model_type") != "clip":
        raise ValueError(f"{folder / 'config.json'} describes no CLIP (model_type 'clip'): name another encoder.")
    return folder, CLIPConfig.from_dict(values)


def tower_layers(architecture: CLIPConfig) -> dict[str, int]:
    """Return how many layers each tower has."""
    shape: Any = architecture
    return {tower: int(getattr(shape, f"{tower}_config").num_hidden_layers) for tower in TOWERS}


def clip_layers(name: str) -> dict[str, int]:
    """Return how many layers each tower of a CLIP has; ValueError if it cannot be loaded."""
    return tower_layers(clip_architecture(name)[1])


def with_first_layers(config: EncoderConfig, count: int) -> EncoderConfig:
    """Freeze the first layers of each CLIP tower, or all of a shorter one; ValueError if no tower has so many."""
    if config.kind != "clip":
        return replace(config, freeze="layers", freeze_layers=dict.fromkeys(TOWERS, count))  # which says what is wrong
    layers = clip_layers(config.name)
    if count > max(layers.values()):
        towers = " and ".join(f"{most} {tower}" for tower, most in layers.items())
        raise ValueError(
            f"--freeze is {count}, but {config.name} has {towers} layers: freeze at most {max(layers.values())}."
        )
    return replace(config, freeze="layers", freeze_layers={tower: min(count, most) for tower, most in layers.items()})


def freeze(model: CLIPModel, config: EncoderConfig) -> None:
    """Set which parameters of a CLIP are trained; its temperature never is, since no score reads it."""
    model.requires_grad_(config.freeze != "all")
    model.logit_scale.requires_grad_(False)
    for tower, part in (("vision", model.vision_model), ("text", model.text_model)):
        count = config.freeze_layers.get(tower, 0)
        if count == 0:
            continue
        part.embeddings.requires_grad_(False)
        if tower == "vision":
            part.pre_layrnorm.requires_grad_(False)  # the library's own spelling
        for layer in part.encoder.layers[:count]:
            layer.requires_grad_(False)


class SepsEncoders(nn.Module):
    """The frozen encoders of a SEPS model with an EfficientNet of timm, whose batch norms are folded into convolutions.

    Quality is computed from the mean and the deviation of each channel over the map of each stage, 0 to 7 or -1.
    """

    def __init__(self, model: SEPSModel, stages: Sequence[int]) -> None:
        super().__init__()
        backbone = model.img_enc.visual_encoder
        if not all(hasattr(backbone, part) for part in ("conv_stem", "bn1", "blocks", "conv_head", "bn2")):
            raise ValueError(f"{model.config.vision.encoder} has no stages that a judge reads: take an EfficientNet.")
        count = len(backbone.blocks) + 2  # type: ignore[arg-type]
        for stage in stages:
            if not -count <= stage < count:
                raise ValueError(f"encoder.stages has {stage}, but {model.config.vision.encoder} has {count} stages.")
        fold_batch_norms(backbone)
        self.model = model.requires_grad_(False).eval()
        self.stages = tuple(sorted({stage % count for stage in stages}))
        self.pixels = model.config.vision
        self.grid: tuple[int, int] = model.grid
        self.width = model.config.embed_size
        size = self.pixels.image_size
        self.quality_width = self.describe(self.maps(torch.zeros(1, 3, size, size))).shape[-1]

    def train(self, mode: bool = True) -> SepsEncoders:
        """Stay in evaluation mode: nothing here learns."""
        return super().train(False)

    def maps(self, pixels: Tensor) -> list[Tensor]:
        """Return every stage's map, (B, D_s, H_s, W_s), of (B, 3, S, S) normalised pixels."""
        backbone = self.model.img_enc.visual_encoder
        pixels = pixels.contiguous(memory_format=torch.channels_last)
        stages = [backbone.bn1(backbone.conv_stem(pixels))]  # type: ignore[operator]
        for block in backbone.blocks:  # type: ignore[union-attr]
            stages.append(block(stages[-1]))
        stages.append(backbone.bn2(backbone.conv_head(stages[-1])))  # type: ignore[operator]
        return stages

    def pictures(self, pixels: Tensor) -> PictureFeatures:
        """Features of (B, 3, S, S) normalised pixels."""
        return self.with_patches(pixels)[0]

    @torch.no_grad()
    def with_patches(self, pixels: Tensor) -> tuple[PictureFeatures, Tensor | None]:
        """Return the features, and (B, N, quality_width) per patch; the mean over patches is the quality features."""
        maps = self.maps(pixels)
        tokens = maps[-1].flatten(2).transpose(1, 2)  # (B, N, D_v)
        encoder = self.model.img_enc
        if encoder.context is not None:
            size = (self.pixels.context_size, self.pixels.context_size)
            smaller = F.interpolate(pixels, size, mode="bicubic", antialias=True)  # (B, 3, smaller, smaller)
            view = self.maps(smaller)[-1].mean(dim=(2, 3))[:, None]  # (B, 1, D_v)
            tokens = torch.cat([tokens, view], dim=1)
        embedded = encoder.project(tokens)[:, -encoder.num_patches :]  # (B, N, d)
        described = self.describe(maps)  # (B, N, quality_width)
        return PictureFeatures(described.mean(dim=1), F.normalize(embedded.mean(dim=1), dim=-1)), described

    def describe(self, maps: Sequence[Tensor]) -> Tensor:
        """Return each patch's features at the chosen stages, (B, N, quality_width)."""
        parts = []
        for stage in self.stages:
            stage_map = maps[stage].contiguous()  # (B, D_s, H_s, W_s)
            centred = (stage_map - stage_map.mean(dim=(2, 3), keepdim=True)).square()  # (B, D_s, H_s, W_s)
            deviation = centred.mean(dim=(2, 3), keepdim=True).clamp(min=MIN_VARIANCE).sqrt()  # (B, D_s, 1, 1)
            inside, centred = (F.adaptive_avg_pool2d(values, self.grid) for values in (stage_map, centred))
            parts += [inside, centred / deviation]  # means inside each patch, (B, D_s, H, W)
        return torch.cat(parts, dim=1).flatten(2).transpose(1, 2)  # (B, N, quality_width)

    @torch.no_grad()
    def prompts(self, prompts: Sequence[str]) -> Tensor:
        """(B, d) unit embeddings of prompts: the mean word, [CLS] and [SEP] among them."""
        words, lengths = self.model.encode_captions(list(prompts))  # (B, L, d), zero at the padding
        return F.normalize(words.sum(dim=1) / lengths[:, None].to(words.device), dim=-1)


@torch.no_grad()
def fold_batch_norms(backbone: nn.Module) -> None:
    """Fold each batch norm of an EfficientNet in evaluation mode into the convolution before it."""
    pairs = [(backbone, "conv_stem", "bn1"), (backbone, "conv_head", "bn2")]
    for block in (block for stage in backbone.blocks for block in stage):  # type: ignore[union-attr]
        names = ("conv_pw", "conv_dw", "conv_pwl") if hasattr(block, "conv_pwl") else ("conv_dw", "conv_pw")
        pairs += [(block, name, f"bn{i}") for i, name in enumerate(names, 1)]
    for owner, convolution_name, norm_name in pairs:
        convolution, norm = getattr(owner, convolution_name), getattr(owner, norm_name)
        if not hasattr(norm, "running_var"):
            continue  # folded before
        scale = norm.weight / torch.sqrt(norm.running_var + norm.eps)  # (D,)
        before = 0.0 if convolution.bias is None else convolution.bias
        convolution.weight = nn.Parameter(convolution.weight * scale[:, None, None, None])
        convolution.bias = nn.Parameter(norm.bias + (before - norm.running_mean) * scale)
        setattr(owner, norm_name, getattr(norm, "act", nn.Identity()))
    backbone.to(memory_format=torch.channels_last)

"""Image and text encoders, and the space that they share."""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path
from typing import Any, NamedTuple, cast

import timm
import torch
import torch.nn.functional as F
from torch import Tensor, nn

from seps.common.files import check_weights_file
from seps.common.precision import evaluating
from seps.encoders.config import TextConfig, VisionConfig
from seps.encoders.text import TextEncoder
from seps.encoders.weights import vision_backbone
from seps.generator.config import LONGEST, SIMPLE, EncodersConfig
from seps.models.hub import load_model
from seps.models.storage import read_tensors

START_TEMPERATURE = 0.07
LOWEST_TEMPERATURE = 0.01
Channels = tuple[float, float, float]
HALF: Channels = (0.5, 0.5, 0.5)


class ImageFeatures(NamedTuple):
    """Features of an image: `embedding` (B, C), unit length, and `grid` (B, G, D), row by row."""

    embedding: Tensor
    grid: Tensor


class TextFeatures(NamedTuple):
    """Features of captions: unit `embedding` (B, C), `words` (B, L, C), zero at the padding, and `mask` (B, L) bool."""

    embedding: Tensor
    words: Tensor
    mask: Tensor


class Residual(nn.Module):
    """Residual block of two 3 x 3 convolutions: (B, D, H, W) to the same."""

    def __init__(self, channels: int) -> None:
        super().__init__()
        self.layers = nn.Sequential(
            nn.GroupNorm(8, channels),
            nn.SiLU(),
            nn.Conv2d(channels, channels, 3, padding=1),
            nn.GroupNorm(8, channels),
            nn.SiLU(),
            nn.Conv2d(channels, channels, 3, padding=1),
        )

    def forward(self, x: Tensor) -> Tensor:
        """Add what the two convolutions find."""
        return x + self.layers(x)


class FrozenBackbone(nn.Module):
    """A frozen timm model; ValueError for missing weights, another model's, or features that are not maps."""

    def __init__(self, config: EncodersConfig, image_size: int) -> None:
        super().__init__()
        kind, _, name = config.vision_weights.partition(":")
        if kind == "seps":
            encoder = load_model(name).img_enc
            if encoder.config.encoder != config.vision:
                raise ValueError(
                    f"encoders.vision is {config.vision!r}, but the image encoder of {name!r} is "
                    f"{encoder.config.encoder}: name that."
                )
            self.model, mean, std = encoder.visual_encoder, encoder.config.mean, encoder.config.std
        else:
            cfg = timm.get_pretrained_cfg(config.vision)
            mean, std = (HALF, HALF) if cfg is None else cast("tuple[Channels, Channels]", (cfg.mean, cfg.std))
            self.model = vision_backbone(
                VisionConfig(config.vision, config.vision_weights, image_size, mean, std, cls="none")
            )
        # Of values in [-1, 1], which is 2 v - 1 of those that the mean and deviation are of.
        self.register_buffer("mean", 2 * torch.tensor(mean).view(3, 1, 1) - 1)
        self.register_buffer("std", 2 * torch.tensor(std).view(3, 1, 1))
        if getattr(self.model, "output_fmt", "NCHW") != "NCHW" or hasattr(self.model, "num_prefix_tokens"):
            raise ValueError(f"encoders.vision is {config.vision!r}, but its features are not maps: name a CNN.")
        self.requires_grad_(False)
        self.eval()

    def train(self, mode: bool = True) -> FrozenBackbone:
        """Stay in evaluation mode, whatever is asked for."""
        return super().train(False)

    @torch.no_grad()
    def forward(self, images: Tensor) -> Tensor:
        """Feature maps (B, D, H, W) of images (B, 3, S, S) with values in [-1, 1]."""
        return self.model.forward_features((images - self.mean) / self.std)  # type: ignore[operator]


class ImageEncoder(nn.Module):
    """Computes an image's grid of features, `side` x `side` cells of `width` channels D, and its embedding."""

    def __init__(self, config: EncodersConfig, image_size: int) -> None:
        super().__init__()
        if config.vision == SIMPLE:
            self.backbone: nn.Module = simple_backbone(config.channels)
        else:
            if not timm.is_model(config.vision):
                raise ValueError(f"encoders.vision is {config.vision!r}, which is neither 'simple' nor a timm model.")
            if config.frozen:
                self.backbone = FrozenBackbone(config, image_size)
            else:
                self.backbone = timm_backbone(config.vision, config.vision_weights)
        with torch.no_grad(), evaluating(self):  # so that batch norms keep their statistics
            maps = self.maps(torch.zeros(1, 3, image_size, image_size))  # (1, D, H, W)
        self.width, self.side = maps.shape[1], maps.shape[-1]
        self.places = nn.Parameter(torch.randn(self.side * self.side, self.width) * 0.02)
        self.pool = nn.Linear(self.width, config.embed_size)

    def maps(self, images: Tensor) -> Tensor:
        """Feature maps (B, D, H, W) of images (B, 3, S, S)."""
        maps = self.backbone(images)
        return maps[0] if isinstance(maps, list) else maps

    def stages(self, images: Tensor) -> list[Tensor]:
        """Return feature maps (B, D, H, W) after each stage of the simple encoder; of a timm encoder the last only."""
        if not isinstance(self.backbone, nn.Sequential):
            return [self.maps(images)]
        maps = []
        for layer in self.backbone:
            images = layer(images)
            if isinstance(layer, Residual):
                maps.append(images)
        return maps

    def forward(self, images: Tensor) -> ImageFeatures:
        """Encode images (B, 3, S, S) with values in [-1, 1]."""
        return self.read(self.maps(images))

    def read(self, maps: Tensor) -> ImageFeatures:
        """Encode images of which the feature maps (B, D, H, W) are at hand."""
        grid = maps.flatten(2).transpose(1, 2)  # (B, G, D)
        return ImageFeatures(F.normalize(self.pool(grid.mean(dim=1)), dim=-1), grid + self.places)


def timm_backbone(name: str, source: str) -> nn.Module:
    """Build a timm model that returns its last feature maps; ValueError for missing weights, or another model's."""
    options: dict[str, Any] = {"features_only": True, "out_indices": (-1,)}
    if source == "none":
        return timm.create_model(name, **options)
    if source != "hub":
        file = Path(source.removeprefix("folder:")) / "model.safetensors"
        check_weights_file(file)
        with torch.device("meta"):
            expected = timm.create_model(name, num_classes=0).state_dict()
        if lacking := sorted(set(expected) - set(read_tensors(file))):
            raise ValueError(f"{file} has no {lacking[0]} and is of another model than {name}: name its own weights.")
        options["pretrained_cfg_overlay"] = {"file": str(file)}
    try:
        return timm.create_model(name, pretrained=True, **options)
    except Exception as error:  # timm, the hub and safetensors raise whatever comes up
        raise ValueError(
            f"encoders.vision_weights is {source!r}, but {name} cannot be loaded from there "
            f"({str(error).splitlines()[0]}): name a folder with its model.safetensors, or none."
        ) from error


def simple_backbone(channels: tuple[int, ...]) -> nn.Sequential:
    """Patches of 4 x 4 pixels, then a residual block a stage and a halving between stages."""
    layers: list[nn.Module] = [nn.Conv2d(3, channels[0], 4, stride=4), Residual(channels[0])]
    for before, after in pairwise(channels):
        layers += [nn.Conv2d(before, after, 3, stride=2, padding=1), Residual(after)]
    layers += [nn.GroupNorm(8, channels[-1]), nn.SiLU()]
    return nn.Sequential(*layers)


class CaptionEncoder(nn.Module):
    """Computes a caption's words (at most `max_words` tokens) and embedding with a trained transformers encoder."""

    def __init__(self, config: EncodersConfig, max_words: int = LONGEST) -> None:
        super().__init__()
        self.encoder = TextEncoder(text_config(config, max_words), config.embed_size)

    def forward(self, ids: Tensor, lengths: Tensor) -> TextFeatures:
        """Encode ids (B, L) of captions of lengths (B,)."""
        words = self.encoder(ids, lengths)  # (B, L, C)
        mask = torch.arange(ids.shape[1], device=ids.device) < lengths.to(ids.device)[:, None]  # (B, L)
        mean = words.sum(dim=1) / mask.sum(dim=1, keepdim=True)
        return TextFeatures(F.normalize(mean, dim=-1), words, mask)


def text_config(config: EncodersConfig, max_words: int) -> TextConfig:
    """Return the text encoder's config, which sets the tokenizer."""
    return TextConfig(config.text, config.text_weights, max_words=max_words, max_dense_words=max_words)


class Temperature(nn.Module):
    """Return the learned temperature that divides cosines; at least 0.01."""

    def __init__(self) -> None:
        super().__init__()
        self.log = nn.Parameter(torch.tensor(START_TEMPERATURE).log())

    def forward(self) -> Tensor:
        """Return the temperature."""
        return self.log.exp().clamp_min(LOWEST_TEMPERATURE)

"""Frozen image encoder from a package, a folder, the hub or a SEPS model; never saved."""

from __future__ import annotations

from typing import cast

import torch
from timm import get_pretrained_cfg
from torch import Tensor, nn

from seps.encoders.config import VisionConfig
from seps.encoders.weights import vision_backbone
from seps.generator.config import EncodersConfig
from seps.models.hub import load_model

Channels = tuple[float, float, float]
HALF: Channels = (0.5, 0.5, 0.5)


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
            cfg = get_pretrained_cfg(config.vision)
            mean, std = (HALF, HALF) if cfg is None else cast("tuple[Channels, Channels]", (cfg.mean, cfg.std))
            self.model = vision_backbone(
                VisionConfig(config.vision, config.vision_weights, image_size, mean, std, cls="none")
            )
        # Of values in [-1, 1], which is 2 v - 1 of those that the mean and deviation are of.
        self.register_buffer("mean", 2 * torch.tensor(mean).view(3, 1, 1) - 1)
        self.register_buffer("std", 2 * torch.tensor(std).view(3, 1, 1))
        if getattr(self.model, "output_fmt", "NCHW") != "NCHW" or hasattr(self.model, "num_prefix_tokens"):
            raise ValueError(
                f"encoders.vision is {config.vision!r}, but its features are not maps: name a convolutional one."
            )
        self.requires_grad_(False)
        self.eval()

    def train(self, mode: bool = True) -> FrozenBackbone:
        """Stay in evaluation mode, whatever is asked for."""
        return super().train(False)

    @torch.no_grad()
    def forward(self, images: Tensor) -> Tensor:
        """Feature maps (B, D, H, W) of images (B, 3, S, S) with values in [-1, 1]."""
        return self.model.forward_features((images - self.mean) / self.std)  # type: ignore[operator]

"""Backbones split into a frozen part, which can be cached, and a trained part."""

import re

import torch
from torch import Tensor, nn

STAGES = ("conv_stem", "bn1", "blocks", "conv_head", "bn2")  # of timm's EfficientNets, in the order of their pass


def vision_parts(
    backbone: nn.Module, frozen_until: str, key: str = "training.frozen_until"
) -> tuple[list[nn.Module], list[nn.Module]]:
    """Split a timm EfficientNet into the modules up to `frozen_until`, "blocks.N", and those after it."""
    blocks = getattr(backbone, "blocks", None)
    if not isinstance(blocks, nn.Sequential) or not all(hasattr(backbone, name) for name in STAGES):
        raise ValueError(
            f"{key} is {frozen_until!r}, but {type(backbone).__name__} cannot be split: it takes an "
            "EfficientNet of timm. Leave it empty to keep the whole backbone frozen."
        )
    match = re.fullmatch(r"blocks\.(\d+)", frozen_until)
    if match is None or int(match[1]) >= len(blocks):
        raise ValueError(f"{key} is {frozen_until!r}, but it must be one of blocks.0 to blocks.{len(blocks) - 1}.")
    conv_stem, bn1, _, conv_head, bn2 = (backbone.get_submodule(name) for name in STAGES)
    count = int(match[1]) + 1
    return [conv_stem, bn1, *blocks[:count]], [*blocks[count:], conv_head, bn2]


def let_learn(parts: list[nn.Module]) -> None:
    """Enable training of an image backbone's parts, except depthwise kernels: few weights with slow gradients."""
    for module in (child for part in parts for child in part.modules()):
        depthwise = isinstance(module, nn.Conv2d) and module.groups > 1
        for parameter in module.parameters(recurse=False):
            parameter.requires_grad_(not depthwise)


def passed(parts: list[nn.Module], maps: Tensor) -> Tensor:
    """Pass maps (B, D, H, W) through modules in order."""
    for part in parts:
        maps = part(maps)
    return maps


def text_layers(backbone: nn.Module, frozen_layers: int) -> list[nn.Module]:
    """Return the layers of a BERT after its first `frozen_layers`; ValueError if there are none to count, or fewer."""
    layers = getattr(getattr(backbone, "encoder", None), "layer", None)
    if not isinstance(layers, nn.ModuleList):
        raise ValueError(
            f"training.frozen_text_layers is {frozen_layers}, but {type(backbone).__name__} has no encoder.layer to "
            "count: set it to -1 to keep the whole text encoder frozen."
        )
    if frozen_layers > len(layers):
        raise ValueError(f"training.frozen_text_layers is {frozen_layers}, but the text encoder has {len(layers)}.")
    return list(layers[frozen_layers:])


def pass_words(layers: list[nn.Module], words: Tensor, mask: Tensor) -> Tensor:
    """Pass words (B, L, D) through a BERT's layers; mask (B, L) bool, True for a caption's tokens."""
    barred = torch.zeros(mask.shape, dtype=words.dtype, device=words.device)
    barred = barred.masked_fill(~mask, torch.finfo(words.dtype).min)[:, None, None]  # (B, 1, 1, L)
    for layer in layers:
        words = layer(words, barred)
    return words

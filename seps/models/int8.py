"""Weights in 8 bits: a quarter of float32 in a file. Models compute in floating point as ever.

A tensor of two or more dimensions becomes whole numbers from -127 to 127 and a scale for each entry of its first
dimension (a layer's output channel), under its own key and that key with ".scale" behind it. Small ones stay floats.
"""

from __future__ import annotations

from collections.abc import Mapping

import torch
from torch import Tensor

LARGEST = 127
SMALL = 1024  # numbers: of fewer, 8 bits save nothing worth their rounding
SCALE = ".scale"


def is_large(tensor: Tensor) -> bool:
    """Tell whether a tensor's floats become 8 bits."""
    return tensor.is_floating_point() and tensor.ndim >= 2 and tensor.numel() >= SMALL


def to_int8(tensors: Mapping[str, Tensor]) -> dict[str, Tensor]:
    """Round large tensors of floats to 8 bits, row by row, with scales in float32; others stay as they are."""
    stored: dict[str, Tensor] = {}
    for key, tensor in tensors.items():
        if not is_large(tensor):
            stored[key] = tensor
            continue
        rows = tensor.float().flatten(1)  # (R, ...)
        scale = rows.abs().amax(dim=1) / LARGEST  # (R,)
        divisor = scale.where(scale > 0, 1.0)[:, None]
        stored[key] = (rows / divisor).round().to(torch.int8).view(tensor.shape)
        stored[key + SCALE] = scale
    return stored


def from_int8(tensors: Mapping[str, Tensor], source: object = "The file") -> dict[str, Tensor]:
    """Undo `to_int8`, in float32: what has no scale beside it stays as it is, and so does a weight that is called
    "scale" and stands beside nothing.

    Args:
        tensors: as a file holds them; source: the file, as messages name it.

    Raises:
        ValueError: a scale that fits the tensor beside it not: of another length, or of whole numbers, or the tensor is
            none of 8 bits.
    """
    scales = {key for key in tensors if key.endswith(SCALE) and key.removesuffix(SCALE) in tensors}
    for key in scales:
        owner = tensors[key.removesuffix(SCALE)]
        scale = tensors[key]
        if owner.dtype != torch.int8 or scale.shape != owner.shape[:1] or not scale.is_floating_point():
            raise ValueError(
                f"{source} has {key}, which scales no tensor of 8 bits: it is damaged, or of another model."
            )
    return {
        key: scaled(tensor, tensors[key + SCALE]) if key + SCALE in scales else tensor
        for key, tensor in tensors.items()
        if key not in scales
    }


def scaled(rows: Tensor, scale: Tensor) -> Tensor:
    """Multiply each row of whole numbers (R, ...) with its scale (R,)."""
    return rows.float() * scale.float().view(-1, *[1] * (rows.ndim - 1))

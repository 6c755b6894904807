"""8-bit weights: a quarter of the size of float32 in a file. Models compute in floating point.

A tensor with two or more dimensions is stored as integers from -127 to 127 with a scale per entry of its first
dimension (a layer's output channel), under its key and that key plus ".scale". Small tensors stay floats.
"""

from collections.abc import Mapping

import torch
from torch import Tensor

LARGEST = 127
SMALL = 1024  # numbers: of fewer, 8 bits save nothing worth their rounding
SCALE = ".scale"


def is_large(tensor: Tensor) -> bool:
    """Return whether a tensor is stored in 8 bits."""
    return tensor.is_floating_point() and tensor.ndim >= 2 and tensor.numel() >= SMALL


def to_int8(tensors: Mapping[str, Tensor]) -> dict[str, Tensor]:
    """Round large floating-point tensors to 8 bits per row, with float32 scales; others are unchanged."""
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
    """Undo `to_int8`, in float32; tensors without a scale are unchanged."""
    scales = {key for key in tensors if key.endswith(SCALE) and key.removesuffix(SCALE) in tensors}
    for key in scales:
        owner = tensors[key.removesuffix(SCALE)]
        scale = tensors[key]
        if owner.dtype != torch.int8 or scale.shape != owner.shape[:1] or not scale.is_floating_point():
            raise ValueError(f"{source} has {key}, which scales no tensor of 8 bits: it is damaged or another model's.")
    floats = {key: tensor for key, tensor in tensors.items() if key not in scales}
    for key in scales:
        rows = floats[key.removesuffix(SCALE)]  # (R, ...)
        floats[key.removesuffix(SCALE)] = rows.float() * tensors[key].float().view(-1, *[1] * (rows.ndim - 1))
    return floats

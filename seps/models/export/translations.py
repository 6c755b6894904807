"""ONNX translations of PyTorch operators that the exporter lacks or that ONNX Runtime cannot run."""

from collections.abc import Callable, Sequence
from typing import Any

import torch


def gelu(self: Any, approximate: str = "none") -> Any:
    """Translate GELU; in float64, which ONNX Runtime does not support, erf is computed in float32."""
    from onnx import TensorProto

    op = operators()
    if self.dtype != TensorProto.DOUBLE:
        return op.Gelu(self, approximate=approximate)
    root = op.Constant(value=_number(0.5**0.5))
    erf = op.Cast(op.Erf(op.Cast(op.Mul(self, root), to=TensorProto.FLOAT)), to=TensorProto.DOUBLE)
    half = op.Constant(value=_number(0.5))
    return op.Mul(op.Mul(self, half), op.Add(erf, op.Constant(value=_number(1.0))))


def sort(self: Any, stable: bool | None = None, dim: int = -1, descending: bool = False) -> Any:
    """Translate a stable sort: ONNX's TopK also puts the earlier of equal values first."""
    op = operators()
    axis = dim % len(self.shape)
    count = op.Shape(self, start=axis, end=axis + 1)
    return op.TopK(self, count, axis=dim, largest=int(descending), sorted=1)


def mean(self: Any, dim: Sequence[int], keepdim: bool = False, dtype: int | None = None) -> Any:
    """Translate a mean with another precision: cast first, as PyTorch does."""
    op = operators()
    values = self if dtype is None else op.Cast(self, to=dtype)
    return op.ReduceMean(values, op.Constant(value_ints=list(dim)), keepdims=int(keepdim))


def operators() -> Any:
    """Return ONNX's operators."""
    from onnxscript import opset20

    return opset20


def _number(value: float) -> Any:
    """Return a constant in float64."""
    from onnx import TensorProto, helper

    return helper.make_tensor("number", TensorProto.DOUBLE, [], [value])


TRANSLATIONS: dict[Any, Callable[..., Any]] = {
    torch.ops.aten.gelu.default: gelu,
    torch.ops.aten.mean.dim: mean,
    torch.ops.aten.sort.stable: sort,
}

"""Lossless compression of weights in a graph: integers or float16, converted to float32 by the graph.

The graph unpacks them with Cast and Mul, which ONNX Runtime does once at load time unless
`optimization.constant_folding_max_output_size_in_bytes` forbids it; then they also stay packed in memory.
DequantizeLinear is not used because it is fused with the next product, which changes the result. Embedding tables
always stay packed in memory: rows are unpacked after the lookup.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import nn

Array = NDArray[Any]
SMALL = 1024  # numbers: of fewer, packing saves nothing


def pack(proto: Any) -> None:
    """Store each large float32 weight of an `onnx.ModelProto` in the smallest exact type."""
    from onnx import TensorProto, numpy_helper

    tables = lookups(proto)
    weights, first, looked_up = [], [], {}
    for weight in proto.graph.initializer:
        values = numpy_helper.to_array(weight)
        packed = smallest(values) if weight.data_type == TensorProto.FLOAT and values.size >= SMALL else None
        if packed is None:
            weights.append(weight)
            continue
        numbers, scale = packed
        name, scales = weight.name, f"{weight.name}.scale"
        weights.append(numpy_helper.from_array(numbers, f"{name}.packed"))
        if scale is not None:
            weights.append(numpy_helper.from_array(scale, scales))
        if name not in tables:
            first += unpacked(f"{name}.packed", None if scale is None else scales, name)
            continue
        for node in tables[name]:
            looked_up[node.output[0]] = unpack_rows(node, name, scale)
    nodes = [part for node in proto.graph.node for part in looked_up.get(node.output[0], [node])]
    del proto.graph.initializer[:], proto.graph.node[:]
    proto.graph.initializer.extend(weights)
    proto.graph.node.extend([*first, *nodes])


def lookups(proto: Any) -> dict[str, list[Any]]:
    """Return the nodes that read each table, by the table's name: values of which only rows are read."""
    readers: dict[str, list[Any]] = {}
    for node in proto.graph.node:
        for name in node.input:
            readers.setdefault(name, []).append(node)
    return {name: nodes for name, nodes in readers.items() if all(is_row_gather(node, name) for node in nodes)}


def is_row_gather(node: Any, name: str) -> bool:
    """Return whether a node gathers rows of a value."""
    axes = [attribute.i for attribute in node.attribute if attribute.name == "axis"]
    return node.op_type == "Gather" and node.input[0] == name and node.input[1] != name and axes in ([], [0])


def unpacked(numbers: str, scale: str | None, name: str) -> list[Any]:
    """Return the nodes that convert integers to float32 under a name, with an optional scale."""
    from onnx import TensorProto, helper

    cast = helper.make_node("Cast", [numbers], [name if scale is None else f"{name}.unscaled"], to=TensorProto.FLOAT)
    return [cast] if scale is None else [cast, helper.make_node("Mul", [cast.output[0], scale], [name])]


def unpack_rows(node: Any, name: str, scale: Array | None) -> list[Any]:
    """Return the nodes that replace a table lookup: look up packed rows, then unpack them."""
    from onnx import helper

    rows, result = node.input[1], node.output[0]
    nodes = [helper.make_node("Gather", [f"{name}.packed", rows], [f"{result}.packed"], axis=0)]
    scales = None if scale is None else f"{name}.scale"
    if scale is not None and scale.shape[0] > 1:  # of each row, and not of each column
        nodes.append(helper.make_node("Gather", [f"{name}.scale", rows], [f"{result}.scale"], axis=0))
        scales = f"{result}.scale"
    return nodes + unpacked(f"{result}.packed", scales, result)


def smallest(values: Array) -> tuple[Array, Array | None] | None:
    """Find the smallest type that represents float32 values exactly.

    Args:
        values: one or more dimensions; the output channels are the first or the last.

    Returns:
        The same shape in int8 or int16 with a scale per channel, (R, 1, ...) or (1, ..., R), or in float16 without;
            None if only float32 is exact.
    """
    in_bytes = whole_numbers(values, np.dtype("int8"))
    if in_bytes is not None:
        return in_bytes
    with np.errstate(over="ignore"):
        half = values.astype(np.float16)
    return (half, None) if np.array_equal(half, values) else whole_numbers(values, np.dtype("int16"))


def whole_numbers(values: Array, kind: np.dtype[Any]) -> tuple[Array, Array] | None:
    """Write each channel as integers times a scale if that is exact; the largest integer is the type's maximum."""
    for axis in {0, values.ndim - 1}:
        others = tuple(i for i in range(values.ndim) if i != axis)
        nearest = scale_of(values, others, kind)  # but for the rounding of the product that it is taken from
        scale, exact = nearest.copy(), np.zeros(nearest.shape, bool)
        for candidate in (nearest, np.nextafter(nearest, np.float32(0)), np.nextafter(nearest, np.float32(np.inf))):
            fits = (round_to_scale(values, candidate, kind) * candidate == values).all(axis=others, keepdims=True)
            scale, exact = np.where(fits, candidate, scale), exact | fits
        if exact.all() and values.size * kind.itemsize + scale.nbytes < values.nbytes:  # not a scale for each number
            return round_to_scale(values, scale, kind).astype(kind), scale
    return None


def scale_of(values: Array, others: tuple[int, ...], kind: np.dtype[Any]) -> Array:
    """Return the scale of each channel that maps its largest value to the type's maximum; `others` are the other
    axes."""
    highest = np.abs(values).max(axis=others, keepdims=True)
    return (highest / np.float32(np.iinfo(kind).max)).astype(np.float32)


def round_to_scale(values: Array, scale: Array, kind: np.dtype[Any]) -> Array:
    """Round the values to multiples of a scale, as float32; 0 if the scale is 0."""
    limit = np.float32(np.iinfo(kind).max)
    return np.rint(values / np.where(scale > 0, scale, np.float32(1))).clip(-limit, limit)


@torch.no_grad()
def round_weights(module: nn.Module) -> None:
    """Round each large weight with two or more dimensions to 16 bits per row, in place, unless it packs smaller."""
    kind = np.dtype("int16")
    for parameter in module.parameters():
        values = parameter.numpy()
        if values.ndim >= 2 and values.size >= SMALL and smallest(values) is None:
            scale = scale_of(values, tuple(range(1, values.ndim)), kind)
            parameter.copy_(torch.from_numpy(round_to_scale(values, scale, kind) * scale))

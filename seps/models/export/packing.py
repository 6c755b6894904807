"""Lossless compression of weights in a graph: integers or float16, converted to float32 by the graph.

DequantizeLinear is not used, because it is fused with the next product, which changes the result.
"""

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
    weights: list[Any] = []
    first: list[Any] = []
    looked_up: dict[str, list[Any]] = {}
    for weight in proto.graph.initializer:
        values = numpy_helper.to_array(weight)
        packed = smallest(values) if weight.data_type == TensorProto.FLOAT and values.size >= SMALL else None
        if packed is None:
            weights.append(weight)
            continue
        numbers, scale = packed
        name, scales = weight.name, f"{weight.name}.scale"
        if scale is not None:
            weights.append(numpy_helper.from_array(scale, scales))
        if name not in tables and numbers.dtype == np.int16:
            parts, nodes = in_two_bytes(numbers, scales, name)
            weights, first = weights + parts, first + nodes
            continue
        weights.append(numpy_helper.from_array(numbers, f"{name}.packed"))
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


def in_two_bytes(numbers: Array, scale: str, name: str) -> tuple[list[Any], list[Any]]:
    """Return the weights, stored as 256 high + low for WebGPU, and nodes that give int16 times a scale as float32."""
    from onnx import TensorProto, helper, numpy_helper

    stored = {
        f"{name}.high": (numbers >> 8).astype(np.int8),
        f"{name}.low": (numbers & 255).astype(np.uint8),
        f"{name}.byte": np.float32(256),
    }
    weights = [numpy_helper.from_array(np.asarray(value), key) for key, value in stored.items()]
    nodes = [
        helper.make_node("Cast", [f"{name}.high"], [f"{name}.high.float"], to=TensorProto.FLOAT),
        helper.make_node("Cast", [f"{name}.low"], [f"{name}.low.float"], to=TensorProto.FLOAT),
        helper.make_node("Mul", [f"{name}.high.float", f"{name}.byte"], [f"{name}.shifted"]),
        helper.make_node("Add", [f"{name}.shifted", f"{name}.low.float"], [f"{name}.unscaled"]),
        helper.make_node("Mul", [f"{name}.unscaled", scale], [name]),
    ]
    return weights, nodes


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
    """Find int8, int16 or float16 numbers that represent float32 values exactly, with scales per channel; else None."""
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
    """Return the scale of each channel that maps its largest value to the type's maximum."""
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

from typing import Any

import numpy as np
import onnxruntime
import pytest
import torch
from onnx import TensorProto, helper, numpy_helper
from torch import nn

from seps.models.export.packing import pack, round_weights, smallest
from seps.models.int8 import from_int8, to_int8


def drawn(*shape: int) -> np.ndarray[tuple[int, ...], np.dtype[np.float32]]:
    return np.random.default_rng(0).standard_normal(shape).astype(np.float32)


def test_the_smallest_exact_type_is_taken() -> None:
    values = drawn(40, 30)
    assert smallest(values) is None and smallest(values.reshape(-1)) is None and smallest(values.reshape(-1, 1)) is None
    packed = smallest(values.astype(np.float16).astype(np.float32))
    assert packed is not None and packed[0].dtype == np.float16 and packed[1] is None
    layer = nn.Linear(30, 40)
    layer.weight.data.copy_(torch.from_numpy(values))
    bias = layer.bias.clone()
    round_weights(layer)
    packed = smallest(layer.weight.detach().numpy())
    assert packed is not None and packed[0].dtype == np.int16
    assert 0 < np.abs(layer.weight.detach().numpy() - values).max() < np.abs(values).max() / 2**15
    assert torch.equal(layer.bias, bias)
    huge = np.full((2, 600), 1e20, np.float32) * drawn(2, 600)
    assert smallest(huge) is None  # beyond float16, and reported without a warning


def packed_values(nodes: list[Any], inputs: dict[str, Any], **weights: Any) -> tuple[Any, float]:
    """Pack a graph that computes "y", check that it still computes the same, and return it and its share in size."""
    kinds = {name: helper.np_dtype_to_tensor_dtype(values.dtype) for name, values in inputs.items()}
    graph = helper.make_graph(
        nodes,
        "products",
        [helper.make_tensor_value_info(name, kinds[name], [None, None]) for name in inputs],
        [helper.make_tensor_value_info("y", TensorProto.FLOAT, None)],
        [numpy_helper.from_array(np.ascontiguousarray(values), name) for name, values in weights.items()],
    )
    proto = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 20)], ir_version=10)
    plain = proto.SerializeToString()
    pack(proto)
    packed = proto.SerializeToString()
    results = [onnxruntime.InferenceSession(content).run(None, inputs)[0] for content in (plain, packed)]
    np.testing.assert_array_equal(*results)
    return proto, len(packed) / len(plain)


def stored_in_8_bits() -> Any:
    values = torch.from_numpy(drawn(64, 64))
    values[3] = 0  # a row of nothing has no scale
    return from_int8(to_int8({"w": values}))["w"].numpy()


def test_a_packed_graph_is_smaller_and_computes_the_same() -> None:
    nodes = [helper.make_node("MatMul", ["x", "w"], ["h"]), helper.make_node("MatMul", ["h", "v"], ["y"])]
    half = drawn(64, 64).astype(np.float16).astype(np.float32)
    assert not stored_in_8_bits()[3].any()
    assert packed_values(nodes, {"x": drawn(5, 64)}, w=stored_in_8_bits(), v=half)[1] < 0.45


def test_16_bit_weights_are_stored_as_two_bytes_and_compute_the_same() -> None:
    layer = nn.Linear(64, 64)
    layer.weight.data.copy_(torch.from_numpy(drawn(64, 64)))
    round_weights(layer)
    nodes = [helper.make_node("MatMul", ["x", "w"], ["y"])]
    proto, _ = packed_values(nodes, {"x": drawn(3, 64)}, w=layer.weight.detach().numpy())
    kinds = {each.name: each.data_type for each in proto.graph.initializer}
    assert (kinds["w.high"], kinds["w.low"]) == (TensorProto.INT8, TensorProto.UINT8)
    assert TensorProto.INT16 not in kinds.values()


@pytest.mark.parametrize("kind", ["by row", "by column", "in float16"])
def test_a_table_stays_packed_and_its_rows_are_the_same(kind: str) -> None:
    stored = stored_in_8_bits()
    table = {"by row": stored, "by column": stored.T, "in float16": stored.astype(np.float16).astype(np.float32)}[kind]
    nodes = [
        helper.make_node("Gather", ["table", "rows"], ["a"]),
        helper.make_node("Gather", ["other", "rows"], ["b"]),
        helper.make_node("MatMul", ["b", "other"], ["c"]),
        helper.make_node("Add", ["a", "c"], ["y"]),
    ]
    rows = np.array([[3, 0, 63], [63, 5, 5]])
    proto, _ = packed_values(nodes, {"rows": rows}, table=table, other=table[::-1])  # the other one is also read whole
    whole = {node.input[0]: node.op_type for node in proto.graph.node if node.input[0].endswith(".packed")}
    assert whole["table.packed"] == "Gather" and whole["other.packed"] == "Cast"

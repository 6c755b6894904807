"""A model's folder of the page without a server: weights next to their graphs."""

from __future__ import annotations

import json
from hashlib import sha256
from pathlib import Path
from typing import Any

import numpy as np
import onnx
from onnx import helper, numpy_helper
from onnxruntime import InferenceSession

from demo.static.model import set_weights_apart


def test_weights_of_large_graphs_lie_beside_them_and_they_compute_the_same(tmp_path: Path) -> None:
    rng = np.random.default_rng(0)
    weights = {"large": rng.normal(size=(40, 30)).astype(np.float32), "small": np.ones((4, 3), np.float32)}
    manifest: dict[str, Any] = {"graphs": {}, "files": {}, "model": "a model"}
    for name, values in weights.items():
        ends = [
            helper.make_tensor_value_info(end, onnx.TensorProto.FLOAT, [1, size])
            for end, size in zip("xy", values.shape, strict=True)
        ]
        node = helper.make_node("MatMul", ["x", "weight"], ["y"])
        graph = helper.make_graph([node], name, ends[:1], ends[1:], [numpy_helper.from_array(values, "weight")])
        proto = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 20)], ir_version=10)
        content = proto.SerializeToString()
        (tmp_path / f"{name}.onnx").write_bytes(content)
        manifest["graphs"][name] = {"file": f"{name}.onnx", "bytes": len(content)}
        manifest["files"][f"{name}.onnx"] = {"bytes": len(content), "sha256": "before"}
    (tmp_path / "manifest.json").write_text(json.dumps(manifest), encoding="utf-8")
    inputs = {"x": rng.normal(size=(1, 40)).astype(np.float32)}
    before = InferenceSession(tmp_path / "large.onnx").run(None, inputs)[0]

    set_weights_apart(tmp_path, large=4000)

    np.testing.assert_array_equal(InferenceSession(tmp_path / "large.onnx").run(None, inputs)[0], before)
    after = json.loads((tmp_path / "manifest.json").read_text(encoding="utf-8"))
    assert after["graphs"]["small"] == manifest["graphs"]["small"] and after["model"] == "a model"
    assert after["graphs"]["large"] == {
        "file": "large.onnx",
        "weights": "large.weights",
        "bytes": after["files"]["large.onnx"]["bytes"],
    }
    assert (
        after["graphs"]["large"]["bytes"] < 1000 and after["files"]["large.weights"]["bytes"] >= weights["large"].nbytes
    )
    for name in ("large.onnx", "large.weights"):
        assert (tmp_path / name).stat().st_mode == (tmp_path / "small.onnx").stat().st_mode
        assert after["files"][name]["sha256"] == sha256((tmp_path / name).read_bytes()).hexdigest()
    assert sorted(file.name for file in tmp_path.iterdir()) == [
        "large.onnx",
        "large.weights",
        "manifest.json",
        "small.onnx",
    ]

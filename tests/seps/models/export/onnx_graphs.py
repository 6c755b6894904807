"""A folder of graphs, run by ONNX Runtime on one thread, and its records next to the library's."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import onnxruntime
import torch
from numpy.typing import NDArray

from seps import Explanation
from seps.models.export.graphs import Graph

Array = NDArray[Any]
TOLERANCE = 1e-5
TIE = 1e-6  # closer values may change places with the last bits of their inputs


class Graphs:
    """The graphs of a folder that `seps.models.export` wrote, each loaded when it is first run.

    Args:
        modules: graphs that PyTorch computes, which takes less time than an export.
    """

    def __init__(self, folder: Path, modules: Mapping[str, Graph] | None = None) -> None:
        self.folder, self.modules = folder, modules or {}
        self.sessions: dict[str, onnxruntime.InferenceSession] = {}

    def run(self, graph: str, **inputs: Array) -> dict[str, Array]:
        if graph in self.modules:
            tensors = {name: torch.from_numpy(values) for name, values in inputs.items()}
            return {name: values.numpy() for name, values in self.modules[graph].module(**tensors).items()}
        if graph not in self.sessions:
            options = onnxruntime.SessionOptions()
            options.intra_op_num_threads = 1
            self.sessions[graph] = onnxruntime.InferenceSession(self.folder / f"{graph}.onnx", options)
        session = self.sessions[graph]
        names = [output.name for output in session.get_outputs()]
        return dict(zip(names, session.run(None, inputs), strict=True))

    def words(self, ids: list[int]) -> Array:
        """The words (L, C) of one caption."""
        return self.run("text", ids=np.array([ids]), lengths=np.array([len(ids)]))["words"][0]


def record_values(record: Explanation) -> dict[str, Array]:
    """Every number of a record without a dense caption, by the names of the graphs' outputs."""
    values = {**record.sparse.parts, **vars(record.sparse), **vars(record.sparse_alignment)}
    for name in ("name", "parts", "coefficients", "forced", "caption", "words", "tokens"):  # no numbers of the pass
        del values[name]
    assert record.similarity == values["similarity"]
    return {name: np.asarray(value) for name, value in values.items()}


def assert_same_record(outputs: dict[str, Array], record: Explanation) -> int:
    """Every number of the record is there: whole numbers and decisions exactly, the others within TOLERANCE.

    Returns:
        Number of words and tokens with another best match, of equal value within TIE.
    """
    expected = record_values(record)
    assert outputs.keys() == expected.keys()
    tied = {"best_token": outputs["best_token"] != expected["best_token"]}  # (L,)
    tied["best_word"] = outputs["best_word"] != expected["best_word"]  # (M,)
    for name, values in expected.items():
        assert outputs[name].shape == values.shape, name
        if name in tied:
            matrix = expected["matrix"] if name == "best_token" else expected["matrix"].T
            columns = np.arange(matrix.shape[1])
            np.testing.assert_allclose(matrix[outputs[name], columns], matrix.max(axis=0), atol=TIE, err_msg=name)
        elif name == "word_maps":
            rows = ~tied["best_token"]
            np.testing.assert_allclose(outputs[name][rows], values[rows], atol=TOLERANCE, rtol=TOLERANCE, err_msg=name)
        elif name == "rank":  # patches with equal scores may take either rank
            assert sorted(outputs[name]) == sorted(values)
            by_rank, scores = np.argsort(outputs[name]), expected["score"]
            np.testing.assert_allclose(scores[by_rank], scores[np.argsort(values)], atol=TIE, rtol=0, err_msg=name)
        elif values.dtype.kind in "bi":
            np.testing.assert_array_equal(outputs[name], values, name)
        else:
            np.testing.assert_allclose(outputs[name], values, atol=TOLERANCE, rtol=TOLERANCE, err_msg=name)
    return sum(int(words.sum()) for words in tied.values())

from typing import Any

import numpy as np
import onnxruntime
import torch
from torch import Tensor, nn

from seps.method.selection import top_k_mask
from seps.models.export.graphs import Graph, to_onnx


class Decision(nn.Module):
    def forward(self, scores: Tensor) -> dict[str, Tensor]:
        scores = scores.double()
        order = scores.argsort(dim=-1, descending=True, stable=True)
        return {"mask": top_k_mask(scores, 150), "order": order, "reverse": scores.argsort(dim=-1, stable=True)}


def outputs(module: nn.Module, name: str, values: Tensor) -> tuple[dict[str, Tensor], dict[str, Any]]:
    proto = to_onnx(Graph(module, {name: (2, values.shape[1])}), vocabulary=2)
    session = onnxruntime.InferenceSession(proto.SerializeToString())
    names = [output.name for output in session.get_outputs()]
    return module(values), dict(zip(names, session.run(None, {name: values.numpy()}), strict=True))


def test_of_equal_scores_the_earlier_patch_is_kept() -> None:
    scores = torch.randint(0, 5, (2, 300)).float()  # of few values, so that most are tied
    scores[1] = 5
    expected, results = outputs(Decision(), "scores", scores)
    for name, values in expected.items():
        np.testing.assert_array_equal(results[name], values)

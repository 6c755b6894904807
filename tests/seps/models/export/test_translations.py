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


def test_of_equal_scores_the_earlier_patch_is_kept() -> None:
    scores = torch.randint(0, 5, (2, 300)).float()  # of few values, so that most are tied
    scores[1] = 5
    proto = to_onnx(Graph(Decision(), {"scores": (2, 300)}), vocabulary=2)
    session = onnxruntime.InferenceSession(proto.SerializeToString())
    names = [output.name for output in session.get_outputs()]
    results = dict(zip(names, session.run(None, {"scores": scores.numpy()}), strict=True))
    for name, values in Decision()(scores).items():
        np.testing.assert_array_equal(results[name], values)

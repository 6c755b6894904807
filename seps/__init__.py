"""SEPS (arXiv 2511.01390): which patches does a caption keep, and how alike does that make image and caption?

Read the method in the order in which it runs: `tokens`, `selection` (equations 1 to 3), `aggregation` (4),
`alignment` (5), `network` (the above, in order), `losses` (6 and 7). Around it: `explanation` tells one forward
pass in full, `engine` scores many images and captions exactly and fast, `metrics` counts recalls. With photographs and
sentences: `load_model` gives a trained `model`, made of `encoders` and the network; `data`, `train`, `evaluate`,
`grounding` and `convert` are for those who train one.
"""

from typing import TYPE_CHECKING, Any

from seps.aggregation import DualTokenAggregation, TokenAggregation
from seps.alignment import HRPA, Alignment
from seps.engine import CaptionIndex, ImageIndex, Ranking, ScoringEngine
from seps.explanation import AlignmentExplanation, BranchExplanation, Explanation, explain
from seps.losses import SEPSLoss, align_loss, ratio_loss
from seps.metrics import Recall, RetrievalMetrics, image_to_text_ranks, retrieval_metrics, text_to_image_ranks
from seps.network import CrossSparseAggrNet, Match
from seps.selection import Selection, TokenSparse
from seps.tokens import join_tokens, split_cls

if TYPE_CHECKING:
    from seps.hub import load_model
    from seps.model import SEPSModel

__all__ = [
    "HRPA",
    "Alignment",
    "AlignmentExplanation",
    "BranchExplanation",
    "CaptionIndex",
    "CrossSparseAggrNet",
    "DualTokenAggregation",
    "Explanation",
    "ImageIndex",
    "Match",
    "Ranking",
    "Recall",
    "RetrievalMetrics",
    "SEPSLoss",
    "SEPSModel",
    "ScoringEngine",
    "Selection",
    "TokenAggregation",
    "TokenSparse",
    "align_loss",
    "explain",
    "image_to_text_ranks",
    "join_tokens",
    "load_model",
    "ratio_loss",
    "retrieval_metrics",
    "split_cls",
    "text_to_image_ranks",
]


def __getattr__(name: str) -> Any:
    """`load_model` and `SEPSModel`, imported when first asked for: timm and transformers take seconds."""
    if name == "load_model":
        from seps.hub import load_model

        return load_model
    if name == "SEPSModel":
        from seps.model import SEPSModel

        return SEPSModel
    raise AttributeError(f"module 'seps' has no attribute {name!r}")

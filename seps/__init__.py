"""SEPS (arXiv 2511.01390): which patches does a caption keep, and how alike does that make image and caption?

Read `method` in the order in which it runs: `tokens`, `selection` (equations 1 to 3), `aggregation` (4), `alignment`
(5), `network` (the above, in order), `losses` (6 and 7); `explanation` tells one forward pass in full. `search` scores
many images and captions exactly and fast, ranks them and counts recalls. With photographs and sentences: `load_model`
gives a trained model of `models`, made of `encoders` and the network; `data`, `training` and `evaluation` are for those
who train one.
"""

from typing import TYPE_CHECKING, Any

from seps.method.aggregation import DualTokenAggregation, TokenAggregation
from seps.method.alignment import HRPA, Alignment
from seps.method.explanation import AlignmentExplanation, BranchExplanation, Explanation, explain
from seps.method.losses import SEPSLoss, align_loss, ratio_loss
from seps.method.network import CrossSparseAggrNet, Match
from seps.method.selection import Selection, TokenSparse
from seps.method.tokens import join_tokens, split_cls
from seps.search.engine import CaptionIndex, ImageIndex, Ranking, ScoringEngine
from seps.search.metrics import Recall, RetrievalMetrics, image_to_text_ranks, retrieval_metrics, text_to_image_ranks

if TYPE_CHECKING:
    from seps.models.hub import load_model
    from seps.models.model import SEPSModel

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
        from seps.models.hub import load_model

        return load_model
    if name == "SEPSModel":
        from seps.models.model import SEPSModel

        return SEPSModel
    raise AttributeError(f"module 'seps' has no attribute {name!r}")

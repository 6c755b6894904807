"""SEPS (arXiv 2511.01390): which patches does a caption keep, and how alike does that make image and caption?

Read the method in the order in which it runs: `tokens`, `selection` (equations 1 to 3), `aggregation` (4),
`alignment` (5), `network` (the above, in order), `losses` (6 and 7). Around it: `explanation` tells one forward
pass in full, `engine` scores many images and captions exactly and fast, `metrics` counts recalls.
"""

from seps.aggregation import DualTokenAggregation, TokenAggregation
from seps.alignment import HRPA, Alignment
from seps.engine import CaptionIndex, ImageIndex, Ranking, ScoringEngine
from seps.explanation import AlignmentExplanation, BranchExplanation, Explanation, explain
from seps.losses import SEPSLoss, align_loss, ratio_loss
from seps.metrics import Recall, RetrievalMetrics, image_to_text_ranks, retrieval_metrics, text_to_image_ranks
from seps.network import CrossSparseAggrNet, Match
from seps.selection import Selection, TokenSparse
from seps.tokens import join_tokens, split_cls

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
    "ScoringEngine",
    "Selection",
    "TokenAggregation",
    "TokenSparse",
    "align_loss",
    "explain",
    "image_to_text_ranks",
    "join_tokens",
    "ratio_loss",
    "retrieval_metrics",
    "split_cls",
    "text_to_image_ranks",
]

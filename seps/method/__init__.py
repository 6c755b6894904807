"""The paper, in the order in which it runs: tokens, selection (equations 1 to 3), aggregation (4), alignment (5),
network (the above, in order), losses (6 and 7).

Sections of the paper, arXiv 2511.01390v1: equations 1 to 3 are in 3.2.1, equation 4 in 3.2.2, equations 5 to 7 in 3.3.

`seps.explanation` records one forward pass and tests it; `seps.training.losses.pairwise` scores the pairs of
a batch in training.
"""

# ruff: noqa: F401

from seps.method.aggregation import DualTokenAggregation, TokenAggregation
from seps.method.alignment import HRPA, Alignment
from seps.method.losses import SEPSLoss, align_loss, ratio_loss
from seps.method.network import CrossSparseAggrNet, Match
from seps.method.selection import Selection, TokenSparse
from seps.method.tokens import join_tokens, split_cls

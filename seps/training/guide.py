"""The training guide's advice and healthy ranges, in one table.

The guide is `SEPSLOSS_USAGE_GUIDE.md` of github.com/maxingan2412/seps (commit 293d60e), a copy of the released code
with notes; the README meant below is the released code's own. What this project adds is marked as ours. `python -m
seps.training.guide` prints the table; the app's lesson shows it on its page of losses.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from dataclasses import dataclass

from seps.cli import Parser

KEPT_OFF = 0.05  # how far from its target the kept ratio may be
MAX_RATIO_WEIGHT = 5.0
MIN_KEPT, MAX_KEPT = 50, 150  # patches
HEALTHY = {"loss": (10.0, 30.0), "align": (8.0, 25.0), "ratio": (0.0, 0.01)}  # the first two at the start of training
CLAIMED_KEPT = {0.0: (0.2, 0.8), 1.0: (0.45, 0.55), 2.0: (0.48, 0.52), 5.0: (0.5, 0.5)}  # by ratio weight, target 0.5


@dataclass(frozen=True)
class Advice:
    """One row of the table: a setting of a recipe, its usual value, when to change it, and who says so."""

    setting: str
    usual: str
    raise_it: str
    lower_it: str
    source: str = "guide"


ADVICE = (
    Advice(
        "margin",
        "0.2",
        "to 0.3-0.5 where the loss falls fast and stops early, or all similarities become high",
        "to 0.1-0.15 where the loss falls slowly; leave it where training is normal and only dev is poor",
    ),
    Advice(
        "ratio_weight",
        "2",
        "to 3-5 where the kept ratio swings; above 5 it constrains too much",
        "to 1-1.5 where training is unstable; 0 leaves the kept ratio free, which it advises against",
    ),
    Advice(
        "lambda_sparse, lambda_dense",
        "1 and 1",
        "the first to 1.5 where captions are more accurate, the second where dense captions say more",
        "seldom: it expects less than 0.5% of difference",
    ),
    Advice(
        "sparse_ratio",
        "0.5 (ViT-224)",
        "0.8 for Swin-224, 0.6-0.8 for Swin-384: few patches",
        "0.3-0.4 for ViT-384: many patches; 50 to 150 are to be kept",
    ),
    Advice(
        "batch_size",
        "64",
        "108 in about 40 GB",
        "64 takes about 20 GB of a GPU: take what fits",
        "released README",
    ),
    Advice(
        "hard_after",
        "1",
        "where the loss jumps as hardest negatives begin",
        "not to 0: hardest negatives from epoch 0 on make training unstable",
        "guide; when to raise it: ours",
    ),
    Advice(
        "order in which to mend",
        "align, ratio, hard negatives",
        "first only the ranking loss (ratio_weight 0) until it falls, then the ratio loss until the kept ratio is "
        "within 0.05 of its target",
        "hardest negatives last",
    ),
    Advice(
        "losses at the start",
        "total 10-30, align 8-25, ratio 0-0.01",
        "a sum over a batch of 32 with hardest negatives: while all similarities are alike it is 2 B margin = 12.8",
        "with all negatives it starts near 2 B (B - 1) margin = 397, far outside",
        "ranges: guide; why: ours",
    ),
)


def table() -> str:
    """Return the advice as a Markdown table."""
    rows = [(row.setting, row.usual, row.raise_it, row.lower_it, row.source) for row in ADVICE]
    head = ("setting", "usual", "raise it", "lower it", "who says so")
    return "\n".join(f"| {' | '.join(row)} |" for row in (head, ("---",) * len(head), *rows))


def main(arguments: Sequence[str] | None = None) -> int:
    """Print the table; returns the program's exit code."""
    Parser(prog="python -m seps.training.guide", description=main.__doc__).parse_args(arguments)
    print(table())
    return 0


if __name__ == "__main__":
    sys.exit(main())

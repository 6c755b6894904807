"""The paper, in the order in which it runs: tokens, selection (equations 1 to 3), aggregation (4), alignment (5),
network (the above, in order), losses (6 and 7).

Sections of the paper, arXiv 2511.01390v1: equations 1 to 3 are in 3.2.1, equation 4 in 3.2.2, equations 5 to 7 in 3.3.

`seps.explanation` records one forward pass and tests it; `seps.training.losses.pairwise` scores the pairs of
a batch in training.
"""

from importlib import import_module
from typing import Any

HOMES = {  # the public names of each module here, which `seps` has too
    "tokens": "join_tokens split_cls",
    "selection": "Selection TokenSparse",
    "aggregation": "DualTokenAggregation TokenAggregation",
    "alignment": "Alignment HRPA",
    "network": "CrossSparseAggrNet Match",
    "losses": "SEPSLoss align_loss ratio_loss",
}


def __getattr__(name: str) -> Any:
    """Import a public name of a module here when it is first used."""
    for module, names in HOMES.items():
        if name in names.split():
            return getattr(import_module(f"seps.method.{module}"), name)
    raise AttributeError(f"module 'seps.method' has no attribute {name!r}")

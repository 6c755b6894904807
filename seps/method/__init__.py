"""The paper, in the order in which it runs: tokens, selection (equations 1 to 3), aggregation (4), alignment (5),
network (the above, in order), losses (6 and 7).

`seps.explanation` tells one forward pass in full and puts it to the test; `seps.training.pairwise` scores the pairs of
a batch in training.
"""

from importlib import import_module
from types import ModuleType

MOVED = {  # modules that older programs import from here, and where they are now
    "attribution": "seps.explanation.attribution",
    "blanking": "seps.explanation.blanking",
    "caption_words": "seps.explanation.caption_words",
    "effects": "seps.explanation.effects",
    "explanation": "seps.explanation.forward_pass",
    "mask_flips": "seps.explanation.mask_flips",
    "minimal": "seps.explanation.minimal",
    "pairwise": "seps.training.pairwise",
    "spread": "seps.explanation.spread",
    "summary": "seps.explanation.record",
}


def __getattr__(name: str) -> ModuleType:
    """Return a module that moved, under its former name."""
    if name in MOVED:
        return import_module(MOVED[name])
    raise AttributeError(f"module 'seps.method' has no attribute {name!r}")

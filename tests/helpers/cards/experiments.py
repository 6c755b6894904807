"""Tables of the guide's page of experiments."""

from __future__ import annotations

from tests.helpers.cards.captioner import choices
from tests.helpers.cards.generator import warned_of
from tests.helpers.cards.judge import ablation
from tests.helpers.cards.photos import (
    class_weights,
    decision,
    further_step,
    rivals_of_the_decision,
    seeds,
    seeds_of_the_decision,
    tried,
)

__all__ = [
    "ablation",
    "choices",
    "class_weights",
    "decision",
    "further_step",
    "rivals_of_the_decision",
    "seeds",
    "seeds_of_the_decision",
    "tried",
    "warned_of",
]

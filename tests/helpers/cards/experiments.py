"""Tables of the guide's page of experiments."""

from tests.helpers.cards.judge import ablation
from tests.helpers.cards.photos import decision

__all__ = ["ablation", "decision"]

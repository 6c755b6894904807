"""SEPS (arXiv 2511.01390): patch selection for image-text retrieval, with explanations.

Read `method` in the order in which it runs: `tokens`, `selection` (equations 1 to 3), `aggregation` (4), `alignment`
(5), `network` (all of these), `losses` (6 and 7). `load_model` returns a trained model for photographs and sentences.
"""

# ruff: noqa: F401

import sys
from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:  # the names of HOMES
    from seps.explanation.attribution import Attribution, split_similarity
    from seps.explanation.blanking import Blanked, measure_blanked
    from seps.explanation.blurring import measure_blurred
    from seps.explanation.effects import Effects, measure_effects
    from seps.explanation.forward_pass import explain
    from seps.explanation.minimal import MinimalSet, smallest_change, smallest_set
    from seps.explanation.record import AlignmentExplanation, BranchExplanation, Explanation
    from seps.method.aggregation import DualTokenAggregation, TokenAggregation
    from seps.method.alignment import HRPA, Alignment
    from seps.method.losses import SEPSLoss, align_loss, ratio_loss
    from seps.method.network import CrossSparseAggrNet, Match
    from seps.method.selection import Selection, TokenSparse
    from seps.method.tokens import join_tokens, split_cls
    from seps.models.hub import load_model
    from seps.models.model import SEPSModel
    from seps.models.shipped import shipped_file
    from seps.notebook import compare, show
    from seps.search.engine import CaptionIndex, ImageIndex, Ranking, ScoringEngine
    from seps.search.metrics import (
        Recall,
        RetrievalMetrics,
        image_to_text_ranks,
        retrieval_metrics,
        text_to_image_ranks,
    )

HOMES = {  # the names of each module
    "seps.method.aggregation": "DualTokenAggregation TokenAggregation",
    "seps.method.alignment": "HRPA Alignment",
    "seps.explanation.attribution": "Attribution split_similarity",
    "seps.explanation.blanking": "Blanked measure_blanked",
    "seps.explanation.effects": "Effects measure_effects",
    "seps.explanation.forward_pass": "explain",
    "seps.explanation.record": "AlignmentExplanation BranchExplanation Explanation",
    "seps.method.losses": "SEPSLoss align_loss ratio_loss",
    "seps.explanation.minimal": "MinimalSet smallest_change smallest_set",
    "seps.method.network": "CrossSparseAggrNet Match",
    "seps.method.selection": "Selection TokenSparse",
    "seps.method.tokens": "join_tokens split_cls",
    "seps.search.engine": "CaptionIndex ImageIndex Ranking ScoringEngine",
    "seps.search.metrics": "Recall RetrievalMetrics image_to_text_ranks retrieval_metrics text_to_image_ranks",
    "seps.explanation.blurring": "measure_blurred",
    "seps.models.hub": "load_model",
    "seps.models.model": "SEPSModel",
    "seps.models.shipped": "shipped_file",
    "seps.notebook": "compare show",
}
__all__ = sorted(name for names in HOMES.values() for name in names.split())


def __getattr__(name: str) -> Any:
    """Import a public name on first use: torch and transformers take seconds to import."""
    for module, names in HOMES.items():
        if name in names.split():
            globals()[name] = getattr(import_module(module), name)
            return globals()[name]
    raise AttributeError(f"module 'seps' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})


class AuthorsFiles:
    """Import finder that answers names of the authors' files, such as `seps_modules`, with the name used here."""

    @staticmethod
    def find_spec(name: str, *_arguments: object) -> None:
        """Raise ModuleNotFoundError with the right import for a module name of the authors' code."""
        package, _, module = name.rpartition(".")
        if module.startswith("seps_modules") and package in ("", "seps", "seps.method"):
            meant = f"from {package or 'seps'} import CrossSparseAggrNet, SEPSLoss"
            raise ModuleNotFoundError(f"{module}.py is the package seps here: {meant}.")


sys.meta_path.append(AuthorsFiles)

"""SEPS (arXiv 2511.01390): which patches does a caption keep, and how alike does that make image and caption?

Read `method` in the order in which it runs: `tokens`, `selection` (equations 1 to 3), `aggregation` (4), `alignment`
(5), `network` (the above, in order), `losses` (6 and 7). `explanation` tells one forward pass in full, splits its score
and measures what it would be under other decisions, patches or pixels. `search` scores many images and captions exactly
and fast, ranks them and counts recalls. With photographs and sentences: `load_model` gives a trained model of `models`,
made of `encoders` and the network, and `models.export` writes it as ONNX graphs; `indexing` brings folders of
photographs into tables on disk, which `search` ranks; `data`, `runs`, `training` and `evaluation` are for those who
train one. `judge` and `generator` are trained with the same `runs`, the latter on `scenes`, a drawn world whose truth
is known. `configs` has encoders and recipes by name.

All of it stands on `checks`, `cli`, `fields`, `files`, `notebook`, `numbers`, `photos`, `precision`, `progress` and
`videos`, which know nothing of SEPS. Programs are named in `__main__`: the command `seps` lists them; `train`,
`evaluate`, `grounding`, `baseline`, `convert`, `publish` and `index` are thin ones.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
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

__all__ = [
    "HRPA",
    "Alignment",
    "AlignmentExplanation",
    "Attribution",
    "Blanked",
    "BranchExplanation",
    "CaptionIndex",
    "CrossSparseAggrNet",
    "DualTokenAggregation",
    "Effects",
    "Explanation",
    "ImageIndex",
    "Match",
    "MinimalSet",
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
    "compare",
    "explain",
    "image_to_text_ranks",
    "join_tokens",
    "load_model",
    "measure_blanked",
    "measure_blurred",
    "measure_effects",
    "ratio_loss",
    "retrieval_metrics",
    "shipped_file",
    "show",
    "smallest_change",
    "smallest_set",
    "split_cls",
    "split_similarity",
    "text_to_image_ranks",
]

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
FORMER = {"Shares": "Attribution", "Standing": "MinimalSet"}  # names that older programs import, and today's


def __getattr__(name: str) -> Any:
    """Return a public name, its module imported when it is first asked for: torch and transformers take seconds."""
    name = FORMER.get(name, name)
    for module, names in HOMES.items():
        if name in names.split():
            globals()[name] = getattr(import_module(module), name)
            return globals()[name]
    raise AttributeError(f"module 'seps' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})

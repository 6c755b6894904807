"""How good a generated picture looks and how well it fits its prompt, in agreement with people.

Both scores are the encoders' scores, corrected by a small network by at most a fixed amount (see `network`), so
that a few thousand ratings do not overfit. `load_judge` gives a trained judge; its `score` returns both scores with
their parts and each patch's part of the quality base; `spoil.distort` makes pictures worse by a strength.
`python -m seps.judge` trains, measures, scores, sorts and ablates.
"""

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from seps.judge.judge import Judge, JudgeFeatures, Score, Verdict, load_judge, shipped_judges

__all__ = ["Judge", "JudgeFeatures", "Score", "Verdict", "load_judge", "shipped_judges"]


def __getattr__(name: str) -> Any:
    """Return the names above, imported when first asked for: timm and transformers take seconds."""
    if name in __all__:
        from seps.judge import judge

        return getattr(judge, name)
    raise AttributeError(f"module 'seps.judge' has no attribute {name!r}")

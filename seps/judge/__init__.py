"""How good a generated picture looks and how well it fits its prompt, in agreement with people."""

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

"""How a judge's quality falls as package photographs are spoilt: reported by its card and measured by a test."""

from itertools import pairwise

from PIL import Image

from demo.galleries.sources.packaged import load_examples
from seps.judge.judge import Judge
from seps.judge.spoil import distort

SPOILT = ("blur", "noise", "blocks")
STEPS = 5  # strengths from 0 to 1


def curve(judge: Judge, photo: Image.Image, kind: str, steps: int = STEPS) -> list[float]:
    """Quality at strengths 0 to 1."""
    return [seen.quality.final for seen in judge.features([distort(photo, kind, i / steps) for i in range(steps + 1)])]


def falls(qualities: list[float]) -> bool:
    """Whether each strength lies below the one before it; once quality is 0 it stays there."""
    return all(after < before or after == before == 0.0 for before, after in pairwise(qualities))


def curves(judge: Judge, steps: int = STEPS) -> dict[str, dict[str, list[float]]]:
    """Each photograph's curve under each kind."""
    return {
        kind: {example.name: curve(judge, example.photo(), kind, steps) for example in load_examples()}
        for kind in SPOILT
    }

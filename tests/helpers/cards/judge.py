"""Tables of the judge's card."""

from statistics import fmean
from typing import Any

from tests.helpers.cards.cells import Figures, between, table
from tests.helpers.models.spoilt import SPOILT, STEPS, falls

__all__ = ["ablation", "agreement", "by_generator", "spoilt"]

SCORES = ("quality", "consistency")
CORRELATIONS = ("srocc", "plcc", "krcc")


def agreement(results: Figures) -> str:
    """Rank and linear correlations with people's ratings: the shipped seed with intervals, and the mean of all."""
    rows = []
    for score in SCORES:
        measured = [seed[score] for seed in (results["shipped"], *results["seeds"][1:])]
        shipped = measured[0]
        cells = [between(shipped[name], *shipped["intervals"][name]) for name in CORRELATIONS]
        rows.append([f"{score}, seed 0 (shipped)", *cells])
        means = [fmean(figures[name] for figures in measured) for name in CORRELATIONS]
        rows.append([f"{score}, mean of three", *(f"{value:.3f}" for value in means)])
    return table(["score", "SROCC", "PLCC", "KRCC"], rows)


def by_generator(results: Figures) -> str:
    """Agreement among the pictures of each system that made them."""
    rows = []
    for name, figures in results["shipped"]["by_generator"].items():
        cells = [
            f"{figures[score][key]:{how}}" for score in SCORES for key, how in (("srocc", ".3f"), ("error", "+.3f"))
        ]
        rows.append([name, str(figures["pictures"]), *cells])
    return table(["made by", "pictures", "quality SROCC", "error", "consistency SROCC", "error"], rows)


def spoilt(results: Figures) -> str:
    """Mean quality at each strength of each way to spoil a picture, and on how many pictures it falls throughout."""
    rows = []
    for kind in SPOILT:
        curves = list(results["spoilt"][kind].values())
        falling = f"{sum(map(falls, curves))} of {len(curves)}"
        rows.append([kind, falling, *(f"{fmean(qualities):.2f}" for qualities in zip(*curves, strict=True))])
    return table(["spoilt by", "falls on", *(f"{i / STEPS:g}" for i in range(STEPS + 1))], rows)


def ablation(runs: list[dict[str, Any]]) -> str:
    """SROCC of each form of the network on a split by prompt, mean of its seeds (lowest to highest)."""
    rows = []
    for variant in dict.fromkeys(run["variant"] for run in runs):
        cells = []
        for score in SCORES:
            values = [run[score] for run in runs if (run["variant"], run["split"]) == (variant, "prompt")]
            cells.append(f"{fmean(values):.3f} ({min(values):.3f} to {max(values):.3f})")
        rows.append([variant, *cells])
    return table(["", *SCORES], rows)

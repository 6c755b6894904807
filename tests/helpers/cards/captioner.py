"""Tables of the photographs' captioner's card."""

from __future__ import annotations

from tests.helpers.cards.cells import Figures, between, table

__all__ = ["captions", "weights"]

NAMES = {"bleu_1": "BLEU-1", "bleu_2": "BLEU-2", "bleu_3": "BLEU-3", "bleu_4": "BLEU-4", "meteor": "METEOR"}
RATED = (("rouge_l", 1), ("cider", 3))  # with intervals, to so many digits
WAYS = {
    "greedy": "greedy",
    "beam": "beam search",
    "reranked": "beam search, chosen by SEPS's score too",
    "people": "the first caption of people, against the other four",
}


def captions(results: Figures) -> str:
    """How near captions are to people's, each way of writing them a row."""
    rows = []
    for way, title in WAYS.items():
        measured = results[way]
        intervals = []
        for name, digits in RATED:
            low, high = measured["intervals"][name]
            intervals.append(between(measured[name], low, high, digits))
        rows.append([title, *(f"{measured[name]:.1f}" for name in NAMES), *intervals, f"{measured['distinct']:.2f}"])
    return table(["", *NAMES.values(), "ROUGE-L", "CIDEr", "distinct"], rows)


def weights(*splits: Figures) -> str:
    """BLEU-4 and CIDEr of what is chosen with each weight of SEPS's score, two columns a split."""
    titles = [f"{each['split']}: {name}" for each in splits for name in ("BLEU-4", "CIDEr")]
    rows = []
    for weight in splits[0]["weights"]:
        chosen = [each["weights"][weight] for each in splits]
        rows.append([weight, *(cell for each in chosen for cell in (f"{each['bleu_4']:.1f}", f"{each['cider']:.3f}"))])
    return table(["weight of S(I, T)", *titles], rows)

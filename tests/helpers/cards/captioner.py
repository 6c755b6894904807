"""Tables of the photographs' captioner's card."""

from tests.helpers.cards.cells import Figures, between, table

__all__ = ["captions"]

NAMES = {"bleu_1": "BLEU-1", "bleu_2": "BLEU-2", "bleu_3": "BLEU-3", "bleu_4": "BLEU-4", "meteor": "METEOR"}
RATED = (("rouge_l", 1), ("cider", 3))  # with intervals, to so many digits
WAYS = {
    "greedy": "greedy",
    "beam": "beam search",
    "reranked": "16 beams, chosen by SEPS's score and agreement too",
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

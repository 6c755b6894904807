"""Facts for titles and sentences of single layers, see `demo.record.layers.layer_table`."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from demo.record.texts.language import phrase
from demo.record.texts.table import TABLE, say

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from demo.service.measuring.measured import Region
    from seps import BranchExplanation, Explanation


@dataclass(frozen=True)
class Shown:
    """A layer of a record: its name and number, its branch, its values (N,) or (K, N), and its measurements."""

    name: str
    number: int | None
    record: Explanation
    branch: BranchExplanation
    values: NDArray[Any]
    measured: Any = None


@dataclass(frozen=True)
class Facts:
    """Numbers and names for the templates, and which templates title and sentence have if not the row's own."""

    named: dict[str, Any] = field(default_factory=dict)
    title: str = ""
    sentence: str = ""


def no_more(shown: Shown) -> Facts:
    """Nothing else."""
    return Facts()


def of_part(shown: Shown) -> Facts:
    """Return a part of the score: its name in words and its weight in the total."""
    return Facts({"part": say(f"part.{shown.name}"), "weight": shown.branch.coefficients[shown.name]})


def of_both(shown: Shown) -> Facts:
    """Return the decisions of both branches: how many patches are kept by both, by only one, and by none."""
    fates = ("none", "sparse", "dense", "both")
    return Facts({name: int((shown.values == fate).sum()) for fate, name in enumerate(fates)})


def of_tokens(shown: Shown) -> Facts:
    """Return all aggregated tokens: a single one has a separate title."""
    return Facts(title="tokens" if len(shown.values) > 1 else "tokens_one")


def of_extra(shown: Shown) -> Facts:
    """Return the extra token, which is of nothing where every patch is kept."""
    return Facts(sentence="extra_none" if shown.branch.kept.all() else "extra")


def of_word(shown: Shown) -> Facts:
    """Return a word map: the token that the word met best, and their entry in the matrix."""
    alignment, number = shown.record.sparse_alignment, shown.number or 0
    best = int(alignment.best_token[number])
    named = {"token": token_name(alignment.tokens[best]), "entry": alignment.matrix[best, number]}
    return Facts(named, sentence="word" if shown.values.any() else "word_placeless")


def of_class(shown: Shown) -> Facts:
    """Return the class that is the best one of most patches, the first of them by name, and of how many."""
    assert shown.record.classes is not None  # the layer is there
    names = shown.record.classes.names
    most = min(set(names), key=lambda name: (-names.count(name), name))
    return Facts({"class": most, "patches": names.count(most)})


def of_effects(shown: Shown) -> Facts:
    """Effects of patches: what dropping a region costs, where that is known."""
    region = shown.measured.region
    return Facts({"region": "" if region is None else f" {region_sentence(region)}"})


def of_decision(shown: Shown) -> Facts:
    """Return the smallest set or change: how many, and how the photo ranks with it."""
    decision = shown.measured
    if decision is None:  # nothing lets the photo lose
        return Facts(sentence=f"{shown.name}_none")
    return Facts(
        {
            "count": decision.count,
            "rank": decision.rank,
            "before": decision.rank_before,
            "similarity": decision.similarity,
            "greedy": say("sentence.greedy") if decision.count > 1 else "",
            "dropped": decision.dropped.sum(),
            "added": decision.added.sum(),
        }
    )


def token_name(label: str) -> str:
    """Return a token as sentences call it, by its label in the record: "aggregated 7", "extra" or "[CLS]"."""
    name, _, number = label.partition(" ")
    return say(f"token.{name}", number=number) if name in TABLE["token"] else label


def region_sentence(region: Region) -> str:
    """Describe the effect of dropping a region's patches."""
    cost = say("region.cost" if region.cost >= 0 else "region.gain", amount=abs(region.cost))
    key, name = "region.named" if region.named else "region.placed", phrase(region.name)
    return say(key, count=region.count, name=name, cost=cost)

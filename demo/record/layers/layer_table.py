"""The table of layers: what can be laid over a photo, a row each, for Python and, with the page, for its scripts. A
layer's text form is `name[:number][:branch]`; where a name comes with a number and without one, either has a row.
Nothing heavy is imported here: the page before the app carries the table too."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal

from demo.record.texts.language import phrase
from demo.record.texts.table import TABLE, say
from demo.service.measuring.measures import MEASURES, Measure

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from demo.service.measuring.measured import Region
    from seps import BranchExplanation, Explanation

SINGLE, EITHER, BOTH = ("sparse",), ("sparse", "dense"), ("both",)
FIRST = {"token": 1, "word": 0}  # where numbers begin
DECISION = {"kept": "kept", "dropped": "dropped"}


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
    name, _, place = alignment.tokens[best].partition(" ")  # "aggregated 7", "extra" or "[CLS]"
    token = say(f"token.{name}", number=place) if name in TABLE["token"] else alignment.tokens[best]
    named = {"token": token, "entry": alignment.matrix[best, number]}
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


def region_sentence(region: Region) -> str:
    """Describe the effect of dropping a region's patches."""
    cost = say("region.cost" if region.cost >= 0 else "region.gain", amount=round(abs(region.cost), 4))
    key, name = "region.named" if region.named else "region.placed", phrase(region.name)
    return say(key, count=region.count, name=name, cost=cost)


@dataclass(frozen=True)
class Row:
    """One layer, or all that differ only by a number or a branch; ValueError for a sum, or a factor, in its source
    where the scale is not "fates".

    The paths of `source` begin at "branch", the layer's branch, "sparse", "dense", "alignment" of the caption,
    "measures", or "classes", which only models with class vectors have. Only for "fates" there are several, each with a
    factor, which add up, missing ones as 0. A scale begins at "zero" or at the "lowest" value; or it is "diverging",
    with zero in the middle; a "mask", 0 dropped and 1 kept; or "fates", 0 dropped, 3 kept, and two looks between.
    """

    name: str  # as links write it
    source: Mapping[str, int]  # the path of its numbers in the record, with the factor 1; empty for the photo
    scale: Literal["none", "mask", "fates", "zero", "lowest", "diverging"]
    number: Literal["", "token", "word"] = ""  # the row of the source
    branches: tuple[str, ...] = SINGLE
    words: str = ""  # key of its title and sentence in table.json; default: its name
    unit: str = ""  # key of its scale's label in table.json; default: its name
    facts: Callable[[Shown], Facts] = no_more  # what these need besides the numbers of every layer
    # of a mask's patches, kept ones first, with their meanings in table.json
    looks: Mapping[str, str] = field(default_factory=lambda: DECISION)
    marked: tuple[int, ...] = (1,)  # values of a mask that its alternative text locates
    brief: str = ""  # that text's template, in place of title and sentence
    measure: Measure | None = None  # if it is measured on request
    compared: bool = False  # whether captions are compared by it

    def __post_init__(self) -> None:
        if self.scale != "fates" and list(self.source.values()) not in ([], [1]):
            raise ValueError(
                f'The source of the layer "{self.name}" is {self.source}: only the scale "fates" takes a sum or a '
                "factor other than 1."
            )

    @property
    def is_mask(self) -> bool:
        """Whether it shows decisions, and no values."""
        return self.scale in ("mask", "fates")

    @property
    def first(self) -> int:
        """The first of its numbers."""
        return FIRST.get(self.number, 0)

    @property
    def form(self) -> str:
        """Its text form, with a number where it has one."""
        return f"{self.name}:1" if self.number else self.name

    def matches(self, name: str, number: int | None, branch: str) -> bool:
        """Return whether it is the row of a layer."""
        return self.name == name and bool(self.number) == (number is not None) and branch in self.branches

    def for_page(self) -> dict[str, Any]:
        """Return the fields for the page's scripts; JSON ready."""
        values = {name: list(value) if isinstance(value, tuple) else value for name, value in vars(self).items()}
        measured = {"measured": self.measure is not None, "slow": self.measure is not None and self.measure.slow}
        facts = {"first": self.first, "facts": self.facts.__name__}
        return {name: value for name, value in values.items() if name != "measure"} | measured | facts


def _part(name: str, compared: bool = False) -> Row:
    source = {f"branch.parts.{name}": 1}
    return Row(name, source, "lowest", "", EITHER, "part", "part", of_part, compared=compared)


def _measured(measure: Measure) -> Iterator[Row]:
    name, path = measure.name, f"measures.{measure.name}"
    if measure.gives == "effects":
        source, words = {f"{path}.values": 1}, f"{name}_word"
        quick: dict[str, Any] = {"measure": measure, "compared": not measure.slow}
        yield Row(name, source, "diverging", unit="lost", facts=of_effects, **quick)
        source = {f"{path}.words": 1}
        yield Row(name, source, "diverging", "word", words=words, unit="share", measure=measure)
        return
    common: dict[str, Any] = {"unit": "mask", "facts": of_decision, "measure": measure, "compared": True}
    if measure.gives == "set":
        yield Row(name, {f"{path}.kept": 1}, "mask", **common)
    else:
        source = {"branch.kept": 3, f"{path}.dropped": -2, f"{path}.added": 2}
        looks = {"kept": "kept", "sparse": "to_drop", "dense": "to_keep", "dropped": "dropped"}
        yield Row(name, source, "fates", looks=looks, marked=(1, 2), **common)


LAYERS: tuple[Row, ...] = (
    Row("photo", {}, "none"),
    Row("mask", {"branch.kept": 1}, "mask", branches=EITHER, brief="mask.count", compared=True),
    Row(
        "mask",
        {"sparse.kept": 1, "dense.kept": 2},
        "fates",
        branches=BOTH,
        words="mask_both",
        facts=of_both,
        looks={"kept": "both", "sparse": "sparse", "dense": "dense", "dropped": "none"},
        marked=(3,),
        brief="alternative.mask_both",
    ),
    Row("score", {"branch.score": 1}, "lowest", branches=EITHER, compared=True),
    _part("s_p"),
    _part("s_st", compared=True),
    _part("s_im"),
    _part("s_dt"),
    Row("token", {"branch.aggregation_weights": 1}, "zero", "token", EITHER, unit="weights"),
    Row("tokens", {"branch.aggregation_weights": 1}, "zero", "", EITHER, unit="weights", facts=of_tokens),
    Row("extra", {"branch.extra_weights": 1}, "zero", "", EITHER, unit="weights", facts=of_extra),
    Row("word", {"alignment.word_maps": 1}, "zero", "word", unit="weights", facts=of_word),
    Row("fit", {"alignment.patch_cosines": 1}, "lowest", "word", unit="cosine"),
    Row("class", {"classes.probability": 1}, "zero", unit="probability", facts=of_class),
    *(row for measure in MEASURES for row in _measured(measure)),
)


def row_of(name: str, number: int | None, branch: str) -> Row | None:
    """Return the row of a layer; None if there is no such layer."""
    return next((row for row in LAYERS if row.matches(name, number, branch)), None)


def compared_names() -> list[str]:
    """Return the layers by which captions are compared."""
    return [row.name for row in LAYERS if row.compared]


def existing() -> str:
    """List the layers in words."""
    rows = {row.name: row for row in reversed(LAYERS) if row.branches != BOTH}  # a name's first row
    forms = {name: rows[name].form for name in dict.fromkeys(row.name for row in LAYERS)}
    forms[next(name for name in forms if rows[name].number == "word")] += " (or another number)"
    also = [row for row in LAYERS if row.number and rows[row.name] is not row]  # with a number too
    forms[also[-1].name] += f" (also {also[0].form}, of a word)"
    return f"{', '.join(forms.values())}; mask, scores and tokens also with :dense, and mask:both"

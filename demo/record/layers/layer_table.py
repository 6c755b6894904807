"""The table of layers: what can be laid over a photo, a row each, for Python and, with the page, for its scripts.

A layer's text form is `name[:number][:branch]`; where a name comes with a number and without one, either has a row.
Nothing heavy is imported here: the page before the app carries the table too.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from demo.record.layers import layer_facts as facts
from demo.service.measuring.measures import MEASURES, Measure

SINGLE, EITHER, BOTH = ("sparse",), ("sparse", "dense"), ("both",)
FIRST = {"token": 1, "word": 0}  # where numbers begin
DECISION = {"kept": "kept", "dropped": "dropped"}


@dataclass(frozen=True)
class Row:
    """One layer, or all that differ only by a number or a branch.

    The paths of `source` begin at "branch", the layer's branch, "sparse", "dense", "alignment" of the caption,
    "measures", or "classes", which only models with class vectors have. Only for "fates" there are several, each with a
    factor, which add up, missing ones as 0. A scale begins at "zero" or at the "lowest" value; or it is "diverging",
    with zero in the middle; a "mask", 0 dropped and 1 kept; or "fates", 0 dropped, 3 kept, and two looks between.

    Raises:
        ValueError: a sum, or a factor, where the scale is not "fates".
    """

    name: str  # as links write it
    source: Mapping[str, int]  # the path of its numbers in the record, with the factor 1; empty for the photo
    scale: Literal["none", "mask", "fates", "zero", "lowest", "diverging"]
    number: Literal["", "token", "word"] = ""  # the row of the source
    branches: tuple[str, ...] = SINGLE
    words: str = ""  # key of its title and sentence in table.json; default: its name
    unit: str = ""  # key of its scale's label in table.json; default: its name
    facts: Callable[[facts.Shown], facts.Facts] = facts.no_more  # what these need besides the numbers of every layer
    looks: Mapping[str, str] = field(
        default_factory=lambda: DECISION
    )  # of a mask's patches, kept ones first, with their meanings in table.json
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
        return {
            "name": self.name,
            "source": dict(self.source),
            "scale": self.scale,
            "number": self.number,
            "first": self.first,
            "branches": list(self.branches),
            "measured": self.measure is not None,
            "slow": self.measure is not None and self.measure.slow,
            "compared": self.compared,
            "words": self.words,
            "unit": self.unit,
            "facts": self.facts.__name__,
            "looks": dict(self.looks),
            "marked": list(self.marked),
            "brief": self.brief,
        }


def part(name: str, compared: bool = False) -> Row:
    """Return the row of a part of the total score."""
    source = {f"branch.parts.{name}": 1}
    return Row(name, source, "lowest", "", EITHER, "part", "part", facts.of_part, compared=compared)


def measured(measure: Measure) -> Iterator[Row]:
    """Yield the rows of a measure."""
    name, path = measure.name, f"measures.{measure.name}"
    if measure.gives == "effects":
        quick = not measure.slow
        yield Row(
            name,
            {f"{path}.values": 1},
            "diverging",
            unit="lost",
            facts=facts.of_effects,
            measure=measure,
            compared=quick,
        )
        words = f"{name}_word"
        yield Row(name, {f"{path}.words": 1}, "diverging", "word", words=words, unit="share", measure=measure)
    elif measure.gives == "set":
        source = {f"{path}.kept": 1}
        yield Row(name, source, "mask", unit="mask", facts=facts.of_decision, measure=measure, compared=True)
    else:
        source = {"branch.kept": 3, f"{path}.dropped": -2, f"{path}.added": 2}
        looks = {"kept": "kept", "sparse": "to_drop", "dense": "to_keep", "dropped": "dropped"}
        yield Row(
            name,
            source,
            "fates",
            unit="mask",
            facts=facts.of_decision,
            looks=looks,
            marked=(1, 2),
            measure=measure,
            compared=True,
        )


LAYERS: tuple[Row, ...] = (
    Row("photo", {}, "none"),
    Row("mask", {"branch.kept": 1}, "mask", branches=EITHER, brief="mask.count", compared=True),
    Row(
        "mask",
        {"sparse.kept": 1, "dense.kept": 2},
        "fates",
        branches=BOTH,
        words="mask_both",
        facts=facts.of_both,
        looks={"kept": "both", "sparse": "sparse", "dense": "dense", "dropped": "none"},
        marked=(3,),
        brief="alternative.mask_both",
    ),
    Row("score", {"branch.score": 1}, "lowest", branches=EITHER, compared=True),
    part("s_p"),
    part("s_st", compared=True),
    part("s_im"),
    part("s_dt"),
    Row("token", {"branch.aggregation_weights": 1}, "zero", "token", EITHER, unit="weights"),
    Row("tokens", {"branch.aggregation_weights": 1}, "zero", "", EITHER, unit="weights", facts=facts.of_tokens),
    Row("extra", {"branch.extra_weights": 1}, "zero", "", EITHER, unit="weights", facts=facts.of_extra),
    Row("word", {"alignment.word_maps": 1}, "zero", "word", unit="weights", facts=facts.of_word),
    Row("fit", {"alignment.patch_cosines": 1}, "lowest", "word", unit="cosine"),
    Row("class", {"classes.probability": 1}, "zero", unit="probability", facts=facts.of_class),
    *(row for measure in MEASURES for row in measured(measure)),
)


def row_of(name: str, number: int | None, branch: str) -> Row | None:
    """Return the row of a layer; None if there is no such layer."""
    return next((row for row in LAYERS if row.matches(name, number, branch)), None)


def names_by_word() -> list[str]:
    """Return the names numbered by word."""
    return [row.name for row in LAYERS if row.number == "word"]


def compared_names() -> list[str]:
    """Return the layers by which captions are compared."""
    return [row.name for row in LAYERS if row.compared]


def existing() -> str:
    """List the layers in words."""
    named = {row.name: row for row in reversed(LAYERS) if row.branches != BOTH}  # a name's first row
    rows = [row for row in LAYERS if named.get(row.name) is row]
    forms = [row.form for row in rows]
    also = [row for row in LAYERS if row.number and named[row.name] is not row]  # with a number too
    by_word = next((at for at, row in enumerate(rows) if row.number == "word"), None)
    if by_word is not None:
        forms[by_word] += " (or another number)"
    if also:
        last = max(at for at, row in enumerate(rows) if row.name in {row.name for row in also})
        forms[last] += f" (also {also[0].form}, of a word)"
    return f"{', '.join(forms)}; mask, scores and tokens also with :dense, and mask:both"

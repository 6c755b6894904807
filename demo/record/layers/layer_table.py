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
    return Row(name, source, "lowest", "", EITHER, "part", "part", facts.of_part, compared=compared)


def _measured(measure: Measure) -> Iterator[Row]:
    name, path = measure.name, f"measures.{measure.name}"
    if measure.gives == "effects":
        source, words = {f"{path}.values": 1}, f"{name}_word"
        quick: dict[str, Any] = {"measure": measure, "compared": not measure.slow}
        yield Row(name, source, "diverging", unit="lost", facts=facts.of_effects, **quick)
        source = {f"{path}.words": 1}
        yield Row(name, source, "diverging", "word", words=words, unit="share", measure=measure)
        return
    common: dict[str, Any] = {"unit": "mask", "facts": facts.of_decision, "measure": measure, "compared": True}
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
        facts=facts.of_both,
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
    Row("tokens", {"branch.aggregation_weights": 1}, "zero", "", EITHER, unit="weights", facts=facts.of_tokens),
    Row("extra", {"branch.extra_weights": 1}, "zero", "", EITHER, unit="weights", facts=facts.of_extra),
    Row("word", {"alignment.word_maps": 1}, "zero", "word", unit="weights", facts=facts.of_word),
    Row("fit", {"alignment.patch_cosines": 1}, "lowest", "word", unit="cosine"),
    Row("class", {"classes.probability": 1}, "zero", unit="probability", facts=facts.of_class),
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

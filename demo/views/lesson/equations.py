"""The paper's equations and their symbols: tables of LaTeX, `equations.json` and `legend.json`, for pages and files.

Each step of the method has rows. `when` names what must hold for a row, "!" in front what must not: "paper" or
"released" for the variant, "dense" a dense caption takes part, "captions" one is there, "both" both branches merge
tokens, "cls" the image has a [CLS] token, "drawn" the decision is drawn by chance. `file` says the same for files,
where the equations stand on one line. `number` is the paper's. In the legend, `says` is the key of the template
that explains a symbol."""

import json
from collections.abc import Collection
from pathlib import Path
from typing import Any

from demo.record.texts.maths import display
from demo.record.texts.table import say
from seps import Explanation

EQUATIONS: dict[str, list[dict[str, Any]]] = json.loads(
    Path(__file__).with_name("equations.json").read_text(encoding="utf-8")
)
LEGENDS: dict[str, list[dict[str, Any]]] = json.loads(
    Path(__file__).with_name("legend.json").read_text(encoding="utf-8")
)


def facts_of(record: Explanation, captions: bool, drawn: bool = False) -> set[str]:
    """Return the conditions that a record meets; `captions`: it has a dense one; `drawn`: by Gumbel-Softmax."""
    paper, dense = record.variant == "paper", record.dense
    both = paper and dense is not None and dense.aggregation_weights is not None
    holds = {"dense": dense is not None, "captions": captions, "both": both, "cls": record.has_cls, "drawn": drawn}
    return {record.variant} | {name for name, value in holds.items() if value}


def rows(step: str, facts: Collection[str], file: bool = False) -> list[tuple[str, int | None]]:
    """Return a step's equations where `facts` hold, on pages or in files, as LaTeX with its number or None."""
    return [(row["latex"], row.get("number")) for row in EQUATIONS[step] if _holds(row, facts, file)]


def legend(step: str, facts: Collection[str], file: bool = False) -> list[tuple[str, str]]:
    """Name the symbols of a step's equations: each as LaTeX with the template of what it stands for."""
    return [(row["latex"], f"legend.{row['says']}") for row in LEGENDS[step] if _holds(row, facts, file)]


def _holds(row: dict[str, Any], facts: Collection[str], file: bool) -> bool:
    """Whether a row of a table is shown where `facts` hold."""
    conditions = [*row.get("when", ()), *(row.get("file", ()) if file else ())]
    return all((name.removeprefix("!") in facts) != name.startswith("!") for name in conditions)


def page_equation(step: str, facts: Collection[str]) -> str:
    """Return a step's equations in MathML, one below the other."""
    return display(rows(step, facts))


def file_numbers(step: str, facts: Collection[str]) -> str:
    """Return the paper's numbers of what `file_equation` shows: "(4)", "(1) to (3)", or "" where it has none."""
    numbers = [number for _, number in rows(step, facts, file=True) if number is not None]
    if len(numbers) < 2:
        return "".join(f"({number})" for number in numbers)
    return say("file.numbers", first=numbers[0], last=numbers[-1])


def file_equation(step: str, facts: Collection[str]) -> str:
    """Return a step's equations in mathtext, on one line."""
    return r" \qquad ".join(latex for latex, _ in rows(step, facts, file=True))

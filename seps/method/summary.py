"""An explanation in a dozen lines, for people who print it."""

from __future__ import annotations

from textwrap import wrap
from typing import TYPE_CHECKING

from seps.numbers import written

if TYPE_CHECKING:
    from seps.method.explanation import AlignmentExplanation, BranchExplanation, Explanation

WIDTH = 100
MAX_WORDS = 16  # that are listed with the token that each met best


def summarize(record: Explanation) -> str:
    """Tell what an explanation holds: the score and its terms, what was kept, and what each word met."""
    rows, columns = record.grid
    cls = "with [CLS]" if record.has_cls else "without [CLS]"
    lines = [
        f"S(I, T) = {written(record.similarity, '.4f')} ({record.variant} variant, {rows} x {columns} patches {cls})"
    ]
    lines += indented("= " + " + ".join(f"{written(value, '.4f')} {name}" for name, value in record.terms.items()))
    for branch in (record.sparse, record.dense):
        lines += [] if branch is None else branch_lines(branch)
    for alignment in (record.sparse_alignment, record.dense_alignment):
        lines += [] if alignment is None else alignment_lines(alignment)
    return "\n".join([*lines, "Fields: " + ", ".join(record.__dataclass_fields__)])


def branch_lines(branch: BranchExplanation) -> list[str]:
    """What one branch kept, by which score, and what it made of it."""
    kept, total = int(branch.kept.sum()), branch.kept.size
    score = " + ".join(f"{branch.coefficients[name]:g} {name}" for name in branch.parts)
    weights = branch.aggregation_weights
    merged = "merges none of its own" if weights is None else f"merges them into {len(weights)} aggregated tokens"
    forced = ", as it was told to," if branch.forced else ""
    low, high = (written(float(end), ".3f") for end in (branch.score.min(), branch.score.max()))
    return [
        f"{branch.name} branch: keeps {kept} of {total} patches{forced} and {merged}",
        f"  score = {score}, from {low} to {high}",
    ]


def alignment_lines(alignment: AlignmentExplanation) -> list[str]:
    """Each word with the token that it met best and their entry of the matrix."""
    met = zip(alignment.words, alignment.best_token, alignment.matrix.max(axis=0), strict=True)
    entries = [f"{word}: {alignment.tokens[token]} ({written(entry, '.2f')})" for word, token, entry in met]
    more = [f"and {len(entries) - MAX_WORDS} more"] if len(entries) > MAX_WORDS else []
    head = f"{alignment.caption} caption: {len(entries)} words and the token that each met best"
    return [head, *indented(", ".join(entries[:MAX_WORDS] + more))]


def indented(text: str) -> list[str]:
    """The text in lines of at most WIDTH characters."""
    return wrap(
        text, WIDTH, initial_indent="  ", subsequent_indent="  ", break_long_words=False, break_on_hyphens=False
    )

"""Judgements to take away, as CSV and JSON."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import TYPE_CHECKING

from demo.drawing.formats import Download
from demo.drawing.rankings import ranking_file
from demo.service.judging import JudgeResult
from demo.views.judge.judgement import SCORES, judgement
from seps.numbers import rounded

if TYPE_CHECKING:  # the judge is imported with its first use
    from seps.judge import Score

Row = tuple[str, str, "Score", "Score"]  # key and title of a picture, its quality and its consistency
PARTS = ("base", "correction", "final")
COLUMNS = ("rank", "picture", "title", *(f"{name}_{part}" for name in SCORES for part in PARTS))


def judged_csv(rows: Sequence[Row], prompt: str, by: str, title: str) -> Download:
    """Pictures of one prompt with both scores in parts, the best by one of SCORES first.

    Args:
        rows: the pictures; prompt: theirs; by: "quality" or "consistency"; title: of the file.

    Raises:
        ValueError: another score to sort by.
    """
    if by not in SCORES:
        raise ValueError(f"by is {by!r}, but it must be one of {', '.join(SCORES)}.")
    place = 2 + SCORES.index(by)
    ordered = sorted(rows, key=lambda row: -row[place].final)  # type: ignore[union-attr]
    lines = [
        [rank, key, name] + [rounded(getattr(score, part), 6) for score in scores for part in PARTS] + [prompt]
        for rank, (key, name, *scores) in enumerate(ordered, start=1)
    ]
    return ranking_file((*COLUMNS, "prompt"), lines, "judge", title)


def judged_file(rows: Sequence[tuple[str, JudgeResult]], prompt: str, by: str, kind: str) -> bytes:
    """Judged pictures with their names as a "csv", or as "json" with each patch's attribution too; in their order, the
    best by `by` first."""
    if kind == "csv":
        return judged_csv(
            [(name, name, scores.quality, scores.consistency) for name, scores in rows], prompt, by, by
        ).content
    values = [{"picture": name, "prompt": prompt} | judgement(judged) for name, judged in rows]
    return (json.dumps(values, indent=1) + "\n").encode()

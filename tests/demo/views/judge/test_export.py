"""Judgements as files: sorted, whole, and read back as they were."""

from __future__ import annotations

import csv
import io
import json

import pytest
import torch

from demo.service.judging import JudgeResult
from demo.views.judge.export import judged_csv, judged_file
from seps.judge.judge import JudgeFeatures, Score

GOOD, BAD = Score(0.7, 0.1, 0.8, 0.2), Score(0.3, -0.05, 0.25, 0.2)


def lines(content: bytes) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(content.decode("utf-8-sig"))))


@pytest.mark.parametrize(("by", "order"), [("quality", ["b", "a"]), ("consistency", ["a", "b"])])
def test_pictures_are_sorted_by_either_score(by: str, order: list[str]) -> None:
    file = judged_csv([("a", "A", BAD, GOOD), ("b", "=B", GOOD, BAD)], "a cat, asleep", by, "examples")
    rows = lines(file.content)
    assert [row["picture"] for row in rows] == order
    assert [row["rank"] for row in rows] == ["1", "2"]
    b = rows[order.index("b")]
    assert (b["title"], b["prompt"]) == ("'=B", "a cat, asleep")
    assert [float(b[f"quality_{part}"]) for part in ("base", "correction", "final")] == [0.7, 0.1, 0.8]
    assert [float(b[f"consistency_{part}"]) for part in ("base", "correction", "final")] == [0.3, -0.05, 0.25]
    assert file.name == "seps-judge-examples-ranking.csv"


def test_another_score_is_refused() -> None:
    with pytest.raises(ValueError, match="by is 'beauty', but it must be one of quality, consistency"):
        judged_csv([], "a cat", "beauty", "examples")


def test_a_file_of_the_command_has_the_shares_as_json() -> None:
    seen = JudgeFeatures(torch.zeros(1), torch.zeros(1), 0.1, 0.0, torch.tensor([0.3, -0.2]).numpy(), (1, 2), GOOD)
    rows = [("one.png", JudgeResult(GOOD, BAD, seen))]
    value = json.loads(judged_file(rows, "a cat", "quality", "json"))
    assert (value[0]["picture"], value[0]["prompt"], value[0]["quality"]["final"]) == ("one.png", "a cat", 0.8)
    assert value[0]["shares"] == pytest.approx([0.3, -0.2])
    assert lines(judged_file(rows, "a cat", "quality", "csv"))[0]["consistency_final"] == "0.25"

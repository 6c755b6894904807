"""The training guide's advice, and its claim about the ratio weight beside what was measured."""

from __future__ import annotations

import json
from functools import lru_cache
from pathlib import Path
from typing import Any

from demo.record.language import phrase
from seps.training.guide import ADVICE, CLAIMED_KEPT

RATIO_FILE = Path(__file__).resolve().parents[3] / "assets" / "lesson" / "ratio_weights.json"


def advice_rows() -> list[tuple[str, ...]]:
    """Return the guide's advice: setting, usual value, when to raise it, when to lower it, and who says so."""
    return [tuple(map(phrase, (row.setting, row.usual, row.raise_it, row.lower_it, row.source))) for row in ADVICE]


@lru_cache(maxsize=1)
def ratio_experiment() -> dict[str, Any]:
    """Read what `seps.training.ratio_weights` measured, from assets/lesson/ratio_weights.json.

    Returns:
        `command`, `recipe`, `scenes`, `steps`, `batch_size` and `target_ratio`, and `runs`: for each ratio weight
        `ratio_weight`, `kept` of every step, `low`, `high` and `mean` over the last half of the steps, `claim`, the
        least and the greatest kept ratio that the guide gives, and whether the measured ones lie in it, `holds`, told
        to two decimals as the claim is.
    """
    experiment: dict[str, Any] = json.loads(RATIO_FILE.read_text(encoding="utf-8"))
    for run in experiment["runs"]:
        low, high = CLAIMED_KEPT[run["ratio_weight"]]
        run["claim"] = (low, high)
        run["holds"] = low <= round(run["low"], 2) and round(run["high"], 2) <= high
    return experiment

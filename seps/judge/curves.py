"""Curves of a judge's loss and of its agreement with people, see `seps.runs.run_log`."""

from seps.judge.config import SCORES
from seps.runs.run_log import Curves, Panel

AGREEMENT = tuple(f"{score}_{figure}" for score in SCORES for figure in ("srocc", "plcc", "krcc"))
CURVES = Curves(
    pictures={"loss.png": (("loss",), "loss on train"), "agreement.png": (AGREEMENT, "agreement on dev")},
    step_columns=("loss",),
    panels=(Panel("loss", "total loss"),),
    step_tags={"Loss/total": "loss"},
)

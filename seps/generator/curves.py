"""Loss curves of a generator's run, see `seps.runs.run_log`."""

from seps.generator.settings import LOSSES
from seps.runs.run_log import Curves, Panel

CURVES = Curves(
    pictures={
        "loss.png": (("loss", *LOSSES), "loss on train"),
        "dev_loss.png": (tuple(f"dev_{name}" for name in ("loss", *LOSSES)), "loss on dev"),
    },
    step_columns=("loss", *LOSSES),
    panels=(Panel("loss", "total loss"), *(Panel(name, f"{name} loss") for name in LOSSES)),
    step_tags={"Loss/total": "loss"} | {f"Loss/{name}": name for name in LOSSES},
)

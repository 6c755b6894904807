"""Loss curves of retrieval training, see `seps.runs.run_log`."""

from seps.runs.run_log import Curves, Panel

RECALLS = ("i2t_r1", "i2t_r5", "i2t_r10", "t2i_r1", "t2i_r5", "t2i_r10")
CURVES = Curves(
    pictures={
        "loss.png": (("loss", "align", "ratio"), "loss on train"),
        "recall.png": (RECALLS, "recall on dev, per cent"),
    },
    step_columns=("loss", "align", "ratio", "kept"),
    panels=(
        Panel("loss", "total loss"),
        Panel("align", "align loss"),
        Panel("ratio", "ratio loss"),
        Panel("kept", "kept ratio", "target_ratio"),
    ),
    step_tags={"Loss/total": "loss", "Loss/align": "align", "Loss/ratio": "ratio"},
    epoch_tags={"Ratio/kept": "kept", "Ratio/weight": "ratio_weight"},
)

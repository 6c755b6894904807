from pathlib import Path

import numpy as np
import pytest
from matplotlib.figure import Figure
from PIL import Image
from tensorboard.backend.event_processing.event_accumulator import EventAccumulator

from seps.runs.run_log import StepLog, draw_losses, forget_after, read_epochs, read_steps, write_epoch
from seps.training.loop import CURVES


def test_epochs_are_read_as_written_and_replaced(tmp_path: Path) -> None:
    assert read_epochs(tmp_path) == []
    first, second = {"epoch": 1.0, "loss": 0.5}, {"epoch": 2.0, "loss": 0.25, "rsum": 300.0}
    for row in (first, second, second | {"loss": 0.125}):
        write_epoch(tmp_path, CURVES, row, redraw=False)
    assert read_epochs(tmp_path) == [first, second | {"loss": 0.125}]


def scalars(folder: Path, tag: str) -> list[tuple[int, float]]:
    board = EventAccumulator(str(folder / "tensorboard")).Reload()
    return [(event.step, round(event.value, 4)) for event in board.Scalars(tag)]


def log_epoch(folder: Path, epoch: int, kept: float, weight: float = 2.0, redraw: bool = False) -> None:
    with StepLog(folder, CURVES, epoch, 2 * (epoch - 1)) as log:
        for part in (0.25, 0.5):
            log.add({"loss": 3.0 + part, "align": 2.0 + part, "ratio": part, "kept": kept, "pooled": 1.0})
    row = {"epoch": float(epoch), "loss": 3.0, "kept": kept, "ratio_weight": weight, "target_ratio": 0.5}
    write_epoch(folder, CURVES, row, log.rows, redraw)


def test_each_step_s_losses_are_in_metrics_and_tensorboard_and_the_ratio_by_epoch(tmp_path: Path) -> None:
    log_epoch(tmp_path, 1, 0.75)
    log_epoch(tmp_path, 2, 0.625, 4.0, redraw=True)
    assert [row["epoch"] for row in read_epochs(tmp_path)] == [1, 2]
    steps = read_steps(tmp_path)
    assert [(row["epoch"], row["step"]) for row in steps] == [(1, 1), (1, 2), (2, 3), (2, 4)]
    assert steps[1] == {"epoch": 1, "step": 2, "loss": 3.5, "align": 2.5, "ratio": 0.5, "kept": 0.75}
    every = [1, 2, 3, 4]
    for tag, values in (("total", (3.25, 3.5)), ("align", (2.25, 2.5)), ("ratio", (0.25, 0.5))):
        assert scalars(tmp_path, f"Loss/{tag}") == list(zip(every, values * 2, strict=True))
    assert scalars(tmp_path, "Ratio/kept") == [(1, 0.75), (2, 0.625)]
    assert scalars(tmp_path, "Ratio/weight") == [(1, 2.0), (2, 4.0)]
    assert scalars(tmp_path, "loss") == [(1, 3.0), (2, 3.0)]
    with Image.open(tmp_path / "loss_curves.png") as picture:
        assert picture.size == (1200, 840)


def test_a_run_that_goes_on_leaves_nothing_of_what_it_replaces(tmp_path: Path) -> None:
    for epoch in (1, 2, 3):
        log_epoch(tmp_path, epoch, 0.75)
    with StepLog(tmp_path, CURVES, 4, 6) as log:  # broken off before the epoch's end
        log.add({"loss": 9.0})
    forget_after(tmp_path, CURVES, 1)
    assert scalars(tmp_path, "Loss/total") == [(1, 3.25), (2, 3.5)]
    log_epoch(tmp_path, 2, 0.5)
    assert [row["kept"] for row in read_epochs(tmp_path)] == [0.75, 0.5]
    assert scalars(tmp_path, "Ratio/kept") == [(1, 0.75), (2, 0.5)]
    assert [step for step, _ in scalars(tmp_path, "Loss/total")] == [1, 2, 3, 4]


def test_loss_curves_have_a_panel_each_and_the_kept_ratio_its_target(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    drawn: list[Figure] = []
    monkeypatch.setattr(Figure, "savefig", lambda figure, *_, **__: drawn.append(figure))
    steps = [{"epoch": 1.0, "step": float(i), "loss": i, "align": 10.0 * i, "ratio": 0.1, "kept": 0.6} for i in (1, 2)]
    draw_losses(tmp_path / "curves.png", steps, [{"epoch": 1.0, "target_ratio": 0.4}], CURVES.panels)
    panels = drawn[0].axes
    assert [axes.get_ylabel() for axes in panels] == ["total loss", "align loss", "ratio loss", "kept ratio"]
    curves = [np.asarray(axes.lines[0].get_ydata()).tolist() for axes in panels]
    assert curves == [[1, 2], [10, 20], [0.1, 0.1], [0.6, 0.6]]
    assert np.asarray(panels[3].lines[1].get_ydata()).tolist() == [0.4, 0.4]
    assert panels[0].get_ylim() != panels[1].get_ylim()


@pytest.mark.parametrize(
    ("content", "at"),
    [
        (b"epoch,loss\n1,half\n", r"line 2 \(could not convert string to float: 'half'\)"),
        (b"epoch,loss\n1,0.5\n,0.4\n", r"line 3 \(it has no epoch\)"),
        (b"epoch,loss\n1,0.5\n2\n", r"line 3 \(it has more or fewer cells than the first line\)"),
        (b"\xe9poch,loss\n1,0.5\n", r"line 0 \('utf-8' codec"),
    ],
)
def test_a_curve_that_cannot_be_read_names_its_file_and_line(tmp_path: Path, content: bytes, at: str) -> None:
    (tmp_path / "metrics.csv").write_bytes(content)
    with pytest.raises(ValueError, match=rf"metrics\.csv cannot be read at {at}.*: correct it, or move it away\.$"):
        read_epochs(tmp_path)

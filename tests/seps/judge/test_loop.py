import json
from contextlib import redirect_stdout
from io import StringIO
from pathlib import Path
from statistics import fmean
from typing import Any

import numpy as np
import pytest
import torch
from PIL import Image
from tensorboard.backend.event_processing.event_accumulator import EventAccumulator

from seps.judge.config import SCORES, JudgeConfig
from seps.judge.judge import load_judge
from seps.judge.training.loop import JudgeLoss, parameter_groups, train
from seps.judge.training.report import bound_remark, gap_remark, training_plan
from seps.judge.training.settings import JudgeSettings
from seps.runs.run_log import METRICS, read_epochs, read_steps
from tests.helpers.models.judged import clip_settings, tiny_judge
from tests.seps.runs.stopped import stop_after


def config(clip: Path, encoder: dict[str, Any] | None = None, **options: Any) -> JudgeConfig:
    return JudgeConfig.from_dict(clip_settings(clip, **(encoder or {})) | options)


@pytest.mark.parametrize(
    ("encoder", "moved", "still"),
    [
        ({"freeze": "all"}, ["network.quality.base.weight", "network.consistency.a"], ["encoders."]),
        (
            {"freeze": "layers", "freeze_layers": {"vision": 2, "text": 1}},
            ["encoders.model.vision_model.encoder.layers.2.", "encoders.model.text_model.encoder.layers.1."],
            [
                "encoders.model.vision_model.encoder.layers.1.",
                "encoders.model.vision_model.embeddings.",
                "encoders.model.text_model.encoder.layers.0.",
            ],
        ),
        (
            {"freeze": "none"},
            ["encoders.model.vision_model.embeddings.patch", "encoders.model.text_model.embeddings.token"],
            ["encoders.model.logit_scale"],
        ),
    ],
)
def test_a_step_moves_what_is_free(clip: Path, encoder: dict[str, Any], moved: list[str], still: list[str]) -> None:
    judge = tiny_judge(clip, encoder={"kind": "clip", "name": str(clip)} | encoder)
    settings = JudgeSettings(learning_rate=1e-2)
    step = JudgeLoss(judge, settings).train()
    optimizer = torch.optim.AdamW(parameter_groups(step, settings), weight_decay=0.0)
    for group in optimizer.param_groups:
        group["lr"] = 1e-2
    before = {name: parameter.clone() for name, parameter in judge.named_parameters()}
    pixels = torch.randn(4, 3, 32, 32)
    text = judge.encoders.prompts(["a", "dog", "red", "blue"])
    step(judge.encoders.pictures(pixels), text, torch.rand(4, 2), None).backward()
    optimizer.step()
    changed = {name for name, parameter in judge.named_parameters() if not torch.equal(parameter, before[name])}
    for prefix in moved:
        assert any(name.startswith(prefix) for name in changed), prefix
    for prefix in still:
        assert not any(name.startswith(prefix) for name in changed), prefix


def test_the_loss_is_both_squared_errors_and_their_weights(clip: Path) -> None:
    judge = tiny_judge(clip)
    step = JudgeLoss(judge, JudgeSettings(quality_weight=0.3, consistency_weight=0.6)).eval()
    pictures = judge.encoders.pictures(torch.randn(3, 3, 32, 32))
    text, rated = judge.encoders.prompts(["a", "dog", "red"]), torch.rand(3, 2)
    with torch.no_grad():
        quality, consistency = judge.network(*pictures, text)
        expected = (
            0.3 * ((quality.final - rated[:, 0]) ** 2).mean() + 0.6 * ((consistency.final - rated[:, 1]) ** 2).mean()
        )
        assert float(step(pictures, text, rated, None)) == pytest.approx(float(expected), rel=1e-5)


def test_spoilt_copies_must_lie_below(clip: Path) -> None:
    step = JudgeLoss(tiny_judge(clip), JudgeSettings(spoilt_margin=0.5)).eval()
    features, strengths = torch.randn(1, 1, 12).expand(2, 3, 12), torch.tensor([[0.0, 0.4, 1.0], [0.0, 0.2, 0.6]])
    with torch.no_grad():  # three equal pictures: each step down lacks its whole margin, in base and in score
        loss = float(step.compute_spoilt_loss(features, strengths))
    assert loss == pytest.approx(2 * 0.5 * (0.4 + 0.6 + 0.2 + 0.4) / 4, rel=1e-4)


FROZEN = JudgeSettings(epochs=2, batch_size=6, spoilt_weight=0.5, spoilt_pictures=5, versions=2)


def test_a_run_resumes_to_the_same_curve(clip: Path, rated: Path, tmp_path: Path) -> None:
    judge, settings, cache = config(clip), FROZEN, tmp_path / "cache"
    train(judge, settings, rated, tmp_path / "whole", cache=cache)
    with stop_after(1):
        train(judge, settings, rated, tmp_path / "cut", cache=cache)
    assert len(read_epochs(tmp_path / "cut")) == 1
    with pytest.raises(ValueError, match="cut holds a run: add --resume to go on with"):  # a new run would overwrite it
        train(judge, settings, rated, tmp_path / "cut", cache=cache)
    train(judge, settings, rated, tmp_path / "cut", resume=True, cache=cache)
    assert (tmp_path / "cut" / METRICS).read_text() == (tmp_path / "whole" / METRICS).read_text()
    first, second = (load_judge(tmp_path / name / "model").state_dict() for name in ("whole", "cut"))
    assert all(torch.equal(first[key], second[key]) for key in first)


@pytest.fixture(scope="module")
def run(clip: Path, rated: Path, tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, str]:
    """A run's folder, and what was printed."""
    folder, settings = tmp_path_factory.mktemp("run"), JudgeSettings(epochs=3, batch_size=8, learning_rate=0.05)
    with redirect_stdout(StringIO()) as printed:
        train(config(clip), settings, rated, folder)
    return folder, printed.getvalue()


def test_a_run_leaves_curves_to_look_at_and_tells_every_epoch(run: tuple[Path, str]) -> None:
    folder, printed = run
    steps, epochs = read_steps(folder), read_epochs(folder)
    assert [line["step"] for line in steps] == [i + 1 for i in range(len(steps))] and len(steps) % 3 == 0
    assert epochs[2]["loss"] == pytest.approx(fmean(line["loss"] for line in steps[-len(steps) // 3 :]))
    for name in ("loss.png", "agreement.png", "loss_curves.png"):
        with Image.open(folder / name) as picture:
            assert np.asarray(picture.convert("L")).std() > 1  # something is drawn
    board = EventAccumulator(str(folder / "tensorboard")).Reload()
    written = sorted(event.step for event in board.Scalars("Loss/total"))  # two files of one second have no order
    assert written == [line["step"] for line in steps]
    assert [event.value for event in board.Scalars("quality_srocc")] == pytest.approx(
        [row["quality_srocc"] for row in epochs], nan_ok=True
    )
    for score in ("quality", "consistency"):
        assert {f"{score}_{figure}" for figure in ("srocc", "plcc", "krcc", "gap")} <= epochs[-1].keys()
        assert 0 <= epochs[-1][f"{score}_correction_mean"] <= epochs[-1][f"{score}_correction_max"] <= 1
    assert "quality = clamp(sigmoid(Linear(img)) + 0.2 tanh(MLP(img)), 0, 1)" in printed


def test_scales_that_are_too_small_or_idle_and_learning_by_heart_get_a_sentence() -> None:
    assert "scale is too small" in bound_remark(0.96, 1.0, 0.2)
    assert "stay below 0.05" in bound_remark(0.1, 0.24, 0.2)
    assert bound_remark(0.1, 0.26, 0.2) == bound_remark(0.5, 0.9, 0.2) == ""
    assert "by heart" in gap_remark(0.051)
    assert gap_remark(0.05) == gap_remark(-0.2) == gap_remark(float("nan")) == ""


def test_the_best_epoch_by_mean_srocc_is_kept_beside_the_last(run: tuple[Path, str]) -> None:
    folder, printed = run
    scores = [fmean(row[f"{name}_srocc"] for name in SCORES) for row in read_epochs(folder)]
    best = max(range(3), key=lambda i: (scores[i], -i))
    kept = json.loads((folder / "best" / "epoch.json").read_text())
    assert kept == {"epoch": best + 1, "mean_srocc": pytest.approx(scores[best])}
    assert f"epoch {best + 1} is in {folder / 'best'}." in printed
    first, last = (load_judge(folder / name).network.quality.base.weight for name in ("best", "model"))
    assert torch.equal(first, last) == (best == 2)


def test_spoilt_copies_need_frozen_encoders(clip: Path, rated: Path, tmp_path: Path) -> None:
    with pytest.raises(ValueError, match=r"training\.spoilt_weight needs frozen encoders"):
        train(config(clip, {"freeze": "none"}), JudgeSettings(spoilt_weight=1.0), rated, tmp_path)


def test_the_plan_of_direct_scores_has_no_corrections(clip: Path) -> None:
    text = training_plan(tiny_judge(clip, residual=False), JudgeSettings(), 1, 1)
    assert "quality = sigmoid(Linear(img))" in text

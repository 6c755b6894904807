"""Training: which parameters move in a step, the losses by hand, and a run that resumes to the same curve."""

from __future__ import annotations

import json
from math import cos, pi
from pathlib import Path
from shutil import rmtree
from statistics import fmean
from typing import Any

import numpy as np
import pytest
import torch
from PIL import Image
from tensorboard.backend.event_processing.event_accumulator import EventAccumulator
from torch import nn

from seps.judge import loop, program
from seps.judge.config import SCORES, JudgeConfig
from seps.judge.data import Ratings
from seps.judge.features import SplitFeatures, SpoiltFeatures
from seps.judge.judge import Judge, load_judge
from seps.judge.loop import (
    Batch,
    Step,
    explanation_loss,
    make_batches,
    parameter_groups,
    ranking_loss,
    sample_spoilt,
    train,
)
from seps.judge.report import bound_remark, epoch_report, gap_remark, training_plan
from seps.judge.settings import JudgeSettings, rate_note, read_recipe
from seps.runs.run_log import METRICS, read_epochs, read_steps
from tests.helpers.judged import COLUMNS, clip_settings, read_rows, tiny_judge, write_ratings, write_rows


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
                "encoders.model.vision_model.encoder.layers.0.",
                "encoders.model.vision_model.encoder.layers.1.",
                "encoders.model.vision_model.embeddings.",
                "encoders.model.text_model.encoder.layers.0.",
                "encoders.model.text_model.embeddings.",
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
    step = Step(judge, settings).train()
    optimizer = torch.optim.AdamW(parameter_groups(step, settings), weight_decay=0.0)
    for group in optimizer.param_groups:
        group["lr"] = 1e-2
    before = {name: parameter.clone() for name, parameter in judge.named_parameters()}
    pixels = torch.randn(4, 3, 32, 32)
    batch = Batch(
        torch.arange(4), judge.encoders.pictures(pixels), judge.encoders.prompts(["a", "dog", "red", "blue"]), None
    )
    step(batch, torch.rand(4, 2), torch.arange(4), None).backward()
    optimizer.step()
    changed = {name for name, parameter in judge.named_parameters() if not torch.equal(parameter, before[name])}
    for prefix in moved:
        assert any(name.startswith(prefix) for name in changed), prefix
    for prefix in still:
        assert not any(name.startswith(prefix) for name in changed), prefix


def test_the_loss_is_both_squared_errors_and_their_weights(clip: Path) -> None:
    judge = tiny_judge(clip)
    step = Step(judge, JudgeSettings(quality_weight=0.3, consistency_weight=0.6)).eval()
    pictures = judge.encoders.pictures(torch.randn(3, 3, 32, 32))
    batch = Batch(torch.arange(3), pictures, judge.encoders.prompts(["a", "dog", "red"]), None)
    rated = torch.rand(3, 2)
    with torch.no_grad():
        quality, consistency = judge.network(pictures.quality, pictures.image, batch.text)
        expected = (
            0.3 * ((quality.final - rated[:, 0]) ** 2).mean() + 0.6 * ((consistency.final - rated[:, 1]) ** 2).mean()
        )
        assert float(step(batch, rated, torch.arange(3), None)) == pytest.approx(float(expected), rel=1e-5)


def test_the_ranking_loss_by_hand() -> None:
    scores, rated = torch.tensor([0.5, 0.6, 0.9]), torch.tensor([0.8, 0.4, 0.1])
    prompts = torch.tensor([0, 0, 1])
    # one pair: rated 0.4 apart, scored 0.1 the wrong way
    assert float(ranking_loss(scores, rated, prompts, 1.0)) == pytest.approx(0.5)
    assert float(ranking_loss(scores, rated, prompts, 0.5)) == pytest.approx(0.3)
    assert float(ranking_loss(scores, rated, torch.arange(3), 1.0)) == 0


def test_spoilt_copies_must_lie_below(clip: Path) -> None:
    step = Step(tiny_judge(clip), JudgeSettings(spoilt_margin=0.5)).eval()
    features, strengths = torch.randn(1, 1, 12).expand(2, 3, 12), torch.tensor([[0.0, 0.4, 1.0], [0.0, 0.2, 0.6]])
    with torch.no_grad():  # three equal pictures: each step down lacks its whole margin, in base and in score
        loss = float(step.compute_spoilt_loss(features, strengths))
    assert loss == pytest.approx(2 * 0.5 * (0.4 + 0.6 + 0.2 + 0.4) / 4, rel=1e-4)


def test_rationales_count_where_there_are_some() -> None:
    predicted = torch.tensor([[1.0, 0.0], [0.0, 2.0]])
    assert float(explanation_loss(predicted, torch.tensor([[0.6, 0.8], [0.0, 0.0]]))) == pytest.approx(0.4)
    assert float(explanation_loss(predicted, torch.zeros(2, 2))) == 0


def test_the_rate_rises_then_falls_as_a_cosine() -> None:
    settings = JudgeSettings(warmup=0.05)
    assert settings.rate_factor(0, 100) == pytest.approx(0.2)
    assert settings.rate_factor(4, 100) == settings.rate_factor(5, 100) == 1.0
    assert settings.rate_factor(24, 100) == pytest.approx(0.5 * (1 + cos(pi * 19 / 95)))
    assert settings.rate_factor(99, 100) < 0.001


FROZEN = JudgeSettings(epochs=4, batch_size=6, spoilt_weight=0.5, spoilt_pictures=5, versions=2, rank_weight=0.1)


@pytest.mark.parametrize("encoder", [{}, {"freeze": "layers", "freeze_layers": {"vision": 2, "text": 2}}])
def test_a_run_resumes_to_the_same_curve(
    clip: Path, rated: Path, tmp_path: Path, encoder: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    settings = FROZEN if not encoder else JudgeSettings(epochs=4, batch_size=6, rank_weight=0.1)
    train(config(clip, encoder), settings, rated, tmp_path / "whole", cache=tmp_path / "cache")

    class StoppedError(Exception):
        """The machine goes down."""

    from seps.judge import loop

    save = loop.save_checkpoint

    def save_and_stop(*arguments: Any) -> None:
        save(*arguments)
        if arguments[-1] == loop.RunState(2):
            raise StoppedError

    with monkeypatch.context() as patched:
        patched.setattr(loop, "save_checkpoint", save_and_stop)
        with pytest.raises(StoppedError):
            train(config(clip, encoder), settings, rated, tmp_path / "cut", cache=tmp_path / "cache")
    assert len(read_epochs(tmp_path / "cut")) == 2
    with pytest.raises(ValueError, match="cut holds a run: add --resume to go on with"):  # a new run would overwrite it
        train(config(clip, encoder), settings, rated, tmp_path / "cut", cache=tmp_path / "cache")
    train(config(clip, encoder), settings, rated, tmp_path / "cut", resume=True, cache=tmp_path / "cache")
    assert (tmp_path / "cut" / METRICS).read_text() == (tmp_path / "whole" / METRICS).read_text()
    first, second = (load_judge(tmp_path / name / "model").state_dict() for name in ("whole", "cut"))
    assert all(torch.equal(first[key], second[key]) for key in first)


def test_a_run_of_an_earlier_version_goes_on(clip: Path, rated: Path, tmp_path: Path) -> None:
    short, longer = JudgeSettings(epochs=1, batch_size=8), JudgeSettings(epochs=2, batch_size=8)
    train(config(clip), short, rated, tmp_path, cache=tmp_path / "cache")
    row = read_epochs(tmp_path)[0]  # such a run left only the epochs' lines
    (tmp_path / METRICS).write_text(",".join(row) + "\n" + ",".join(map(str, row.values())) + "\n")
    (tmp_path / "checkpoint" / "checkpoint.json").write_text('{"epoch": 1}\n')
    rmtree(tmp_path / "tensorboard")
    train(config(clip), longer, rated, tmp_path, resume=True, cache=tmp_path / "cache")
    assert read_epochs(tmp_path)[0] == row and len(read_epochs(tmp_path)) == 2
    assert {line["epoch"] for line in read_steps(tmp_path)} == {2.0}


@pytest.mark.usefixtures("curves")
def test_a_run_leaves_curves_to_look_at(clip: Path, rated: Path, tmp_path: Path) -> None:
    train(config(clip), JudgeSettings(epochs=2, batch_size=8), rated, tmp_path, cache=tmp_path / "cache")
    steps, epochs = read_steps(tmp_path), read_epochs(tmp_path)
    assert [line["step"] for line in steps] == [i + 1 for i in range(len(steps))] and len(steps) % 2 == 0
    assert epochs[1]["loss"] == pytest.approx(fmean(line["loss"] for line in steps[len(steps) // 2 :]))
    for name in ("loss.png", "agreement.png", "loss_curves.png"):
        with Image.open(tmp_path / name) as picture:
            assert np.asarray(picture.convert("L")).std() > 1  # something is drawn
    board = EventAccumulator(str(tmp_path / "tensorboard")).Reload()
    assert [event.step for event in board.Scalars("Loss/total")] == [line["step"] for line in steps]
    assert [event.value for event in board.Scalars("quality_srocc")] == pytest.approx(
        [row["quality_srocc"] for row in epochs], nan_ok=True
    )


def test_every_epoch_tells_agreement_gap_and_corrections(
    clip: Path, rated: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    train(config(clip), JudgeSettings(epochs=2, batch_size=8), rated, tmp_path, cache=tmp_path / "cache")
    row = read_epochs(tmp_path)[-1]
    for score in ("quality", "consistency"):
        for figure in ("srocc", "plcc", "krcc", "gap", "correction_mean", "correction_max"):
            assert f"{score}_{figure}" in row
        assert 0 <= row[f"{score}_correction_mean"] <= row[f"{score}_correction_max"] <= 1
    printed = capsys.readouterr().out
    assert printed.index("quality = clamp(sigmoid(Linear(img)) + 0.2 tanh(MLP(img)), 0, 1)") < printed.index("epoch 1:")
    assert "+ 0.2 tanh(Fusion([img, txt, cos]))" in printed and "of the scale" in printed


def test_the_plan_tells_what_will_be_done(clip: Path) -> None:
    judge = tiny_judge(clip, scale_q=0.1, scale_c=0.3)
    text = training_plan(judge, JudgeSettings(epochs=7, batch_size=5, learning_rate=2e-4, rank_weight=0.25), 100, 20)
    for part in (
        "7 epochs, batch 5, learning rate 0.0002",
        "quality 0.5, consistency 0.5, ranking 0.25",
        "frozen: all",
    ):
        assert part in text
    assert "0.1 tanh(MLP(img))" in text and "0.3 tanh(Fusion(" in text
    partly = {"kind": "clip", "name": str(clip), "freeze": "layers", "freeze_layers": {"vision": 2, "text": 1}}
    text = training_plan(tiny_judge(clip, encoder=partly), JudgeSettings(epochs=1), 1, 1)
    assert "\n1 epoch, batch" in text
    assert "the first 2 of 3 vision layers (67%) and 1 of 2 text layers (50%); 70 to 80% is usual" in text
    assert "quality = sigmoid(Linear(img))" in training_plan(tiny_judge(clip, residual=False), JudgeSettings(), 1, 1)


def test_corrections_at_the_bound_or_idle_get_a_sentence() -> None:
    assert "scale is too small" in bound_remark(0.96, 1.0, 0.2)
    assert "stay below 0.05" in bound_remark(0.1, 0.24, 0.2)
    assert "stay below" not in bound_remark(0.1, 0.26, 0.2)
    assert bound_remark(0.5, 0.9, 0.2) == ""


def test_what_is_learned_by_heart_gets_a_sentence() -> None:
    assert "by heart" in gap_remark(0.051)
    assert gap_remark(0.05) == gap_remark(-0.2) == gap_remark(float("nan")) == ""
    row = {"epoch": 2.0, "loss": 0.1} | {f"{name}_{key}": 0.5 for name in SCORES for key in ("srocc", "plcc", "krcc")}
    row |= {"quality_gap": 0.2, "consistency_gap": 0.01}
    quality, consistency = epoch_report(row, (0.0, 0.0)).splitlines()[1:]
    assert "by heart" in quality and "by heart" not in consistency


def test_the_best_epoch_by_mean_srocc_is_kept_beside_the_last(
    clip: Path, rated: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    settings = JudgeSettings(epochs=4, batch_size=8, learning_rate=0.05)
    train(config(clip), settings, rated, tmp_path, cache=tmp_path / "cache")
    scores = [fmean(row[f"{name}_srocc"] for name in SCORES) for row in read_epochs(tmp_path)]
    best = max(range(4), key=lambda i: (scores[i], -i))
    kept = json.loads((tmp_path / "best" / "epoch.json").read_text())
    assert kept == {"epoch": best + 1, "mean_srocc": pytest.approx(scores[best])}
    assert f"epoch {best + 1} is in {tmp_path / 'best'}." in capsys.readouterr().out
    same = torch.equal(
        load_judge(str(tmp_path / "best")).network.quality.base.weight,
        load_judge(str(tmp_path / "model")).network.quality.base.weight,
    )
    assert same == (best == 3)


def test_rates_at_which_encoders_forget_get_a_sentence(clip: Path, rated: Path, tmp_path: Path) -> None:
    free, partly = config(clip, {"freeze": "none"}), {"freeze": "layers", "freeze_layers": {"vision": 2, "text": 1}}
    assert "usual with encoder.freeze 'none' is 3e-05" in rate_note(free, JudgeSettings(learning_rate=1e-3))
    assert "3e-05 to 0.0001" in rate_note(config(clip, partly), JudgeSettings(learning_rate=2e-4))
    assert rate_note(free, JudgeSettings(learning_rate=1e-4)) == rate_note(config(clip), JudgeSettings()) == ""
    assert rate_note(free, JudgeSettings(learning_rate=1e-3, encoder_rate=0.05)) == ""
    for training, rate in (({}, 3e-5), ({"learning_rate": 2e-3}, 2e-3)):
        (tmp_path / "recipe.json").write_text(json.dumps(clip_settings(clip, freeze="none") | {"training": training}))
        assert read_recipe(tmp_path / "recipe.json")[1].learning_rate == rate


def test_rationales_train_and_leave_no_trace_in_the_model(clip: Path, tmp_path: Path) -> None:
    folder = write_ratings(tmp_path / "data")
    rows = [row | {"why": "a red dog" if i % 3 else ""} for i, row in enumerate(read_rows(folder))]
    write_rows(folder, rows, (*COLUMNS, "why"))
    options = config(clip, data={"mos_top": 4.5, "explanation_column": "why"})
    train(options, JudgeSettings(epochs=1, batch_size=8), folder, tmp_path / "run")
    assert isinstance(load_judge(tmp_path / "run" / "model"), Judge)


def test_a_checkpoint_of_another_judge_is_refused(clip: Path, rated: Path, tmp_path: Path) -> None:
    settings = JudgeSettings(epochs=1, batch_size=8)
    with pytest.raises(ValueError, match="checkpoint holds no checkpoint"):
        train(config(clip), settings, rated, tmp_path, resume=True, cache=tmp_path / "cache")
    train(config(clip), settings, rated, tmp_path, cache=tmp_path / "cache")
    with pytest.raises(ValueError, match=r"checkpoint/checkpoint\.safetensors has modules\.judge\.network"):
        train(config(clip, hidden=9), settings, rated, tmp_path, resume=True, cache=tmp_path / "cache")


def test_spoilt_copies_need_frozen_encoders(clip: Path, rated: Path, tmp_path: Path) -> None:
    with pytest.raises(ValueError, match=r"training\.spoilt_weight needs frozen encoders"):
        train(config(clip, {"freeze": "none"}), JudgeSettings(spoilt_weight=1.0), rated, tmp_path)


def test_a_loss_that_is_not_finite_is_told(clip: Path, rated: Path, tmp_path: Path) -> None:
    judge = tiny_judge(clip)
    nn.init.constant_(judge.network.consistency.fusion[2].weight, float("nan"))  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="The loss is nan in epoch 1, batch 1"):
        train(judge.config, JudgeSettings(epochs=1), rated, tmp_path, judge=judge)


def test_a_step_on_another_device_takes_features_there(clip: Path) -> None:
    judge = tiny_judge(clip, fusion_quality=4, data={"mos_top": 4.5}).to("meta")  # in place of a GPU
    width, channels = judge.encoders.width, judge.encoders.quality_width
    features = SplitFeatures(
        torch.randn(4, 1, channels),
        torch.randn(4, 1, width),
        torch.randn(4, width),
        torch.randn(4, width),
        SpoiltFeatures(torch.tensor([1]), torch.tensor([[0.2, 0.5]]), torch.randn(1, 2, channels)),
    )
    scores = np.linspace(0.1, 0.9, 4)
    ratings = Ratings("train", (Path("x.png"),) * 4, ("a",) * 4, ("",) * 4, scores, scores)
    settings, rows = JudgeSettings(spoilt_weight=0.1), torch.arange(4)
    step = Step(judge, settings).to(judge.device)
    batch = next(make_batches(judge, ratings, features, [rows], settings, 0))
    assert batch.explanations is not None
    assert batch.explanations.is_meta
    assert step(batch, torch.rand(4, 2, device="meta"), rows, sample_spoilt(features, judge.device)).is_meta


def test_a_run_of_its_own_takes_the_gpu_where_there_is_one(
    clip: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked = []

    def usable(name: str | None) -> torch.device:
        asked.append(name)
        return torch.device("cpu")

    for module in (loop, program):
        monkeypatch.setattr(module, "usable_device", usable)
    ratings = write_ratings(tmp_path / "ratings")
    train(config(clip), JudgeSettings(epochs=1), ratings, tmp_path / "run")
    program.main(["evaluate", "--model", str(tmp_path / "run" / "model"), "--data", str(ratings)])
    assert asked == [None, None]

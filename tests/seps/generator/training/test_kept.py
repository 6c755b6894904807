from collections.abc import Iterator
from dataclasses import replace
from math import nan
from pathlib import Path
from typing import Any

import pytest
import torch

from seps.generator.config import GeneratorConfig
from seps.generator.model.network import GeneratorNetwork
from seps.generator.training import loop
from seps.generator.training.loop import Run
from seps.generator.training.report import best_epoch, describe_kept_epochs, epochs_since_best
from seps.generator.training.settings import GeneratorSettings, Stage
from seps.runs import trainer
from seps.runs.run_folder import MODEL
from seps.runs.run_log import read_epochs

WRITES, DRAWS = Stage(("contrastive", "captions"), 2), Stage(("diffusion",), 2, freeze_text=True)


def worse_each_time(seen: list[dict[str, torch.Tensor]]) -> Any:
    """Return a replacement of `measure`: every stage is best after its first epoch."""
    losses: Iterator[float] = iter(range(1, 100))

    def measure(run: Run, stage: Stage, *_: object) -> dict[str, float]:
        with run.use_average("diffusion" in stage.losses):
            seen.append({key: value.clone() for key, value in run.objective.network.state_dict().items()})
        return {"dev_loss": float(next(losses))}

    return measure


def test_the_model_of_a_run_is_the_best_epoch_of_each_stage(
    drawn: Path, config: GeneratorConfig, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    seen: list[dict[str, torch.Tensor]] = []
    monkeypatch.setattr(loop, "measure", worse_each_time(seen))
    settings = GeneratorSettings((WRITES, DRAWS), batch_size=4, lr_warmup_epochs=0.5, average=0.5)
    loop.train(config, settings, drawn, tmp_path / "run")
    assert len(seen) == 4
    kept, best, last = GeneratorNetwork(config), seen[-2], seen[-1]
    kept.load(tmp_path / "run" / MODEL)
    for key, tensor in kept.state_dict().items():
        torch.testing.assert_close(tensor, best[key].half().to(tensor.dtype), msg=key)
    assert any(not torch.equal(best[key].half(), tensor.half()) for key, tensor in last.items())


def test_a_run_that_ends_while_it_saves_still_keeps_the_best_epoch(
    drawn: Path, config: GeneratorConfig, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    config = replace(config, draws=False)
    settings = GeneratorSettings((WRITES, WRITES), batch_size=4)
    real = trainer.write_epoch
    seen: list[dict[str, torch.Tensor]] = []

    def cut(*arguments: Any) -> None:
        real(*arguments)
        if len(seen) == 3:  # the first epoch of the second stage is written, its model is not
            raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(trainer, "write_epoch", cut)
        patch.setattr(loop, "measure", worse_each_time(seen))
        with pytest.raises(KeyboardInterrupt):
            loop.train(config, settings, drawn, tmp_path / "run")
    monkeypatch.setattr(loop, "measure", lambda *_: {"dev_loss": 50.0})
    loop.train(config, settings, drawn, tmp_path / "run", resume=True)
    kept = GeneratorNetwork(config)
    kept.load(tmp_path / "run" / MODEL)
    for key, tensor in kept.state_dict().items():
        torch.testing.assert_close(tensor, seen[2][key].half().to(tensor.dtype), msg=key)
    assert [row["epoch"] for row in read_epochs(tmp_path / "run")] == [1, 2, 3, 4]


def test_the_kept_epochs_are_named() -> None:
    losses = [{"dev_loss": value} for value in (nan, 3.0, 2.0, 2.0, 4.0)]
    assert (best_epoch(losses), epochs_since_best(losses)) == (2, 2)  # the first of several, and never NaN
    rows = [{"stage": 1.0, "dev_loss": 3.0}, {"stage": 2.0, "dev_loss": 2.0}, {"stage": 2.0, "dev_loss": 1.0}]
    assert describe_kept_epochs(rows) == (
        "the epoch of each stage with the lowest loss on dev (stage 1: epoch 1 of 1, stage 2: epoch 2 of 2)"
    )
    assert describe_kept_epochs(rows[1:]) == "epoch 2 of 2, the one with the lowest loss on dev"

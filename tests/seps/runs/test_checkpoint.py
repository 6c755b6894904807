import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import torch
from safetensors.torch import load_file, save_file
from timm.optim import Muon
from torch import Tensor

from seps.runs.checkpoint import RunState, load_checkpoint, read_state, save_checkpoint

STATE = RunState(epoch=4)


def trained(steps: int, name: str = "adamw") -> tuple[torch.nn.Module, torch.optim.Optimizer]:
    """A module with a last layer trained for a few steps."""
    torch.manual_seed(0)
    module = torch.nn.Sequential(torch.nn.Linear(3, 16), torch.nn.Linear(16, 8))
    learned = [*module[1].parameters()]
    optimizer = torch.optim.AdamW(learned, lr=0.1) if name == "adamw" else Muon(learned, lr=0.1)
    go_on(module, optimizer, range(steps))
    return module, optimizer


def resume_from(folder: Path, module: torch.nn.Module, optimizer: torch.optim.Optimizer, epochs: int) -> RunState:
    state = read_state(folder, [epochs])
    load_checkpoint(folder, module, module.state_dict(), optimizer, state.epoch)
    return state


def go_on(module: torch.nn.Module, optimizer: torch.optim.Optimizer, steps: range) -> None:
    for step in steps:
        optimizer.zero_grad()
        module(torch.full((1, 3), float(step))).square().sum().backward()
        optimizer.step()


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    module, optimizer = trained(4)
    save_checkpoint(tmp_path / "one", module.state_dict(), optimizer, STATE)
    return tmp_path / "one"


def load_refused(folder: Path, message: str) -> None:
    """Loading reports the message, and leaves the module and its optimizer as they were."""
    fresh, optimizer = trained(0)
    before = {key: tensor.clone() for key, tensor in fresh.state_dict().items()}
    with pytest.raises(ValueError, match=message) as error:
        resume_from(folder, fresh, optimizer, epochs=9)
    assert str(folder) in str(error.value)
    assert "\n" not in str(error.value)
    assert all(torch.equal(tensor, before[key]) for key, tensor in fresh.state_dict().items())
    assert optimizer.state_dict()["state"] == {}


@pytest.mark.parametrize("name", ["adamw", "muon"])
def test_what_learns_goes_on_as_if_never_stopped(tmp_path: Path, name: str) -> None:
    whole, optimizer = trained(3, name)
    part = {key: tensor for key, tensor in whole.state_dict().items() if key.startswith("1.")}
    save_checkpoint(tmp_path / "checkpoint", part, optimizer, RunState(3))
    go_on(whole, optimizer, range(3, 5))

    again, optimizer = trained(0, name)
    saved = load_file(tmp_path / "checkpoint" / "checkpoint.safetensors")
    assert ("optimizer.0.momentum_buffer" in saved) == (name == "muon")
    assert read_state(tmp_path / "checkpoint", [3]) == RunState(3)
    load_checkpoint(tmp_path / "checkpoint", again, part, optimizer, 3)
    go_on(again, optimizer, range(3, 5))
    for key, tensor in whole.state_dict().items():
        assert torch.equal(tensor, again.state_dict()[key])


def test_parameters_without_a_gradient_have_no_moments(tmp_path: Path) -> None:
    module, optimizer = trained(0)
    (optimizer.param_groups[0]["params"][1]).requires_grad_(False)
    go_on(module, optimizer, range(2))
    save_checkpoint(tmp_path / "one", module.state_dict(), optimizer, STATE)
    fresh, fresh_optimizer = trained(0)
    resume_from(tmp_path / "one", fresh, fresh_optimizer, epochs=4)
    assert list(fresh_optimizer.state_dict()["state"]) == [0]


def test_refuses_another_models_and_none(folder: Path, tmp_path: Path) -> None:
    other = torch.nn.Sequential(torch.nn.Linear(4, 16), torch.nn.Linear(16, 8))
    with pytest.raises(ValueError, match=r"one/checkpoint\.safetensors has modules\.0\.weight"):
        resume_from(folder, other, torch.optim.AdamW(other.parameters()), epochs=9)
    with pytest.raises(ValueError, match="two holds no checkpoint: train without --resume first"):
        resume_from(tmp_path / "two", *trained(0), epochs=9)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"epoch": "4"}, "the state.epoch is '4', a str, but a int is needed"),
        ({"epoch": -1}, "epoch is -1, but a whole number of at least 0 is needed"),
        ({"epoch": 10**9}, " was written after 1,000,000,000 epochs, but the recipe has 9"),
        ({"stage": 1}, "was written after 4 epochs of stage 2, but the recipe has 0"),
    ],
)
def test_numbers_that_were_changed(folder: Path, change: dict[str, Any], message: str) -> None:
    file = folder / "checkpoint.json"
    file.write_text(json.dumps(json.loads(file.read_text()) | change))
    load_refused(folder, r"checkpoint\.json.*" + message)


Tensors = dict[str, Tensor]


def changed(key: str, value: Tensor | None) -> Callable[[Tensors], Tensors]:
    def change(tensors: Tensors) -> Tensors:
        others = {name: tensor for name, tensor in tensors.items() if name != key}
        return others if value is None else others | {key: value}

    return change


def modules_alone(tensors: Tensors) -> Tensors:
    return {key: tensor for key, tensor in tensors.items() if key.startswith("modules.")}


SQUARES = "optimizer.0.exp_avg_sq"


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (
            lambda _: {"layer.weight": torch.ones(1)},
            r"lacks modules\.0\.bias \(4 keys in all\), and has the unexpected layer\.weight: it is of another model",
        ),
        (changed("optimizer.7.step", torch.ones(())), r"has the unexpected optimizer\.7\.step"),
        (changed("optimizer.0.step", None), r"lacks optimizer\.0\.step"),
        (changed(SQUARES, torch.ones(3, 2)), r"optimizer\.0\.exp_avg_sq \(3, 2\), but \(8, 16\) is needed"),
        (changed(SQUARES, -torch.ones(8, 16)), r"has optimizer\.0\.exp_avg_sq below 0, which AdamW never makes"),
        (modules_alone, r"has no moments of AdamW after 4 epochs: it is damaged"),
    ],
)
def test_tensors_that_were_changed(folder: Path, change: Callable[[Tensors], Tensors], message: str) -> None:
    file = folder / "checkpoint.safetensors"
    save_file(change(load_file(file)), file)
    load_refused(folder, r"checkpoint\.safetensors .*" + message)

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import torch
from safetensors.torch import load_file, save_file
from torch import Tensor

from seps.runs.checkpoint import save_checkpoint
from seps.training.run_state import RunState, resume_from

STATE = RunState(epoch=4, best=1.5)


def trained(steps: int) -> tuple[torch.nn.Module, torch.optim.Optimizer]:
    torch.manual_seed(0)
    module = torch.nn.Linear(3, 2)
    optimizer = torch.optim.AdamW(module.parameters(), lr=0.1)
    go_on(module, optimizer, range(steps))
    return module, optimizer


def go_on(module: torch.nn.Module, optimizer: torch.optim.Optimizer, steps: range) -> None:
    for step in steps:
        optimizer.zero_grad()
        module(torch.full((1, 3), float(step))).square().sum().backward()
        optimizer.step()


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A checkpoint after four steps."""
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


def test_resumes_exactly(folder: Path) -> None:
    whole, _ = trained(6)
    fresh, optimizer = trained(0)
    assert resume_from(folder, fresh, optimizer, epochs=4) == STATE
    go_on(fresh, optimizer, range(4, 6))
    for parameter, expected in zip(fresh.parameters(), whole.parameters(), strict=True):
        assert torch.equal(parameter, expected)


def test_parameters_without_a_gradient_have_no_moments(tmp_path: Path) -> None:
    module, optimizer = trained(0)
    (optimizer.param_groups[0]["params"][1]).requires_grad_(False)
    go_on(module, optimizer, range(2))
    save_checkpoint(tmp_path / "one", module.state_dict(), optimizer, STATE)
    fresh, fresh_optimizer = trained(0)
    resume_from(tmp_path / "one", fresh, fresh_optimizer, epochs=4)
    assert list(fresh_optimizer.state_dict()["state"]) == [0]


def test_refuses_another_models_and_none(folder: Path, tmp_path: Path) -> None:
    other = torch.nn.Linear(4, 2)
    with pytest.raises(ValueError, match=r"one/checkpoint\.safetensors has modules\.weight"):
        resume_from(folder, other, torch.optim.AdamW(other.parameters()), epochs=9)
    with pytest.raises(ValueError, match="two holds no checkpoint: train without --resume first"):
        resume_from(tmp_path / "two", *trained(0), epochs=9)


def test_refuses_a_run_of_more_epochs(folder: Path) -> None:
    with pytest.raises(ValueError, match=r"one/checkpoint\.json was written after 4 epochs"):
        resume_from(folder, *trained(0), epochs=3)


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"", r"cannot be read as JSON \(it is empty\)"),
        (b'{"epoch": 4', r"cannot be read as JSON \(Expecting"),
        (b'{"epoch": "\xe9"}', r"cannot be read as JSON \(byte 11 is not UTF-8\)"),
        (b"[" * 100_000, r"cannot be read as JSON \(it is nested more than 100 levels deep\)"),
        (b"[4, 1.5, 2.0]", ": the state is a list, but keys and values are needed"),
        (b"null", ": the state is a NoneType, but keys and values are needed"),
        (b"{}", ": the state lacks the key 'epoch': needed are epoch, best"),
    ],
    ids=["empty", "cut", "latin-1", "deep", "list", "null", "object"],
)
def test_numbers_that_cannot_be_read(folder: Path, content: bytes, message: str) -> None:
    (folder / "checkpoint.json").write_bytes(content)
    load_refused(folder, r"checkpoint\.json" + ("" if message[0] == ":" else " ") + message)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"epoch": "4"}, "the state.epoch is '4', a str, but a int is needed"),
        ({"epoch": 4.0}, "the state.epoch is 4.0, a float, but a int is needed"),
        ({"epoch": True}, "the state.epoch is True, a bool, but a int is needed"),
        ({"epoch": None}, "the state.epoch is None, a NoneType, but a int is needed"),
        ({"epoch": -1}, "epoch is -1, but a whole number of at least 0 is needed"),
        ({"epoch": 10**9}, " was written after 1,000,000,000 epochs, but the recipe has 9"),
        ({"epoch": 10**400}, "epoch is 10+.*, but it must be at most 9223372036854775807"),
        ({"best": [1.5]}, r"the state.best is \[1.5\], a list, but a float is needed"),
        ({"best": float("nan")}, "the state.best is nan, but a finite number is needed"),
        ({"best": float("inf")}, "the state.best is inf, but a finite number is needed"),
        ({"best": 601}, r"best is 601, but it must be in \[-1, 600\]"),
        ({"best": -2.0}, r"best is -2.0, but it must be in \[-1, 600\]"),
        ({"colour": 1}, "the state has the unknown key 'colour': allowed are epoch, best"),
    ],
)
def test_numbers_that_were_changed(folder: Path, change: dict[str, Any], message: str) -> None:
    file = folder / "checkpoint.json"
    file.write_text(json.dumps(json.loads(file.read_text()) | change))
    load_refused(folder, r"checkpoint\.json.*" + message)


@pytest.mark.parametrize("length", [0, 4, 100, -8])
def test_tensors_that_were_cut_short(folder: Path, length: int) -> None:
    file = folder / "checkpoint.safetensors"
    file.write_bytes(file.read_bytes()[:length])
    load_refused(folder, r"checkpoint\.safetensors is no safetensors file, or damaged or cut short \(")


Tensors = dict[str, Tensor]


def changed(key: str, value: Tensor | None) -> Callable[[Tensors], Tensors]:
    """The tensors with another one under a key, or without it."""

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
        (lambda _: {"layer.weight": torch.ones(1)}, r"lacks modules\.bias and 1 more keys: it is of another model"),
        (changed("modules.bias", None), r"lacks modules\.bias and 0 more keys"),
        (
            changed("modules.bias", torch.tensor([0.0, torch.nan])),
            r"modules\.bias with 1 NaN or infinite values among 2",
        ),
        (changed("modules.bias", torch.ones(2).int()), r"modules\.bias of torch\.int32, but torch\.float32 is needed"),
        (changed("modules.bias", torch.ones(2, 1)), r"modules\.bias \(2, 1\), but \(2,\) is needed"),
        (changed("modules.scale", torch.ones(1)), r"has the unexpected modules\.scale and 0 more keys"),
        (changed("scale", torch.ones(1)), r"has the unexpected scale and 0 more keys"),
        (changed("optimizer.7.step", torch.ones(())), r"has the unexpected optimizer\.7\.step and 0 more keys"),
        (changed("optimizer.-1.step", torch.ones(())), r"has the unexpected optimizer\.-1\.step and 0 more keys"),
        (changed("optimizer.first.step", torch.ones(())), r"has the unexpected optimizer\.first\.step and 0 more"),
        (changed("optimizer.0", torch.ones(())), r"has the unexpected optimizer\.0 and 0 more keys"),
        (changed("optimizer.0.exp_avg.x", torch.ones(())), r"has the unexpected optimizer\.0\.exp_avg\.x and 0 more"),
        (changed("optimizer.0.step", None), r"lacks optimizer\.0\.step and 0 more keys"),
        (changed("optimizer.1.exp_avg", None), r"lacks optimizer\.1\.exp_avg and 0 more keys"),
        (changed(SQUARES, torch.ones(3, 2)), r"optimizer\.0\.exp_avg_sq \(3, 2\), but \(2, 3\) is needed"),
        (changed(SQUARES, torch.full((2, 3), torch.inf)), r"optimizer\.0\.exp_avg_sq with 6 NaN or infinite values"),
        (changed(SQUARES, -torch.ones(2, 3)), r"has optimizer\.0\.exp_avg_sq below 0, which AdamW never makes"),
        (changed("optimizer.0.step", torch.tensor(-1.0)), r"has optimizer\.0\.step below 0, which AdamW never makes"),
        (modules_alone, r"has no moments of AdamW after 4 epochs: it is damaged"),
    ],
)
def test_tensors_that_were_changed(folder: Path, change: Callable[[Tensors], Tensors], message: str) -> None:
    file = folder / "checkpoint.safetensors"
    save_file(change(load_file(file)), file)
    load_refused(folder, r"checkpoint\.safetensors .*" + message)

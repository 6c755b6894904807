"""A part of a state dict goes into a checkpoint and comes back, with AdamW's moments or Muon's."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import pytest
import torch
from safetensors.torch import load_file
from timm.optim import Muon
from torch import nn

from seps.fields import Fields
from seps.runs.checkpoint import load_checkpoint, read_state, save_checkpoint


@dataclass(frozen=True)
class Done(Fields, section="the state"):
    epoch: int


def network() -> nn.Module:
    torch.manual_seed(0)
    return nn.Sequential(nn.Linear(4, 16), nn.Linear(16, 8))


def optimizer_of(name: str, modules: nn.Module) -> torch.optim.Optimizer:
    learned = [*modules[1].parameters()]  # type: ignore[index]
    return torch.optim.AdamW(learned, lr=0.1) if name == "adamw" else Muon(learned, lr=0.1)


def go_on(modules: nn.Module, optimizer: torch.optim.Optimizer, steps: range) -> None:
    for step in steps:
        optimizer.zero_grad()
        modules(torch.full((3, 4), float(step))).square().sum().backward()
        optimizer.step()


@pytest.mark.parametrize("name", ["adamw", "muon"])
def test_what_learns_goes_on_as_if_never_stopped(tmp_path: Path, name: str) -> None:
    whole = network()
    optimizer = optimizer_of(name, whole)
    go_on(whole, optimizer, range(3))
    part = {key: tensor for key, tensor in whole.state_dict().items() if key.startswith("1.")}
    save_checkpoint(tmp_path / "checkpoint", part, optimizer, Done(3))
    go_on(whole, optimizer, range(3, 5))

    again = network()
    optimizer = optimizer_of(name, again)
    saved = load_file(tmp_path / "checkpoint" / "checkpoint.safetensors")
    assert ("optimizer.0.momentum_buffer" in saved) == (name == "muon")
    assert read_state(tmp_path / "checkpoint", Done) == Done(3)
    load_checkpoint(tmp_path / "checkpoint", again, part, optimizer, 3)
    go_on(again, optimizer, range(3, 5))
    for key, tensor in whole.state_dict().items():
        assert torch.equal(tensor, again.state_dict()[key])


def test_another_optimizer_s_moments_are_refused(tmp_path: Path) -> None:
    modules = network()
    optimizer = optimizer_of("muon", modules)
    go_on(modules, optimizer, range(1))
    save_checkpoint(tmp_path / "checkpoint", modules.state_dict(), optimizer, Done(1))
    fresh = network()
    every = torch.optim.AdamW(fresh.parameters())
    with pytest.raises(ValueError, match=r"checkpoint/checkpoint\.safetensors"):
        load_checkpoint(tmp_path / "checkpoint", fresh, fresh.state_dict(), every, 1)


def test_without_a_checkpoint_there_is_nothing_to_go_on_from(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="checkpoint holds no checkpoint"):
        read_state(tmp_path / "checkpoint", Done)

from __future__ import annotations

from pathlib import Path

import pytest
import torch

from seps.training.checkpoint import load_checkpoint, save_checkpoint


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


def test_resumes_exactly(tmp_path: Path) -> None:
    whole, _ = trained(6)
    module, optimizer = trained(4)
    save_checkpoint(tmp_path / "one", module, optimizer, {"epoch": 4, "best": 1.5})
    fresh, fresh_optimizer = trained(0)
    assert load_checkpoint(tmp_path / "one", fresh, fresh_optimizer) == {"epoch": 4, "best": 1.5}
    go_on(fresh, fresh_optimizer, range(4, 6))
    for parameter, expected in zip(fresh.parameters(), whole.parameters(), strict=True):
        assert torch.equal(parameter, expected)


def test_refuses_another_models_and_none(tmp_path: Path) -> None:
    module, optimizer = trained(1)
    save_checkpoint(tmp_path / "one", module, optimizer, {})
    other = torch.nn.Linear(4, 2)
    with pytest.raises(ValueError, match="is of another model: size mismatch for weight"):
        load_checkpoint(tmp_path / "one", other, torch.optim.AdamW(other.parameters()))
    with pytest.raises(ValueError, match="holds no checkpoint"):
        load_checkpoint(tmp_path / "two", module, optimizer)

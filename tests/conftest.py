"""Settings for every test: reproducible property-based runs, seeded noise, one place for the golden files."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
import torch
from hypothesis import HealthCheck, settings

from tests.helpers.tiny import write_tiny_bert

settings.register_profile("seps", deadline=None, derandomize=True, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("seps")


@pytest.fixture(autouse=True)
def seeded() -> Iterator[None]:
    """Each test starts from the same noise, whatever ran before it."""
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(0)
        yield


@pytest.fixture(scope="session")
def bert(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the tiny BERT, to read."""
    return write_tiny_bert(tmp_path_factory.mktemp("bert"))

"""Settings for every test: reproducible property-based runs, seeded noise, one place for the golden files."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
import torch
from hypothesis import HealthCheck, settings

settings.register_profile("seps", deadline=None, derandomize=True, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("seps")


@pytest.fixture(autouse=True)
def seeded() -> Iterator[None]:
    """Each test starts from the same noise, whatever ran before it."""
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(0)
        yield

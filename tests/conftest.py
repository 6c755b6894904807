"""Settings for every test: reproducible property-based runs, seeded noise, one place for the golden files."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
import torch
from hypothesis import HealthCheck, is_hypothesis_test, settings

from tests.helpers.examples import PROFILE, PROFILES, number_of_examples
from tests.helpers.tiny import write_tiny_bert

pytest_plugins = ("tests.helpers.sentences",)

for profile in PROFILES:
    settings.register_profile(
        profile,
        max_examples=number_of_examples(100, profile),
        deadline=None,
        derandomize=True,
        suppress_health_check=[HealthCheck.too_slow],
    )
settings.load_profile(PROFILE)


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark the property tests, which CI runs once more with many examples."""
    for item in items:
        if is_hypothesis_test(getattr(item, "obj", None)):
            item.add_marker(pytest.mark.properties)


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

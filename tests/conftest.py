"""Settings for every test: reproducible property-based runs, seeded noise, one place for the golden files.

Torch is imported with the first test: the process that only hands tests to others needs none.
"""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, is_hypothesis_test, settings

from tests.helpers.examples import PROFILE, PROFILES, number_of_examples

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


BROWSER = "tests/demo/browser/"


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config: pytest.Config, log: Any) -> Any:
    """Keep a file's tests together, and of `make test` all that need a browser: one process starts it and the app, for
    all of them and early, while the others run tests that need none."""
    if config.option.markexpr != "not slow":
        return None
    from xdist.scheduler import LoadFileScheduling

    config.option.loadscopereorder = False  # by the order of collection, not by how many tests a file has
    scheduler = LoadFileScheduling(config, log)
    scheduler._split_scope = lambda test: BROWSER if test.startswith(BROWSER) else test.split("::")[0]
    return scheduler


@pytest.fixture(autouse=True)
def seeded() -> Iterator[None]:
    """Each test starts from the same noise, whatever ran before it."""
    import torch

    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(0)
        yield


@pytest.fixture(scope="session")
def bert(tmp_path_factory: pytest.TempPathFactory) -> Path:
    from tests.helpers.models.tiny import write_tiny_bert

    return write_tiny_bert(tmp_path_factory.mktemp("bert"))

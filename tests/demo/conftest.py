"""What the app's tests share."""

from __future__ import annotations

from pathlib import Path

import pytest

from demo.start import open_workbench
from demo.workbench import Workbench


@pytest.fixture(scope="session")
def cache(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A cache folder of the tests' own."""
    return tmp_path_factory.mktemp("cache")


@pytest.fixture(scope="session")
def bench(cache: Path) -> Workbench:
    """The shipped model with the photographs that installed packages carry; nothing is fetched."""
    return open_workbench(cache=cache, fetch=False)

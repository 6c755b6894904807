"""What the app's tests share."""

from __future__ import annotations

from pathlib import Path

import pytest

from demo.galleries.scenes import SCENES
from demo.service.benches import Benches
from demo.service.start import open_scenes, open_workbench
from demo.service.workbench import Workbench
from tests.helpers.world import write_scenes_model


@pytest.fixture(scope="session")
def cache(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A cache folder of the tests' own."""
    return tmp_path_factory.mktemp("cache")


@pytest.fixture(scope="session")
def bench(cache: Path) -> Workbench:
    """The shipped model with the photographs that installed packages carry; nothing is fetched."""
    return open_workbench(cache=cache, fetch=False)


@pytest.fixture(scope="session")
def scenes_model(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A tiny model of scenes, untrained."""
    return write_scenes_model(tmp_path_factory.mktemp("scenes"))


@pytest.fixture(scope="session")
def benches(bench: Workbench, scenes_model: Path, cache: Path) -> Benches:
    """The shipped model's bench, and one of a tiny model with the gallery of scenes."""
    return Benches(bench, {SCENES: (SCENES, lambda: open_scenes(scenes_model, cache))})

"""A tiny model, photographs of noise, and the processes that are started."""

from collections.abc import Iterable
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import pytest
from PIL import Image

from demo.galleries.reading.processes import Worker
from seps import SEPSModel
from tests.helpers.models.tiny import tiny_model


@pytest.fixture(scope="package")
def model(bert: Path) -> SEPSModel:
    return tiny_model(bert)


def write_noise(folder: Path, names: Iterable[str]) -> Path:
    """Write a photograph of each name, all different."""
    folder.mkdir(parents=True)
    for number, name in enumerate(names):
        noise = np.random.default_rng(number).integers(0, 256, (30, 40, 3), dtype=np.uint8)
        Image.fromarray(noise).save(folder / name)
    return folder


def record_workers(module: ModuleType, monkeypatch: pytest.MonkeyPatch) -> list[Worker]:
    """Return a list of the processes that a module will start."""
    started: list[Worker] = []

    def recorded(*arguments: Any, **options: Any) -> Worker:
        started.append(Worker(*arguments, **options))
        return started[-1]

    monkeypatch.setattr(module, "Worker", recorded)
    return started

"""A tiny generator, and a few scenes to train it on. Its weights are random: nothing here shows how well it draws."""

from copy import deepcopy
from pathlib import Path

import pytest
import torch

from seps.generator.config import GeneratorConfig
from seps.generator.model.network import GeneratorNetwork
from seps.scenes import write_split
from tests.helpers.models.generated import TINY, write_tiny_generator


@pytest.fixture(scope="session")
def config() -> GeneratorConfig:
    return GeneratorConfig.from_dict(TINY)


@pytest.fixture(scope="session")
def built(config: GeneratorConfig) -> GeneratorNetwork:
    torch.manual_seed(0)
    return GeneratorNetwork(config).eval()


@pytest.fixture
def network(built: GeneratorNetwork) -> GeneratorNetwork:
    return deepcopy(built)


@pytest.fixture(scope="session")
def drawn(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with 8 training and 5 dev scenes, and 3 to test."""
    folder = tmp_path_factory.mktemp("scenes")
    for split, count in (("train", 8), ("dev", 5), ("test", 3)):
        write_split(folder, split, count, seed=3)
    return folder


@pytest.fixture(scope="session")
def checkpoint(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_tiny_generator(tmp_path_factory.mktemp("generator"))


@pytest.fixture(scope="session")
def writer(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A generator with the same captioner that draws nothing."""
    return write_tiny_generator(tmp_path_factory.mktemp("writer"), draws=False)


@pytest.fixture(autouse=True)
def few_readings(monkeypatch: pytest.MonkeyPatch) -> None:
    """An untrained generator writes long captions, which take long to be read."""
    monkeypatch.setattr("seps.generator.evaluation.evaluate.READINGS", 2)
    monkeypatch.setattr("seps.scenes.captions.reading.MAX_NAMED", 3)

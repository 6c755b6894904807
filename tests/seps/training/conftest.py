"""Fixtures of the tests of training."""

from pathlib import Path

import pytest

from tests.helpers.data.drawn import WORDS, draw_split
from tests.helpers.models.tiny import write_tiny_bert


@pytest.fixture(scope="session")
def data(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("drawn")
    draw_split(folder, "train", 16, seed=1)
    draw_split(folder, "dev", 8, seed=2)
    write_tiny_bert(folder / "bert", WORDS)
    return folder

"""A tiny CLIP and rated pictures, made once."""

from pathlib import Path

import pytest

from tests.helpers.models.judged import write_ratings, write_tiny_clip


@pytest.fixture(scope="session")
def clip(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_tiny_clip(tmp_path_factory.mktemp("clip"))


@pytest.fixture(scope="session")
def rated(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_ratings(tmp_path_factory.mktemp("rated") / "data")

"""A tiny CLIP and rated pictures, made once."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.helpers.judged import write_ratings, write_tiny_clip


@pytest.fixture(scope="session")
def clip(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the tiny CLIP, to read."""
    return write_tiny_clip(tmp_path_factory.mktemp("clip"))


@pytest.fixture(scope="session")
def rated(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with rated pictures, to read."""
    return write_ratings(tmp_path_factory.mktemp("rated") / "data")

"""A model to index with."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.helpers.tiny import tiny_model


@pytest.fixture
def saved(bert: Path, tmp_path: Path) -> Path:
    """A folder with a tiny model."""
    tiny_model(bert).save_pretrained(tmp_path / "model")
    return tmp_path / "model"

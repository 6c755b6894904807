"""A model to index with."""

from pathlib import Path

import pytest

from tests.helpers.models.tiny import tiny_model


@pytest.fixture
def saved(bert: Path, tmp_path: Path) -> Path:
    tiny_model(bert).save_pretrained(tmp_path / "model")
    return tmp_path / "model"

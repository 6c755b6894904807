"""A model to index with."""

from pathlib import Path

import pytest

from tests.helpers.models.tiny import tiny_model


@pytest.fixture(scope="module")
def saved(bert: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("model")
    tiny_model(bert).save_pretrained(folder)
    return folder

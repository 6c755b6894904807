from pathlib import Path

import pytest


@pytest.fixture(scope="session")
def saved(bert: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of a saved tiny model."""
    from tests.helpers.models.tiny import tiny_model

    folder = tmp_path_factory.mktemp("model")
    tiny_model(bert).save_pretrained(folder)
    return folder

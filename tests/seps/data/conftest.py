"""Fixtures of the tests of data."""

from pathlib import Path

import pytest

from tests.helpers.data.drawn_data import draw
from tests.seps.data.caption_files import IMAGES


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder with deeply nested images."""
    (tmp_path / "pictures" / "val2014").mkdir(parents=True)
    for i in range(IMAGES):
        draw(tmp_path / "pictures" / "val2014" / f"COCO_{i}.png", i)
    return tmp_path

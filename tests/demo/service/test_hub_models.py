"""A model of the hub shows in the app what its folder does, against a stand-in for the hub."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest
import torch
from safetensors.torch import save_file

pytestmark = pytest.mark.filterwarnings(
    "ignore:unclosed:ResourceWarning", "ignore::pytest.PytestUnraisableExceptionWarning"
)
RECALLS = {"r1": 12.25, "r5": 40.0, "r10": 61.0}
RESULT = {"split": "dev", "images": 8, "captions": 40, "rsum": 226.5} | dict.fromkeys(
    ("image_to_text", "text_to_image"), RECALLS
)
CARD = "---\nlicense: mit\n---\n# Theirs\n\nIt knows 3 words.\n"


@pytest.fixture
def folder(scenes_model: Path, tmp_path: Path) -> Path:
    """A model with a card and all that is measured of one."""
    folder = tmp_path / "theirs"
    shutil.copytree(scenes_model, folder)
    (folder / "README.md").write_text(CARD)
    (folder / "found-words.json").write_text(json.dumps({"threshold": 0.25, "words": ["cat"]}))
    (folder / "known-captions.json").write_text(json.dumps({"threshold": 0.5}))
    save_file({"centres": torch.eye(3, 24)}, folder / "known-captions.safetensors")
    (folder / "results-dev.json").write_text(json.dumps({"captions_only": RESULT}))
    return folder

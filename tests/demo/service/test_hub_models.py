"""A model of the hub shows in the app what its folder does, against a stand-in for the hub."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest
import torch
from safetensors.torch import save_file

from demo.screens.about.view import measured, own_card
from demo.service.own_models import fetch_model
from demo.service.start import open_registry
from seps.models.hub import load_model
from seps.models.unmatched_words import UnmatchedRule
from tests.helpers.hub import TOKEN, hub_server, point_to

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


def test_it_shows_what_its_folder_shows(
    folder: Path, cache: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with hub_server() as hub:
        point_to(hub.address, str(tmp_path / "hub"), monkeypatch)
        load_model(folder).push_to_hub("owner/theirs", token=TOKEN)
        fetch_model("owner/theirs")
    sent = hub.repos["models/owner/theirs"].files
    assert sent.keys() == {file.name for file in folder.iterdir()}
    for name in sent.keys() - {"README.md"}:  # its metadata has the results too
        assert sent[name] == (folder / name).read_bytes()
    registry = open_registry(cache=cache, fetch=False, models=[str(folder), "owner/theirs"])
    first, other = registry.of("theirs"), registry.of("theirs-2")
    assert other.unmatched_rule == first.unmatched_rule == UnmatchedRule(0.25, frozenset({"cat"}))
    assert first.known is not None and other.known is not None
    assert other.known.threshold == 0.5 and torch.equal(other.known.centres, first.known.centres)
    page = measured(registry.own_models)
    assert page.count(">theirs</th>") == page.count(">theirs-2</th>") == 1 and page.count("<td>12.2</td>") == 4
    cards = [own_card(registry, name).partition(": ") for name in ("theirs", "theirs-2")]
    assert [head for head, *_ in cards] == [
        f"**theirs**, from the folder `{folder}`",
        "**theirs-2**, `owner/theirs` of the model hub",
    ]
    assert cards[0][2] == cards[1][2] and cards[0][2].endswith(
        "in the tables above.\n\n# Theirs\n\nIt knows 3 words.\n"
    )

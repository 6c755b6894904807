"""A model's folder as the hub takes it: its files, its card's block, and that it loads from there."""

from __future__ import annotations

import json
import re
import shutil
from pathlib import Path

import pytest
import torch
from huggingface_hub import ModelCard, ModelCardData

from seps.models.hub import load_model
from seps.models.model import SEPSModel
from seps.models.publish import hub_card, write_for_hub
from seps.publish import main
from tests.helpers.tiny import tiny_model

MODELS = Path(__file__).parents[2] / "assets" / "models"
BLOCK = "---\nlanguage: en\nlicense: mit\nlibrary_name: seps\ntags: [seps]\nmetrics: [recall]\n---\n\n# A model\n"


def test_a_shipped_model_loads_from_the_folder_that_is_uploaded(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = tmp_path / "photos-hub"
    monkeypatch.chdir(tmp_path)
    assert main(["photos", "photos-hub"]) == 0
    assert "hf upload OWNER/photos photos-hub ." in capsys.readouterr().out
    assert {file.name for file in MODELS.joinpath("photos").iterdir()} == {file.name for file in folder.iterdir()}
    model = SEPSModel.from_pretrained(folder)
    shipped = load_model("photos").state_dict()
    assert all(torch.equal(tensor, shipped[key]) for key, tensor in model.state_dict().items())


def test_the_cards_block_says_what_the_hub_asks_for() -> None:
    data = ModelCard(hub_card(MODELS / "photos")).data
    assert isinstance(data, ModelCardData)
    assert (data.license, data.library_name, data.language) == ("mit", "seps", "en")
    assert (data.datasets, data.metrics, data.model_name) == (["flickr8k"], ["recall"], "photos")
    assert data.tags is not None and "image-text-retrieval" in data.tags
    measured = json.loads((MODELS / "photos" / "results-dev.json").read_text())["captions_only"]
    values = {(result.dataset_split, result.metric_name): result.metric_value for result in data.eval_results or []}
    assert len(values) == 12  # two splits, two directions, three recalls
    assert values["dev", "R@1, image to text"] == pytest.approx(measured["image_to_text"]["r1"], abs=0.05)
    assert values["dev", "R@10, text to image"] == pytest.approx(measured["text_to_image"]["r10"], abs=0.05)


@pytest.mark.parametrize("name", ["photos", "scenes", "judge", "generator", "captioner"])
def test_every_model_that_ships_can_be_published(name: str) -> None:
    card = ModelCard(hub_card(MODELS / name))
    text = (MODELS / name / "README.md").read_text(encoding="utf-8").split("---\n", 2)[2]
    assert card.data.get("metrics") and card.data.get("library_name") == "seps"
    assert "](../" not in card.text
    assert card.text.split() == text.replace("[`photos`](../photos/README.md)", "`photos`").split()


def test_a_model_of_ones_own_is_published_with_its_own_card(bert: Path, tmp_path: Path) -> None:
    source = tmp_path / "best"
    tiny_model(bert).save_pretrained(source)
    with pytest.raises(ValueError, match=r"best has no README\.md that says what the model"):
        write_for_hub(str(source), tmp_path / "out")  # the hub's form, not filled
    (source / "README.md").write_text("---\nlicense: mit\n---\nA model.\n")
    with pytest.raises(ValueError, match=r"best/README\.md says nothing of language, library_name, tags"):
        write_for_hub(str(source), tmp_path / "out")
    (source / "README.md").write_text(BLOCK)
    assert [file.name for file in write_for_hub(str(source), tmp_path / "out")] == [
        "README.md",
        "config.json",
        "model.safetensors",
    ]
    assert (tmp_path / "out" / "README.md").read_text().splitlines()[-1] == "# A model"


def test_what_cannot_be_published(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("there").mkdir()
    Path("there", "file").touch()
    shutil.copytree(MODELS / "photos", "pointer")
    Path("pointer", "model.safetensors").write_bytes(b"version https://git-lfs.github.com/spec/v1\noid sha256:0\n")
    for name, folder, message in (
        ("photos", "there", "there is there and not empty"),
        ("pointer", "out", "pointer/model.safetensors is a Git LFS pointer, a few lines"),
        ("photoz", "out", "'photoz' is no folder, no hub repo"),
        ("owner/name", "out", "There is no folder owner/name with a model"),
    ):
        with pytest.raises(ValueError, match=re.escape(message)):
            write_for_hub(name, Path(folder))
    assert not Path("out").exists()

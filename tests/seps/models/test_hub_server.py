"""Models to the model hub and back, against a stand-in for it that answers on this machine."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import replace
from fnmatch import fnmatchcase
from pathlib import Path

import pytest
import torch
from huggingface_hub import ModelCard, constants

from demo.service.own_models import fetch_model
from seps.generator import load_generator
from seps.judge import load_judge
from seps.models.beside import BESIDE, files_beside
from seps.models.hub import load_model, shipped_models
from seps.models.known_captions import JSON_NAME, TENSORS_NAME
from seps.models.model import SEPSModel
from seps.models.publish import write_for_hub
from seps.models.unmatched_words import FILE_NAME
from tests.helpers.hub import TOKEN, Hub, Repo, hub_server, point_to
from tests.helpers.tiny import tiny_model

# The hub's library keeps connections open to use them again.
pytestmark = pytest.mark.filterwarnings(
    "ignore:unclosed:ResourceWarning", "ignore::pytest.PytestUnraisableExceptionWarning"
)
NAME = "owner/tiny"
RECALLS = {"r1": 5.0, "r5": 15.0, "r10": 25.0}
MEASURED = {"split": "dev", "images": 8, "captions": 40, "image_to_text": RECALLS, "text_to_image": RECALLS}


@pytest.fixture
def hub(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Hub]:
    """The hub, which this process asks."""
    with hub_server() as hub:
        point_to(hub.address, str(tmp_path / "cache"), monkeypatch)
        yield hub


@pytest.fixture
def pushed(hub: Hub, bert: Path) -> Repo:
    """The repo of a tiny model, as push_to_hub leaves it."""
    tiny_model(bert).push_to_hub(NAME, token=TOKEN)
    return hub.repos[f"models/{NAME}"]


def files_of(folder: Path) -> dict[str, bytes]:
    return {file.name: file.read_bytes() for file in folder.iterdir()}


def equal(model: SEPSModel, other: SEPSModel) -> bool:
    first, second = model.state_dict(), other.state_dict()
    return first.keys() == second.keys() and all(torch.equal(first[name], second[name]) for name in first)


def test_a_model_comes_back_as_it_was_uploaded(hub: Hub, pushed: Repo, bert: Path) -> None:
    assert set(pushed.files) == {"README.md", "config.json", "model.safetensors"}
    assert pushed.large == {"model.safetensors"}
    assert b"library_name: seps" in pushed.files["README.md"] and b"license: mit" in pushed.files["README.md"]
    model = load_model(NAME)
    assert equal(model, tiny_model(bert)) and not model.training
    assert (model.name, model.config) == ("tiny", tiny_model(bert).config)
    downloads = [line for line in hub.requests if line.startswith("GET") and "/blobs/" in line]
    assert equal(SEPSModel.from_pretrained(NAME), model)
    assert [
        line for line in hub.requests if line.startswith("GET") and "/blobs/" in line
    ] == downloads  # from the cache


@pytest.mark.slow
def test_a_folder_comes_back_file_by_file(hub: Hub, tmp_path: Path) -> None:
    folder = tmp_path / "folder"
    files = {file.name: file.read_bytes() for file in write_for_hub("photos", folder)}
    assert {"README.md", "found-words.json", "known-captions.safetensors", "recipe.json", "results-dev.json"} < set(
        files
    )
    load_model("photos").push_to_hub("owner/photos", token=TOKEN)
    assert hub.repos["models/owner/photos"].files == files
    model = load_model("owner/photos")
    assert model.repo_id == "owner/photos" and model.folder is not None
    assert files_of(model.folder) == files
    model.save_pretrained(tmp_path / "again")
    assert files_of(tmp_path / "again") == files


def test_what_was_measured_goes_with_no_other_model(bert: Path, tmp_path: Path) -> None:
    folder = tmp_path / "run" / "best"
    tiny_model(bert).save_pretrained(folder)
    (folder / "README.md").write_text("# A dog finder\n\nSee [its run](../log.txt) and [results](results-dev.json).\n")
    (folder / "results-dev.json").write_text(json.dumps({"captions_only": {"split": 3}}))
    (folder.parent / "results.json").write_text(json.dumps({"captions_only": MEASURED}))
    (folder / "notes.txt").write_text("Nobody else's business.")
    beside = {"README.md", "results-dev.json", "results.json"}
    model = load_model(folder)
    model.save_pretrained(tmp_path / "same")
    assert set(files_of(tmp_path / "same")) == {"config.json", "model.safetensors", *beside}
    card = ModelCard.load(tmp_path / "same" / "README.md")
    assert card.text.strip() == "# A dog finder\n\nSee its run and [results](results-dev.json)."
    assert (card.data.library_name, card.data.model_name, len(card.data.eval_results or ())) == ("seps", "run", 6)
    tried = replace(model.config, network=dict(model.config.network) | {"sparse_ratio": 0.3})
    model.config, config = tried, model.config
    model.save_pretrained(tmp_path / "tried")
    model.config = config
    with torch.no_grad():
        model.txt_enc.fc.bias.add_(1)
    model.save_pretrained(tmp_path / "trained")
    for name in ("tried", "trained"):
        assert set(files_of(tmp_path / name)) == {"config.json", "model.safetensors", "README.md"}
        assert "dog finder" not in (tmp_path / name / "README.md").read_text()
    model.save_pretrained(folder)  # where it came from: nothing there is touched but the model
    assert (folder / "README.md").read_text().startswith("# A dog finder")


def test_a_card_whose_block_cannot_be_read_is_told(hub: Hub, bert: Path, tmp_path: Path) -> None:
    tiny_model(bert).save_pretrained(tmp_path / "tiny")
    (tmp_path / "tiny" / "README.md").write_text("---\nlicense: [mit\n---\n# Mine\n")
    with pytest.raises(ValueError, match=r"tiny/README\.md has no block at its top that can be read"):
        load_model(tmp_path / "tiny").push_to_hub(NAME, token=TOKEN)


def test_every_file_that_is_read_beside_a_model_goes_along() -> None:
    for name in (FILE_NAME, JSON_NAME, TENSORS_NAME, "results-dev.json", "results.json"):
        assert any(fnmatchcase(name, pattern) for pattern in BESIDE), name
    for folder in shipped_models().values():
        left_out = {file.name for file in folder.iterdir()} - set(files_beside(folder))
        assert left_out == {"config.json", "model.safetensors"}


def test_a_revision_is_that_model(pushed: Repo, bert: Path) -> None:
    first = pushed.refs["main"]
    changed = tiny_model(bert)
    with torch.no_grad():
        changed.txt_enc.fc.bias.add_(1)
    changed.push_to_hub(NAME, token=TOKEN)
    pushed.refs["v1"] = first
    assert equal(load_model(NAME), changed)
    for revision in ("v1", first):
        assert equal(load_model(NAME, revision=revision), tiny_model(bert))
        assert equal(SEPSModel.from_pretrained(NAME, revision=revision), tiny_model(bert))
    for load in (load_model, SEPSModel.from_pretrained):
        with pytest.raises(ValueError, match="owner/tiny has no revision 'v2'"):
            load(NAME, revision="v2")
    with pytest.raises(ValueError, match="photos is a local folder"):
        load_model("photos", revision="v1")


def test_without_the_hub_the_cache_answers(pushed: Repo, monkeypatch: pytest.MonkeyPatch, bert: Path) -> None:
    load_model(NAME)
    monkeypatch.setattr(constants, "HF_HUB_OFFLINE", True)
    assert equal(load_model(NAME), tiny_model(bert))
    with pytest.raises(ValueError, match="owner/other cannot be loaded from the model hub"):
        load_model("owner/other")
    with pytest.raises(ValueError, match="owner/tiny was not uploaded to the model hub"):
        tiny_model(bert).push_to_hub(NAME, token=TOKEN)
    monkeypatch.setattr(constants, "HF_HUB_OFFLINE", False)
    monkeypatch.setattr(constants, "ENDPOINT", "http://127.0.0.1:9")  # where nobody listens
    assert equal(load_model(NAME), tiny_model(bert))
    with pytest.raises(ValueError, match="owner/other cannot be loaded from the model hub"):
        load_model("owner/other")
    with pytest.raises(ValueError, match="owner/tiny was not uploaded to the model hub"):
        tiny_model(bert).push_to_hub(NAME, token=TOKEN)


def test_repos_that_cannot_be_had(
    hub: Hub, pushed: Repo, bert: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    with pytest.raises(ValueError, match="owner/absent is not on the model hub"):
        load_model("owner/absent")
    pushed.gated = True
    with pytest.raises(ValueError, match="owner/tiny is gated: agree to its terms at"):
        load_model(NAME)
    assert equal(SEPSModel.from_pretrained(NAME, token=TOKEN), tiny_model(bert))
    pushed.gated, pushed.private = False, True
    monkeypatch.setattr(constants, "HF_HUB_CACHE", str(tmp_path / "empty"))
    with pytest.raises(ValueError, match="owner/tiny is not on the model hub"):
        load_model(NAME)
    pushed.private = False
    for name, message in (
        ("model.safetensors", "owner/tiny has no model.safetensors on the model hub"),
        ("config.json", "owner/tiny has no config.json on the model hub"),
    ):
        del pushed.files[name]
        pushed.commit({})
        with pytest.raises(ValueError, match=re.escape(message)):
            load_model(NAME)
        with pytest.raises(ValueError, match=re.escape(message)):
            SEPSModel.from_pretrained(NAME)
        with pytest.raises(ValueError, match=f"There is no folder owner/tiny, and {re.escape(message)}"):
            fetch_model(NAME)
    for load, message in (
        (load_judge, "owner/tiny has no judge.json on the model hub"),
        (load_generator, "owner/tiny has no generator.json on the model hub"),
    ):
        with pytest.raises(ValueError, match=re.escape(message)):
            load(NAME)
    with pytest.raises(ValueError, match="'no/hub/name' is no folder and no name of the model hub"):
        SEPSModel.from_pretrained("no/hub/name")


def test_who_may_not_write_is_told(hub: Hub, bert: Path) -> None:
    model = tiny_model(bert)
    for token, message in (
        (None, "owner/tiny was not uploaded, since the model hub has to know"),
        ("hf_of_somebody", "owner/tiny was not uploaded, since this machine's token may"),
    ):
        with pytest.raises(ValueError, match=re.escape(message)):
            model.push_to_hub(NAME, token=token)
    with pytest.raises(ValueError, match="'no/hub/name' is no name of the model hub"):
        model.push_to_hub("no/hub/name", token=TOKEN)
    assert hub.repos == {}
    with pytest.raises(TypeError):
        model.push_to_hub(NAME, colour="red")


@pytest.mark.slow
def test_judges_and_generators_come_from_the_hub(hub: Hub) -> None:
    root = Path(__file__).parents[3] / "assets" / "models"
    for name in ("judge", "captioner"):
        files = {file.name: file.read_bytes() for file in (root / name).iterdir() if file.is_file()}
        hub.repos[f"models/owner/{name}"] = repo = Repo(large={file for file in files if file.endswith(".safetensors")})
        repo.commit(files)
    assert load_judge("owner/judge").config == load_judge("judge").config
    assert load_generator("owner/captioner").network.config == load_generator("photos").network.config


@pytest.mark.slow
def test_a_space_is_uploaded_by_the_hubs_own_program(hub: Hub, tmp_path: Path) -> None:
    folder = tmp_path / "space"
    subprocess.run([sys.executable, "-m", "demo.space", str(folder), "--no-start"], check=True)
    environment = os.environ | {
        "HF_ENDPOINT": hub.address,
        "HF_TOKEN": TOKEN,
        "HF_HOME": str(tmp_path / "home"),
        "HF_HUB_DISABLE_XET": "1",
        "HF_HUB_DISABLE_TELEMETRY": "1",
        "HF_HUB_DISABLE_UPDATE_CHECK": "1",
    }
    program = Path(sys.executable).with_name("hf")
    for command in (
        ["repos", "create", "owner/explorer", "--type", "space", "--space-sdk", "gradio"],
        ["upload", "owner/explorer", str(folder), ".", "--type", "space"],
    ):
        subprocess.run([str(program), *command], env=environment, check=True)
    repo = hub.repos["spaces/owner/explorer"]
    assert repo.files == {
        file.relative_to(folder).as_posix(): file.read_bytes() for file in folder.rglob("*") if file.is_file()
    }
    assert {path.rpartition(".")[2] for path in repo.large} >= {"safetensors", "png", "gif", "webm"}
    assert json.loads(repo.files["assets/models/photos/config.json"])["embed_size"] == 384

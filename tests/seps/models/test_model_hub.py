import json
import re
import shutil
from dataclasses import dataclass, field, replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import httpx
import pytest
import torch
from huggingface_hub import HfApi, ModelCard
from huggingface_hub.errors import (
    GatedRepoError,
    HfHubHTTPError,
    OfflineModeIsEnabled,
    RepositoryNotFoundError,
    RevisionNotFoundError,
)
from huggingface_hub.utils import validate_repo_id

from demo.service.models.own_models import fetch_model
from seps.encoders import sources
from seps.encoders.hub_errors import writing_sentence
from seps.generator import load_generator
from seps.generator.config import GeneratorConfig
from seps.judge import load_judge
from seps.models.hub import load_model
from seps.models.model import SEPSModel
from tests.helpers.models.generated import write_tiny_generator
from tests.helpers.models.tiny import equal_states, tiny_model

NAME, TOKEN = "owner/tiny", "hf_of_the_owner"
RECALLS = {"r1": 5.0, "r5": 15.0, "r10": 25.0}
MEASURED = {"split": "dev", "images": 8, "captions": 40, "image_to_text": RECALLS, "text_to_image": RECALLS}


def refused(kind: type[HfHubHTTPError], status: int) -> HfHubHTTPError:
    response: Any = httpx.Response(status, request=httpx.Request("GET", "https://hub"))
    return kind("refused", response=response)


@dataclass
class Hub:
    """What the hub's library does with it, on folders: those of a repo by revision."""

    root: Path
    repos: dict[str, dict[str, Path]] = field(default_factory=dict)
    gated: bool = False

    def download(self, repo_id: str, revision: str | None = None, token: str | None = None, **_: Any) -> str:
        validate_repo_id(repo_id)
        if repo_id not in self.repos:
            raise refused(RepositoryNotFoundError, 401)
        if self.gated and token != TOKEN:
            raise refused(GatedRepoError, 403)
        if (revision or "main") not in self.repos[repo_id]:
            raise refused(RevisionNotFoundError, 404)
        return str(self.repos[repo_id][revision or "main"])

    def create(self, api: HfApi, repo_id: str, **_: Any) -> SimpleNamespace:
        validate_repo_id(repo_id)
        if api.token != TOKEN:
            raise refused(HfHubHTTPError, 401 if api.token is None else 403)
        return SimpleNamespace(repo_id=repo_id)

    def upload(self, _: HfApi, repo_id: str, folder_path: Path, **__: Any) -> str:
        revisions = self.repos.setdefault(repo_id, {})
        revisions["main"] = shutil.copytree(folder_path, self.root / f"{repo_id}-{len(list(self.root.rglob('*')))}")
        return "a commit"


@pytest.fixture
def hub(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Hub:
    hub = Hub(tmp_path / "hub")
    monkeypatch.setattr(sources, "hub_answers", lambda: True)
    monkeypatch.setattr(sources, "snapshot_download", hub.download)
    monkeypatch.setattr(HfApi, "create_repo", lambda api, **options: hub.create(api, **options))
    monkeypatch.setattr(HfApi, "upload_folder", lambda api, **options: hub.upload(api, **options))
    return hub


@pytest.fixture
def pushed(hub: Hub, tiny: SEPSModel) -> dict[str, Path]:
    """The repo of a tiny model, as push_to_hub leaves it."""
    tiny.push_to_hub(NAME, token=TOKEN)
    return hub.repos[NAME]


def files_of(folder: Path) -> set[str]:
    return {file.name for file in folder.iterdir()}


def test_what_was_measured_goes_with_no_other_model(tiny: SEPSModel, tmp_path: Path) -> None:
    folder = tmp_path / "run" / "best"
    tiny.save_pretrained(folder)
    (folder / "README.md").write_text("# A dog finder\n\nSee [its run](../log.txt) and [results](results-dev.json).\n")
    (folder / "results-dev.json").write_text(json.dumps({"captions_only": {"split": 3}}))
    (folder.parent / "results.json").write_text(json.dumps({"captions_only": MEASURED}))
    (folder / "notes.txt").write_text("Nobody else's business.")
    beside = {"README.md", "results-dev.json", "results.json"}
    model = load_model(folder)
    model.save_pretrained(tmp_path / "same")
    assert files_of(tmp_path / "same") == {"config.json", "model.safetensors", *beside}
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
        assert files_of(tmp_path / name) == {"config.json", "model.safetensors", "README.md"}
        assert "dog finder" not in (tmp_path / name / "README.md").read_text()
    model.save_pretrained(folder)  # where it came from: nothing there is touched but the model
    assert (folder / "README.md").read_text().startswith("# A dog finder")


def test_a_model_comes_back_as_it_was_uploaded_in_each_revision(
    pushed: dict[str, Path], tiny: SEPSModel, bert: Path
) -> None:
    assert files_of(pushed["main"]) == {"README.md", "config.json", "model.safetensors"}
    card = (pushed["main"] / "README.md").read_text()
    assert "library_name: seps" in card and "license: mit" in card
    pushed["v1"] = pushed["main"]
    changed = tiny_model(bert)
    with torch.no_grad():
        changed.txt_enc.fc.bias.add_(1)
    changed.push_to_hub(NAME, token=TOKEN)
    assert equal_states(load_model(NAME), changed)
    model = load_model(NAME, revision="v1")
    assert equal_states(model, tiny) and not model.training
    assert (model.name, model.repo_id, model.config) == ("tiny", NAME, changed.config)
    with pytest.raises(ValueError, match="owner/tiny has no revision 'v2'"):
        load_model(NAME, revision="v2")
    with pytest.raises(ValueError, match="photos is a local folder"):
        load_model("photos", revision="v1")


def test_repos_that_cannot_be_had(hub: Hub, pushed: dict[str, Path], tiny: SEPSModel) -> None:
    with pytest.raises(ValueError, match="owner/absent is not on the model hub"):
        load_model("owner/absent")
    with pytest.raises(ValueError, match="'no/hub/name' is no folder and no name of the model hub"):
        SEPSModel.from_pretrained("no/hub/name")
    hub.gated = True
    with pytest.raises(ValueError, match="owner/tiny is gated: agree to its terms at"):
        load_model(NAME)
    assert equal_states(SEPSModel.from_pretrained(NAME, token=TOKEN), tiny)
    hub.gated = False
    for name in ("model.safetensors", "config.json"):
        (pushed["main"] / name).unlink()
        message = f"owner/tiny has no {name} on the model hub"
        with pytest.raises(ValueError, match=re.escape(message)):
            load_model(NAME)
        with pytest.raises(ValueError, match=f"There is no folder owner/tiny, and {re.escape(message)}"):
            fetch_model(NAME)
    with pytest.raises(ValueError, match=r"owner/tiny has no judge\.json on the model hub"):
        load_judge(NAME)


# The hub's library leaves its temporary folder to the garbage collector where an upload fails.
@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning", "ignore:Implicitly:ResourceWarning")
def test_who_may_not_write_is_told(hub: Hub, tiny: SEPSModel, tmp_path: Path) -> None:
    for token, message in (
        (None, "owner/tiny was not uploaded, since the model hub has to know"),
        ("hf_of_somebody", "owner/tiny was not uploaded, since this machine's token may"),
    ):
        with pytest.raises(ValueError, match=re.escape(message)):
            tiny.push_to_hub(NAME, token=token)
    with pytest.raises(ValueError, match="'no/hub/name' is no name of the model hub"):
        tiny.push_to_hub("no/hub/name", token=TOKEN)
    with pytest.raises(TypeError):
        tiny.push_to_hub(NAME, colour="red")
    tiny.save_pretrained(tmp_path / "tiny")
    (tmp_path / "tiny" / "README.md").write_text("---\nlicense: [mit\n---\n# Mine\n")
    with pytest.raises(ValueError, match=r"tiny/README\.md has no block at its top that can be read"):
        load_model(tmp_path / "tiny").push_to_hub(NAME, token=TOKEN)
    assert hub.repos == {}


def test_generators_come_from_the_hub(hub: Hub, tmp_path: Path) -> None:
    hub.repos["owner/generator"] = {"main": write_tiny_generator(tmp_path / "generator")}
    config = GeneratorConfig.from_json(tmp_path / "generator" / "generator.json")
    assert load_generator("owner/generator").network.config == config


@pytest.mark.parametrize(
    ("error", "reason"),
    [
        (refused(RevisionNotFoundError, 404), "it has no such branch"),
        (refused(HfHubHTTPError, 503), r"\(it answered with status 503\): try again later"),
        (OfflineModeIsEnabled("offline"), r"\(HF_HUB_OFFLINE is set\)"),
        (ConnectionError("no route"), r"\(it cannot be reached\)"),
    ],
)
def test_a_failed_upload_says_why(error: Exception, reason: str) -> None:
    assert re.search(reason, writing_sentence(error, NAME))

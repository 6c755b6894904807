import json
import re
import shutil
from pathlib import Path

import pytest

from seps.models.config import ModelConfig
from seps.models.model import SEPSModel
from seps.models.publish import write_for_hub
from seps.publish import main
from tests.helpers.models.tiny import tiny_model

MODELS = Path(__file__).parents[2] / "assets" / "models"
BLOCK = "---\nlanguage: en\nlicense: mit\nlibrary_name: seps\ntags: [seps]\nmetrics: [recall]\n---\n\n# A model\n"


def test_a_shipped_model_loads_from_the_folder_that_is_uploaded(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = tmp_path / "scenes-hub"
    monkeypatch.chdir(tmp_path)
    assert main(["scenes", "scenes-hub"]) == 0
    assert "hf upload OWNER/scenes scenes-hub ." in capsys.readouterr().out
    shipped = {file.name: file.read_bytes() for file in MODELS.joinpath("scenes").iterdir()}
    assert shipped.keys() == {file.name for file in folder.iterdir()}
    assert (folder / "model.safetensors").read_bytes() == shipped["model.safetensors"]
    assert SEPSModel.from_pretrained(folder).config == ModelConfig.from_dict(json.loads(shipped["config.json"]))


def test_a_model_of_ones_own_is_published_with_its_own_card(bert: Path, tmp_path: Path) -> None:
    source = tmp_path / "best"
    tiny_model(bert).save_pretrained(source)
    with pytest.raises(ValueError, match=r"best has no README\.md that says what the model"):
        write_for_hub(str(source), tmp_path / "out")  # the hub's form, not filled
    (source / "README.md").write_text("---\nlicense: mit\n---\nA model.\n")
    with pytest.raises(ValueError, match=r"best/README\.md says nothing of language, library_name, tags"):
        write_for_hub(str(source), tmp_path / "out")
    (source / "README.md").write_text(BLOCK)
    written = [file.name for file in write_for_hub(str(source), tmp_path / "out")]
    assert written == ["README.md", "config.json", "model.safetensors"]
    assert (tmp_path / "out" / "README.md").read_text().splitlines()[-1] == "# A model"


def test_what_cannot_be_published(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("there").mkdir()
    Path("there", "file").touch()
    shutil.copytree(MODELS / "scenes", "pointer")
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

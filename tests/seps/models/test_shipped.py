import re
from pathlib import Path

import pytest

from seps.models.shipped import model_folder, shipped_models


def model_in(folder: Path) -> Path:
    folder.mkdir(parents=True)
    (folder / "config.json").write_text("{}")
    return folder


def test_what_a_name_means(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert model_folder("photos") == shipped_models()["photos"]
    assert model_folder("judge/encoders") == shipped_models("judge.json")["judge"] / "encoders"
    assert "encoders" not in shipped_models()
    best = model_in(tmp_path / "run" / "best")
    assert model_folder(str(best)) == best
    monkeypatch.chdir(tmp_path)
    assert model_folder("run/best") == Path("run/best")
    assert model_folder("owner/name") is None


def test_slips_are_told_with_what_is_there(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    model_in(tmp_path / "run" / "best")
    monkeypatch.chdir(tmp_path)
    (tmp_path / "empty").mkdir()
    for name, message in (
        ("run", "run has no config.json, so it holds no model: give run/best."),
        ("run/bset", "There is no folder run/bset; in run there are: best."),
        (str(tmp_path / "run" / "bset"), "run/bset; in "),
        ("empty/best", "There is no folder empty/best, and empty holds no model."),
        *((name, f"'{name}' is no folder, no hub repo") for name in ("moon", "/nowhere/at/all", "./photos", "a/b/c")),
    ):
        with pytest.raises(ValueError, match=re.escape(message)):
            model_folder(name)

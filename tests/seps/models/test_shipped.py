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
    with pytest.raises(ValueError, match=r"run has no config\.json, so it holds no model"):
        model_folder("run")
    with pytest.raises(ValueError, match="The folder run/bset does not exist"):
        model_folder("run/bset")
    with pytest.raises(ValueError, match="run/bset does not exist;"):
        model_folder(str(tmp_path / "run" / "bset"))
    for name in ("moon", "/nowhere/at/all", "./photos", "a/b/c"):
        with pytest.raises(ValueError, match=f"'{re.escape(name)}' is no folder, no hub repo"):
            model_folder(name)
    (tmp_path / "empty").mkdir()
    with pytest.raises(ValueError, match="There is no folder empty/best"):
        model_folder("empty/best")

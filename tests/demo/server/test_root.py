"""The path that something in front of the app gives it."""

from __future__ import annotations

import pytest

from demo.server.root import read_root, strip_root


@pytest.mark.parametrize(
    ("given", "root"),
    [
        ("", ""),
        ("/", ""),
        ("seps", "/seps"),
        ("/seps/", "/seps"),
        ("/a/b", "/a/b"),
        ("https://example.org/seps/", "https://example.org/seps"),
    ],
)
def test_the_root_is_read_as_people_write_it(monkeypatch: pytest.MonkeyPatch, given: str, root: str) -> None:
    monkeypatch.setenv("GRADIO_ROOT_PATH", given)
    assert read_root() == root


@pytest.mark.parametrize(
    ("root", "path", "below"),
    [
        ("", "/config", "/config"),
        ("/seps", "/seps/config", "/config"),  # a proxy that does not strip the path
        ("/seps", "/config", "/config"),  # it strips the root
        ("/seps/", "/seps/config", "/config"),
        ("https://example.org/seps", "/seps/config", "/config"),
        ("https://example.org", "/config", "/config"),
        ("/seps", "/seps", "/"),
        ("/seps", "/sepsis", "/sepsis"),
    ],
)
def test_the_root_is_left_out_of_a_path(root: str, path: str, below: str) -> None:
    assert strip_root(path, root) == below

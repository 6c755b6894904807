import re

import pytest
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import PlainTextResponse
from starlette.routing import Route
from starlette.testclient import TestClient

from demo.server.files.folder import TemporaryFolder
from demo.server.frames import HEADER, HUB, VARIABLE, frame_rule, read_root, strip_root
from demo.server.routes import server_options

COURSE = "https://course.example.org"


@pytest.fixture(autouse=True)
def nowhere(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv(VARIABLE, raising=False)
    monkeypatch.delenv("SPACE_ID", raising=False)


def page(request: Request) -> PlainTextResponse:
    return PlainTextResponse("the page")


def rule_of(path: str, *sites: str) -> str:
    """The rule that comes with an answer of the server: with the page, and with refused requests."""
    with TemporaryFolder() as folder:
        options = server_options(folder, 2**20, sites=sites)
        client = TestClient(Starlette(routes=[Route("/", page)], middleware=options["middleware"][:1]))
        return client.get(path).headers[HEADER]


def test_only_the_apps_own_pages_show_it_in_a_frame_unless_the_host_names_others() -> None:
    for path in ("/", "/nowhere"):
        assert rule_of(path) == "frame-ancestors 'self'"
    assert rule_of("/", COURSE, "http://localhost:8000") == f"frame-ancestors 'self' {COURSE} http://localhost:8000"
    assert rule_of("/", "*") == "frame-ancestors 'self' *"


def test_a_space_is_shown_by_the_hub_and_by_what_its_variable_names(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SPACE_ID", "owner/name")
    assert frame_rule() == f"frame-ancestors 'self' {HUB}"
    monkeypatch.setenv(VARIABLE, f"{COURSE} https://*.example.edu")
    assert frame_rule([COURSE]) == f"frame-ancestors 'self' {COURSE} https://*.example.edu {HUB}"


@pytest.mark.parametrize("site", ["course.example.org", f"{COURSE}; script-src *", "'none'", "https://é.org"])
def test_what_is_no_site_is_told(site: str) -> None:
    with pytest.raises(ValueError, match=f"{re.escape(site)}.* is no site that may show the app in a frame"):
        frame_rule([site])


@pytest.mark.parametrize(
    ("given", "root", "paths"),
    [
        ("/", "", {"/config": "/config"}),
        ("seps", "/seps", {"/seps/config": "/config", "/config": "/config", "/seps": "/", "/sepsis": "/sepsis"}),
        ("/seps/", "/seps", {"/seps/config": "/config"}),
        ("https://example.org/seps/", "https://example.org/seps", {"/seps/config": "/config"}),
    ],
)
def test_the_root_is_read_as_people_write_it_and_left_out_of_paths(
    monkeypatch: pytest.MonkeyPatch, given: str, root: str, paths: dict[str, str]
) -> None:
    monkeypatch.setenv("GRADIO_ROOT_PATH", given)
    assert read_root() == root
    assert {path: strip_root(path, root) for path in paths} == paths

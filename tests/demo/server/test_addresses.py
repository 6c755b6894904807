import re
from collections.abc import Iterator
from itertools import cycle
from typing import Any

import gradio as gr
import pytest
from gradio.routes import App
from starlette.testclient import TestClient

from demo.galleries.reading.photos import MAX_BYTES
from demo.server.addresses import NEEDED, OF_PAGE, is_needed
from demo.server.files.folder import TemporaryFolder
from demo.server.gate import UNKNOWN, UNREADABLE
from demo.server.routes import server_options
from tests.helpers.web.awaited import awaited

API = "/gradio_api/"
# Known addresses of Gradio that are not needed. New ones are refused too; look at
# their effect before adding them to this list or to the list of needed ones.
REFUSED = {
    "/assets/{path:path}", "/login", "/logout", "/manifest.json", "/monitoring", "/monitoring/summary",
    "/monitoring/{key}", "/openapi.json", "/pwa_icon", "/pwa_icon/{size}", "/static/{path:path}",
    "/svelte/{path:path}", "/theme.css", f"{API}upload_progress",
    f"{API}custom_component/{{id}}/{{environment}}/{{type}}/{{file_name}}",
    f"{API}component_server", f"{API}deep_link", f"{API}dev/reload", f"{API}file/{{path:path}}", f"{API}login_check",
    f"{API}openapi.json", f"{API}process_recording", f"{API}proxy={{url_path:path}}", f"{API}queue/status",
    f"{API}runs",
    f"{API}stream/{{event_id}}", f"{API}stream/{{event_id}}/close", f"{API}theme.css", f"{API}token", f"{API}user",
    f"{API}stream/{{session_hash}}/{{run}}/{{component_id}}/playlist-file",
    f"{API}stream/{{session_hash}}/{{run}}/{{component_id}}/playlist.m3u8",
    f"{API}stream/{{session_hash}}/{{run}}/{{component_id}}/{{segment_id}}.{{ext}}",
    f"{API}undo-vibe-edit", f"{API}vibe-code", f"{API}vibe-edit", f"{API}vibe-starter-queries",
}  # fmt: skip


@pytest.fixture(scope="module")
def app(tmp_path_factory: pytest.TempPathFactory) -> Iterator[App]:
    """The server around an empty page, with the app's own options."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("GRADIO_TEMP_DIR", str(tmp_path_factory.mktemp("files")))
        with TemporaryFolder() as folder:
            yield awaited(made(server_options(folder, MAX_BYTES)))


async def made(options: dict[str, Any]) -> App:
    """The server; where no loop runs, Gradio would leave some open."""
    with gr.Blocks() as page:
        page.run_history = False
    return App.create_app(page, app_kwargs=options)


def listed(routes: Any) -> Iterator[tuple[str, str]]:
    """Every method and path of a router and its nested routers."""
    for route in routes:
        if hasattr(route, "effective_candidates"):  # a router that FastAPI includes
            yield from listed(route.effective_candidates())
        elif getattr(route, "routes", None):
            yield from ((method, route.path + path) for method, path in listed(route.routes))
        else:
            yield from ((method, route.path.rstrip("/") or "/") for method in route.methods)


def test_an_update_of_gradio_brings_no_address_unseen(app: App) -> None:
    paths = {path for _, path in listed(app.routes)}
    assert len(paths) > 50
    assert paths - NEEDED.keys() == REFUSED
    assert NEEDED.keys() - paths == set(OF_PAGE)
    for method, path in listed(app.routes):
        assert method in NEEDED.get(path, {method}), f"{method} {path} is served, but not in the list"


def filled(path: str) -> str:
    return re.sub(r"\{[^}]*\}", "1", path)


def test_the_others_get_a_sentence_whatever_the_method(app: App) -> None:
    client = TestClient(app)
    for path, method in zip(sorted(REFUSED), cycle(("GET", "HEAD", "POST", "DELETE"))):
        for address in (filled(path), filled(path) + "/"):
            answer = client.request(method, address, follow_redirects=False)
            assert answer.status_code == 404, (method, address)
            assert method == "HEAD" or answer.json() == {"error": UNKNOWN}, (method, address)
            assert not is_needed("GET", address) and not is_needed("POST", address)


def test_what_is_needed_matches_its_own_form_and_no_more() -> None:
    for path, methods in NEEDED.items():
        for method in ("GET", "HEAD", "POST", "PUT"):
            if (method, path) != ("GET", "/gradio_api/call/v2/{api_name}"):  # an event's answer, by its form
                assert is_needed(method, filled(path)) == (method in methods), path
    for path in ("//", "/config/x", "/gradio_api", "/gradio_api/", "/gradio_api/queue", "/GRADIO_API/info", "/x"):
        assert is_needed("GET", path) == (path == "//")


def test_a_body_of_another_form_gets_a_sentence_that_holds_nothing_of_it(app: App) -> None:
    client = TestClient(app)
    for path in ("queue/join", "run/explain", "api/explain", "call/explain", "cancel", "reset"):
        for body in ("[1]", "null", "5", '{"data": [], "session_hash": 5, "event_id": []}', "a=b", "{"):
            kind = "text/plain" if body == "5" else "application/json"
            answer = client.post(f"{API}{path}", content=body, headers={"Content-Type": kind})
            assert (answer.status_code, answer.json()) == (422, {"error": UNREADABLE}), (path, body)
    for body in ("", "[" * 100_000, "1" * 5000):
        answer = client.post(f"{API}cancel", content=body, headers={"Content-Type": "application/json"})
        assert answer.status_code in (400, 422), body[:20]
        assert answer.json() in ({"error": UNREADABLE}, {"detail": "There was an error parsing the body"}), body[:20]

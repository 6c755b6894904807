import re
import urllib.error
import urllib.request
from pathlib import Path

import pytest
from starlette.applications import Starlette
from starlette.testclient import TestClient

from demo.galleries.reading.photos import MAX_BYTES
from demo.opening.server import Opening
from demo.page.html import ENTRY, app_page
from demo.server.files import static
from demo.server.files.folder import TemporaryFolder
from demo.server.files.static import SCRIPTS, find_script, imports_of, script_address, scripts
from demo.server.frames import HEADER, frame_rule
from demo.server.routes import server_options

ESCAPES = (
    "../../../app.py",
    "%2e%2e/%2e%2e/%2e%2e/app.py",
    "..%2f..%2f..%2fapp.py",
    "lesson/../../css/viewer.css",
    "/etc/passwd",
    "",
    "lesson/",
    "lesson",
)


def test_every_module_has_an_address_and_nothing_else_has() -> None:
    assert {"explorer.js", "explore/view.js", "engine/server.js"} <= scripts().keys()
    for name, content in scripts().items():
        assert find_script(script_address(name)) == content == (SCRIPTS / name).read_bytes()
    start = script_address("")
    for path in ESCAPES:
        assert find_script(start + path) is None
    assert find_script(script_address("explorer.js").replace(static.digest(), "0" * 12)) is None


def test_the_page_loads_its_entry_and_fetches_all_that_it_imports_beside_it() -> None:
    page = app_page(None)
    assert f'<script type="module" src="{script_address(ENTRY)}">' in page
    fetched = set(re.findall(r'rel="modulepreload" href="([^"]+)"', page))
    assert all(find_script(address) is not None for address in fetched)
    for name in [name for name in scripts() if script_address(name) in fetched]:
        for other in imports_of(name, scripts()[name].decode()):
            assert script_address(other) in {*fetched, script_address(ENTRY)}, f"{name} imports {other}"


def test_the_app_serves_modules_for_good_and_nothing_else_there(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("GRADIO_TEMP_DIR", str(tmp_path))
    with TemporaryFolder() as folder:
        client = TestClient(Starlette(routes=server_options(folder, MAX_BYTES)["routes"]))
        answer = client.get("/" + script_address("explore/view.js"))
        assert (answer.status_code, answer.content) == (200, scripts()["explore/view.js"])
        assert answer.headers["content-type"] == "text/javascript; charset=utf-8"
        assert "immutable" in answer.headers["cache-control"]
        for path in ESCAPES:
            assert client.get("/" + script_address("") + path).status_code == 404, path


def test_the_opening_page_serves_the_same_with_the_rule_of_frames(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("GRADIO_SERVER_PORT", raising=False)
    monkeypatch.setenv("GRADIO_SERVER_NAME", "127.0.0.1")
    opening = Opening(None, "page", frame_rule(["https://course.example.org"]))
    try:
        with urllib.request.urlopen(opening.address, timeout=10) as answer:
            assert answer.headers[HEADER].endswith(" https://course.example.org")
        with urllib.request.urlopen(f"{opening.address}/{script_address('explorer.js')}", timeout=10) as answer:
            assert answer.read() == scripts()["explorer.js"]
            assert answer.headers["Content-Type"] == "text/javascript; charset=utf-8"
            assert "immutable" in answer.headers["Cache-Control"]
        for path in ESCAPES:
            with pytest.raises(urllib.error.HTTPError, match="503"):
                urllib.request.urlopen(f"{opening.address}/{script_address('')}{path}", timeout=10)
    finally:
        opening.close()

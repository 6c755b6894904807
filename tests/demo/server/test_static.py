"""The page's scripts: what is served of them, by both servers, and nothing else."""

from __future__ import annotations

import re
import urllib.error
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from starlette.applications import Starlette
from starlette.testclient import TestClient

from demo.drawing.palette import VEIL
from demo.galleries.photos import MAX_BYTES
from demo.opening.server import Opening
from demo.page.html import ENTRY, app_page, sheets
from demo.server import static
from demo.server.folder import TemporaryFolder
from demo.server.routes import server_options
from demo.server.static import ASSETS, SCRIPTS, find_script, imports_of, script_address, scripts, style_sheets

STYLES = style_sheets(sheets())
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


@contextmanager
def other_scripts(folder: Path) -> Iterator[None]:
    """The modules of another folder, as after an update."""
    before = static.SCRIPTS
    try:
        static.SCRIPTS = folder
        static.scripts.cache_clear()
        static.digest.cache_clear()
        yield
    finally:
        static.SCRIPTS = before
        static.scripts.cache_clear()
        static.digest.cache_clear()


def test_every_module_has_an_address_and_nothing_else_has() -> None:
    assert {"explorer.js", "explore/view.js", "engine/server.js"} <= scripts().keys()
    for name, content in scripts().items():
        assert find_script(script_address(name)) == content == (SCRIPTS / name).read_bytes()
    start = script_address("")
    for path in ESCAPES:
        assert find_script(start + path) is None
    assert find_script(script_address("explorer.js").replace(static.digest(), "0" * 12)) is None


def test_the_address_changes_with_any_module(tmp_path: Path) -> None:
    (tmp_path / "app.js").write_text("export const one = 1;\n")
    with other_scripts(tmp_path):
        before = script_address("app.js")
        assert find_script(before) == b"export const one = 1;\n"
    (tmp_path / "app.js").write_text("export const one = 2;\n")
    with other_scripts(tmp_path):
        assert script_address("app.js") != before
        assert find_script(before) is None  # never an old page with new modules


def test_the_page_loads_its_entry_and_fetches_all_that_it_imports_beside_it() -> None:
    page = app_page(None)
    assert f'<script type="module" src="{script_address(ENTRY)}">' in page
    fetched = set(re.findall(r'rel="modulepreload" href="([^"]+)"', page))
    assert all(find_script(address) is not None for address in fetched)
    for name in [name for name in scripts() if script_address(name) in fetched]:
        for other in imports_of(name, scripts()[name].decode()):
            assert script_address(other) in {*fetched, script_address(ENTRY)}, f"{name} imports {other}"


def test_no_module_reaches_another_by_a_global() -> None:
    for name, content in scripts().items():
        assigned = re.findall(r"\bwindow\.(\w+) =[^=]", content.decode())
        assert assigned == [], name


def test_styles_carry_both_palettes_and_every_sheet() -> None:
    assert STYLES.startswith(":root { --ink: #17211f;")
    assert ".dark { --ink: #e6eceb;" in STYLES
    for file in (ASSETS / "css").glob("*.css"):
        assert file.read_text(encoding="utf-8") in STYLES


def test_the_veil_has_its_colour_from_one_place() -> None:
    naming = {
        file.relative_to(ASSETS.parent).as_posix()
        for folder in (ASSETS / "css", ASSETS / "js", ASSETS.parent / "demo")
        for file in folder.rglob("*.*")
        if file.suffix in (".css", ".js", ".py") and VEIL in re.sub(r"//.*", "", file.read_text(encoding="utf-8"))
    }
    assert naming == {"demo/drawing/palette.py", "assets/js/base/colours.js"}
    assert f'VEIL = "{VEIL}"' in scripts()["base/colours.js"].decode()
    assert f"--veil-colour: {VEIL};" in STYLES


@pytest.fixture
def client(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[TestClient]:
    """The routes that `launch` hands to the app's server."""
    monkeypatch.setenv("GRADIO_TEMP_DIR", str(tmp_path))
    with TemporaryFolder() as folder:
        yield TestClient(Starlette(routes=server_options(folder, MAX_BYTES)["routes"]))


def test_the_app_serves_modules_for_good(client: TestClient) -> None:
    answer = client.get("/" + script_address("explore/view.js"))
    assert answer.status_code == 200
    assert answer.content == scripts()["explore/view.js"]
    assert answer.headers["content-type"] == "text/javascript; charset=utf-8"
    assert "immutable" in answer.headers["cache-control"]


@pytest.mark.parametrize("path", ESCAPES)
def test_the_app_serves_nothing_else_there(client: TestClient, path: str) -> None:
    assert client.get("/" + script_address("") + path).status_code == 404


def test_the_opening_page_serves_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("GRADIO_SERVER_PORT", raising=False)
    monkeypatch.setenv("GRADIO_SERVER_NAME", "127.0.0.1")
    opening = Opening(None, "page")
    try:
        with urllib.request.urlopen(f"{opening.address}/{script_address('explorer.js')}", timeout=10) as answer:
            assert answer.read() == scripts()["explorer.js"]
            assert answer.headers["Content-Type"] == "text/javascript; charset=utf-8"
            assert "immutable" in answer.headers["Cache-Control"]
        for path in ESCAPES:
            with pytest.raises(urllib.error.HTTPError, match="503"):
                urllib.request.urlopen(f"{opening.address}/{script_address('')}{path}", timeout=10)
    finally:
        opening.close()

import gc
import json
import re
import socket
from base64 import b64decode
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import numpy as np
import pytest
from gradio_client import Client, handle_file  # type: ignore[import-untyped]
from gradio_client.exceptions import AppError  # type: ignore[import-untyped]
from PIL import Image

from demo.page.html import app_page
from demo.page.server import PageServer
from demo.server.files.folder import TemporaryFolder
from demo.server.launching import launch
from demo.service.models.registry import ModelRegistry

pytestmark = pytest.mark.filterwarnings(
    "ignore:unclosed:ResourceWarning", "ignore::pytest.PytestUnraisableExceptionWarning"
)
COFFEE = "examples/coffee"
GUIDE = Path(__file__).parents[3] / "assets" / "guide" / "use.md"


@pytest.fixture(scope="module")
def address(registry: ModelRegistry) -> Iterator[str]:
    with TemporaryFolder() as folder, pytest.MonkeyPatch.context() as patch:
        patch.setenv("GRADIO_TEMP_DIR", str(folder.path))
        patch.setenv("GRADIO_SERVER_MODE_ENABLED", "1")  # as launching sets it, for this server only
        page = PageServer(registry, folder, app_page(None))
        with socket.socket() as probe:
            probe.bind(("127.0.0.1", 0))
            port = probe.getsockname()[1]
        launch(page, "127.0.0.1", port, prevent_thread_lock=True, quiet=True)
        yield f"http://127.0.0.1:{port}"
        page.page_blocks.close(verbose=False)
    del page
    gc.collect()  # what Gradio leaves open is closed while its warnings are ignored


@pytest.fixture(scope="module")
def client(address: str, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Any]:
    client = Client(address, verbose=False, download_files=str(tmp_path_factory.mktemp("downloads")))
    yield client
    client.close()


def posted(address: str, name: str, body: dict[str, Any]) -> str:
    """The answer to a call, as curl makes it."""
    joined = httpx.post(f"{address}/gradio_api/call/{name}", json=body, timeout=60).json()
    name = name.removeprefix("v2/")
    return httpx.get(f"{address}/gradio_api/call/{name}/{joined['event_id']}", timeout=60).text


def test_the_calls_of_the_guide_are_answered(client: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    calls = re.findall(r"^app\.predict\(.*?\)(?=$|  #)", GUIDE.read_text(), re.MULTILINE)
    monkeypatch.chdir(tmp_path)
    Image.new("RGB", (32, 32), "red").save("photo.jpg")
    served = client.view_api(return_format="dict")["named_endpoints"]
    here = [call for call in calls if re.findall(r'api_name="(/\w+)"', call)[0] in served]
    assert len(here) >= 10 and len(here) >= len(served)
    for call in here:
        assert eval(call, {"app": client, "handle_file": handle_file}), call


def unpacked(value: Any) -> Any:
    """Return an answer with plain lists for packed arrays, every number rounded to float32."""
    if isinstance(value, dict):
        if set(value) == {"shape", "float32"}:
            return np.frombuffer(b64decode(value["float32"]), "<f4").reshape(value["shape"]).tolist()
        return {key: unpacked(each) for key, each in value.items()}
    if isinstance(value, list):
        return [unpacked(each) for each in value]
    return float(np.float32(value)) if isinstance(value, float) else value


def test_a_compact_explanation_has_the_same_numbers(client: Any) -> None:
    dense = "a white cup of coffee on a wooden table"
    arguments = {"item": COFFEE, "caption": "a cup", "dense_caption": dense, "drop": "all", "keep": "1-9"}
    whole = client.predict(**arguments, compact=False, api_name="/explain")
    compact = client.predict(**arguments, compact=True, api_name="/explain")
    del whole["description"]
    assert unpacked(compact) == unpacked(whole)
    assert compact["branches"][0]["score"]["shape"] == [len(compact["branches"][0]["kept"])]
    assert len(json.dumps(compact)) < 0.6 * len(json.dumps(whole))


def test_the_guide_unpacks_a_compact_explanation(client: Any) -> None:
    block = GUIDE.read_text().split("<!-- compact -->\n```python\n")[1].split("```")[0]
    names: dict[str, Any] = {"app": client}
    exec(block, names)
    whole = client.predict(item=COFFEE, caption="a cup", api_name="/explain")
    assert names["score"].tolist() == unpacked(whole["branches"][0]["score"])


def test_what_is_optional_may_be_left_out(address: str) -> None:
    assert "event: complete" in posted(address, "v2/explain", {"item": COFFEE, "caption": "a cup"})
    for name, values in (("rank_images", ["a cat"]), ("rank_captions", [])):  # a list of values may end early
        answer = posted(address, name, {"data": values})
        assert ("event: complete" in answer) == bool(values), answer


def test_captions_are_those_of_the_photo_s_own_gallery(client: Any, registry: ModelRegistry, tmp_path: Path) -> None:
    written = {row["caption"] for row in client.predict(item="scenes/0", api_name="/rank_captions")["ranking"]}
    _, scenes = registry.open("scenes")
    assert written == {caption for item in scenes.gallery.items for caption in item.captions}
    Image.new("RGB", (40, 30), "red").save(tmp_path / "red.png")
    photo = handle_file(str(tmp_path / "red.png"))
    assert len(client.predict(photo, api_name="/rank_captions")["ranking"]) > 50
    typed = client.predict(item="scenes/0", gallery="", captions="a red car", api_name="/rank_captions")["ranking"]
    assert [row["caption"] for row in typed] == ["a red car"]


@pytest.mark.parametrize(
    ("name", "arguments", "sentence"),
    [
        ("/explain", {"caption": "a cup"}, "No photo is named: give photo, a file, or item"),
        ("/explain", {"caption": "a cup", "photo": "photo.jpg"}, "write handle_file"),
        ("/explain", {"caption": "a cup", "photo": "http://127.0.0.1/a.png"}, "write handle_file"),
        ("/rank_captions", {"item": "scenes/0", "gallery": "examples"}, "'examples' belongs to another model"),
    ],
)
def test_a_wrong_call_says_what_to_do(client: Any, name: str, arguments: dict[str, Any], sentence: str) -> None:
    with pytest.raises((AppError, ValueError)) as caught:
        client.predict(api_name=name, **arguments)
    assert sentence in str(caught.value)


def test_every_parameter_is_required_or_has_a_default_of_its_own(client: Any) -> None:
    endpoints = client.view_api(return_format="dict")["named_endpoints"]
    required = {
        name: [row["parameter_name"] for row in endpoint["parameters"] if not row["parameter_has_default"]]
        for name, endpoint in endpoints.items()
    }
    assert required == {
        "/galleries": [],
        "/rank_images": ["caption"],
        "/rank_captions": [],
        "/explain": ["caption"],
        "/compare": ["captions"],
        "/why": ["captions"],
        "/picture": ["captions"],
        "/edit_scene": ["item", "caption"],
    }

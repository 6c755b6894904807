import json
import os
from base64 import b64decode, b64encode
from collections.abc import Awaitable, Callable
from io import BytesIO
from pathlib import Path
from typing import Any

import httpx
import numpy as np
import pytest
from mcp import ClientSession
from mcp.client.streamable_http import streamable_http_client
from mcp.types import CallToolResult
from PIL import Image

from demo.page.api import Endpoints
from demo.server.gate import FAULT
from demo.service.generating.service import GeneratingService
from demo.service.judging import JudgingService
from demo.service.models.registry import ModelRegistry
from seps.generator import ImageTextGenerator
from seps.judge import Judge
from tests.demo.assistant.conftest import served
from tests.helpers.pictures.odd_photos import saved
from tests.helpers.web.awaited import awaited

TOOLS = {"list_photographs", "rank_photographs", "rank_captions", "explain", "compare_captions", "why"}
CAPTION = "a cup of coffee"
ACCEPTING = {"Accept": "application/json, text/event-stream"}


def asked(address: str, ask: Callable[[ClientSession], Awaitable[Any]]) -> Any:
    async def run() -> Any:
        async with streamable_http_client(address) as (read, write, _), ClientSession(read, write) as session:
            await session.initialize()
            return await ask(session)

    return awaited(run())


def call(address: str, tool: str, **arguments: Any) -> CallToolResult:
    result: CallToolResult = asked(address, lambda session: session.call_tool(tool, arguments))
    return result


def answer(address: str, tool: str, **arguments: Any) -> dict[str, Any]:
    """The typed result of a call, which the client has checked against the tool's schema."""
    result = call(address, tool, **arguments)
    assert not result.isError, result.content
    assert result.structuredContent is not None
    return result.structuredContent


RED_WALL = "data:image/png;base64," + b64encode(saved(Image.new("RGB", (60, 40), (200, 30, 30)), "PNG")).decode()


def test_each_tool_says_what_it_takes_and_gives(address: str) -> None:
    tools = asked(address, lambda session: session.list_tools()).tools
    assert {tool.name for tool in tools} == TOOLS
    for tool in tools:
        assert tool.description and tool.outputSchema, tool.name
        assert not {"path", "file", "url", "address"} & tool.inputSchema["properties"].keys()
    described = next(tool.inputSchema["properties"] for tool in tools if tool.name == "explain")
    assert "description" in described["photo"] and "description" in described["layer"]


def test_a_caption_ranks_and_explains_photographs(address: str) -> None:
    listed = answer(address, "list_photographs")["galleries"]["examples"]
    ranking = answer(address, "rank_photographs", caption=CAPTION, top=3)
    assert [row["rank"] for row in ranking["ranking"]] == [1, 2, 3] and ranking["total"] == len(listed)
    best = ranking["ranking"][0]
    assert best["item"] in {photo["item"] for photo in listed}
    result = call(address, "explain", caption=CAPTION, item=best["item"], layer="word:2", picture_width=1536)
    value = result.structuredContent
    assert value is not None
    assert value["similarity"] == pytest.approx(best["score"], abs=1e-4) == pytest.approx(sum(value["terms"].values()))
    assert "".join(value["mask"]).count("#") == value["kept_patches"] and len(value["mask"]) == value["grid"][0]
    assert value["sentences"][0].startswith("Word map of cup") or "cup" in value["sentences"][0]
    text, picture = result.content
    assert json.loads(text.text) == value  # type: ignore[union-attr]
    with Image.open(BytesIO(b64decode(picture.data))) as image:  # type: ignore[union-attr]
        assert image.format == "JPEG" and image.width == 1536
    assert len(result.model_dump_json()) < 2**20 and len(picture.data) < 700_000  # type: ignore[union-attr]


def test_a_photograph_comes_with_the_call(address: str) -> None:
    captions = ["a red wall", "a dog"]
    ranking = answer(address, "rank_captions", captions=captions, photo=RED_WALL)
    assert {row["caption"] for row in ranking["ranking"]} == set(captions)
    compared = answer(address, "compare_captions", captions=captions, photo=RED_WALL)
    assert np.array(compared["overlap"]).shape == (2, 2) and compared["overlap"][0][0] == 1


def test_a_long_list_of_photographs_comes_in_parts(address: str, monkeypatch: pytest.MonkeyPatch) -> None:
    rows = answer(address, "list_photographs")["galleries"]["examples"][:1]
    many = [rows[0] | {"item": f"examples/{number}", "captions": ["a caption " * 30] * 5} for number in range(300)]
    galleries = {"examples": [row | {"link": ""} for row in many], "scenes": [rows[0] | {"link": ""}]}
    monkeypatch.setattr(Endpoints, "galleries", lambda _: galleries)
    assert len(call(address, "list_photographs").model_dump_json()) < 2**20
    items: list[str] = []
    left = {"examples": 300}
    while left:
        part = answer(address, "list_photographs", gallery="examples", start=len(items))
        items += [row["item"] for row in part["galleries"]["examples"]]
        left = part["left_out"]
        assert left == ({"examples": 300 - len(items)} if len(items) < 300 else {})
    assert items == [row["item"] for row in many]
    assert call(address, "list_photographs", gallery="nothing").isError


def test_null_is_an_argument_that_is_left_out(address: str) -> None:
    given = {"item": "examples/coffee", "captions": None, "photo": None, "top": None}
    body = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": "rank_captions", "arguments": given}}
    result = httpx.post(address, json=body, headers=ACCEPTING, timeout=60).json()["result"]
    assert not result["isError"], result
    assert len(result["structuredContent"]["ranking"]) == 10


def test_a_difference_is_told_word_by_word(address: str) -> None:
    first, second = answer(address, "rank_photographs", caption=CAPTION, top=2)["ranking"]
    contrast = answer(address, "why", captions=[CAPTION], item=first["item"], other_item=second["item"])
    assert contrast["difference"] == pytest.approx(contrast["left"] - contrast["right"])
    assert {"cup", "coffee"} <= {row["word"] for row in contrast["words"]} and contrast["sentences"]


WRONG: list[tuple[str, dict[str, Any], str]] = [
    ("explain", {"caption": CAPTION}, "No photograph is named"),
    ("explain", {"item": "examples/coffee"}, "caption is missing: give it."),
    ("explain", {"caption": CAPTION, "item": "examples/nothing"}, "nothing"),
    ("explain", {"caption": CAPTION, "photo": "/etc/passwd"}, "photo is no data URL"),
    ("explain", {"caption": CAPTION, "photo": "http://127.0.0.1/secret.png"}, "photo is no data URL"),
    ("explain", {"caption": CAPTION, "photo": "data:image/png;base64,AAAA"}, "photo"),
    ("explain", {"caption": CAPTION, "item": "/etc/passwd"}, "gallery"),
    ("explain", {"caption": CAPTION, "item": "examples/coffee", "layer": "blurred"}, "takes long to measure"),
    ("rank_photographs", {"caption": "", "top": 3}, "caption"),
    ("rank_photographs", {"caption": CAPTION, "top": 0}, "top cannot be used"),
    ("delete_everything", {}, "There is no tool 'delete_everything'"),
    ("rank_captions", {"captions": "[" * 100_000, "item": "examples/coffee"}, "nested more than 100 levels deep"),
    ("rank_captions", {"captions": "9" * 5000, "item": "examples/coffee"}, "captions is a text of 5,000 characters"),
]


def test_what_is_wrong_is_a_sentence(address: str) -> None:
    async def ask(session: ClientSession) -> list[CallToolResult]:
        return [await session.call_tool(tool, arguments) for tool, arguments, _ in WRONG]

    for (tool, _, sentence), result in zip(WRONG, asked(address, ask), strict=True):
        text = result.content[0].text
        assert result.isError and sentence in text, (tool, text)
        assert text.endswith(".") and "\n" not in text and "Traceback" not in text and "Error executing" not in text


def test_a_fault_says_nothing_of_the_inside(
    address: str, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def broken(*_: Any) -> Any:
        raise RuntimeError("/secret/path")

    monkeypatch.setattr(ModelRegistry, "open", broken)
    result = call(address, "rank_photographs", caption=CAPTION)
    assert result.isError and result.content[0].text == FAULT  # type: ignore[union-attr]
    assert "/secret/path" in caplog.text


@pytest.mark.slow
def test_pictures_are_judged_and_drawn(
    registry: ModelRegistry, judge: Judge, generator: ImageTextGenerator, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(registry, "judging", JudgingService(lambda: judge))
    monkeypatch.setattr(registry, "generating", GeneratingService(lambda: generator))
    with served(registry) as url:
        judged = answer(url, "judge", prompt="a red wall", photo=RED_WALL)
        for score in (judged["quality"], judged["consistency"]):
            assert 0 <= score["final"] <= 1 and score["sentence"]
        result = call(url, "generate", caption="a red car driving on the left", steps=10)
        assert list(Path(os.environ["GRADIO_TEMP_DIR"]).rglob("*.png")) == []  # the picture went with the answer
    value = result.structuredContent
    assert value is not None and [word["word"] for word in value["unknown_words"]] == ["driving"]
    assert value["statements"] and 1 <= value["rank"] <= value["total"]
    with Image.open(BytesIO(b64decode(result.content[1].data))) as image:  # type: ignore[union-attr]
        assert image.format == "PNG"

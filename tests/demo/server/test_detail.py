"""Event data is validated field by field, and every event of the app uses the class that does so."""

from __future__ import annotations

import ast
from pathlib import Path
from typing import Any

import pytest
from gradio.helpers import EventData, special_args

from demo.server.detail import LONGEST, Detail

DEMO = Path(__file__).parents[3] / "demo"
HOSTILE: list[Any] = [
    None,
    True,
    "x",
    "",
    [],
    {},
    [1],
    {"a": 1},
    -1,
    2.5,
    10**400,
    -(10**400),
    float("nan"),
    float("inf"),
]


def detail(value: Any) -> Any:
    return Detail(None, {"field": value})


def test_fields_of_the_right_kind_are_read() -> None:
    event = Detail(None, {"index": 3, "layer": "mask", "opacity": 0.5, "dark": False, "do": None, "dx": -4})
    assert (event.whole("index", 4), event.whole("index", 3, first=1), event.text("layer")) == (3, 3, "mask")
    assert (event.number("opacity"), event.flag("dark"), event.value("do")) == (0.5, False, None)
    assert event.like("layer", "photo") == "mask"
    assert (event.like("opacity", 0.75), event.like("dark", True), event.like("index", 0)) == (0.5, False, 3)
    assert (event.like("mask", ""), event.like("lines", True)) == ("", True)  # not given
    assert event.several(("do", "dx", "dy")) == {"dx": -4}
    assert type(detail(2.0).whole("field", 3)) is int
    assert (detail(0).number("field"), detail(1).number("field")) == (0.0, 1.0)


@pytest.mark.parametrize("value", HOSTILE, ids=lambda value: repr(value)[:12])
def test_anything_else_is_a_sentence(value: Any) -> None:
    for read in (lambda event: event.whole("field", 2), lambda event: event.number("field", 0, 2)):
        with pytest.raises(ValueError, match=r"^field is .{1,60}, but a .* is needed: reload the page\.$"):
            read(detail(value))
    if not isinstance(value, bool):
        with pytest.raises(ValueError, match="is needed: reload the page"):
            detail(value).flag("field")
    if not isinstance(value, str):
        with pytest.raises(ValueError, match="is needed: reload the page"):
            detail(value).text("field")


@pytest.mark.parametrize("data", [None, {}, [], "x", 3, 10**400, True, {"other": 1}, {"": 1}, {"\ud800": 1}])
def test_an_event_that_without_such_a_field_is_a_sentence(data: Any) -> None:
    with pytest.raises(ValueError, match=r"^This event (lacks|contains) .*reload the page\.$"):
        Detail(None, data).text("field")


@pytest.mark.parametrize(
    "data", [{"\ud800": []}, {"x" * 10_000: {}}, {"field": "\udfff"}, {"field": "x" * (LONGEST + 1)}]
)
def test_what_a_sentence_cannot_hold_is_not_in_it(data: Any) -> None:
    with pytest.raises(ValueError) as caught:
        Detail(None, data)
    assert len(str(caught.value).encode()) < 200


def test_an_address_may_be_as_long_as_one_that_a_browser_sends() -> None:
    query = "?view=compare&caption=" + "%D1%8F" * LONGEST
    assert Detail(None, {"query": query}).text("query") == query
    with pytest.raises(ValueError, match="query has"):
        Detail(None, {"query": "x" * (2**16 + 1)})


def test_gradio_makes_the_class_that_a_function_names() -> None:
    """The one way in: Gradio's object is discarded and rebuilt in the class of the annotation."""

    def event(value: str, event: Detail) -> None: ...

    given, *_ = special_args(event, ["x"], None, EventData(None, {}))
    assert type(given[1]) is Detail
    with pytest.raises(ValueError, match="index is a number of more than 20 digits"):
        special_args(event, ["x"], None, EventData(None, {"index": 10**400}))


def test_every_event_of_the_app_is_checked() -> None:
    read = 0
    for file in DEMO.rglob("*.py"):
        for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
            if isinstance(node, ast.arg) and node.annotation is not None:
                kind = ast.unparse(node.annotation)
                assert not kind.endswith(("EventData", "SelectData", "LikeData", "EditData")), f"{file}: {node.arg}"
                read += kind == "Detail"
    assert read >= 30


@pytest.mark.parametrize("frame", ["é", "画像", "AA=A", "A", "\U0001f600" * 4])
def test_a_frame_that_is_no_base64_gets_a_sentence(frame: str) -> None:
    with pytest.raises(ValueError, match=r"^frame is .*, but a picture in base64 is needed: reload the page\.$"):
        Detail(None, {"frame": frame}).picture("frame")

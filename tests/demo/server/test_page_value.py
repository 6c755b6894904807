"""The values of components: written as one text on their way to the page, and read there in one place."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
import pytest

from demo.screens.parts import scripted
from demo.server.static import scripts

VALUES: list[Any] = [
    {"waiting": "computing …"},
    {"rows": [[1, "“two”", None], [2.5, "</script>", True]], "record": {"measures": {"effect": {}}}},
    [],
]


@pytest.mark.parametrize("value", VALUES)
def test_a_value_goes_to_the_page_as_one_text(value: Any) -> None:
    component: Any = scripted("viewer", "seps-viewer", "viewer")
    texts = [component.postprocess(value) for _ in range(2)]
    assert [json.loads(text)[1] for text in texts] == [value, value]
    assert texts[0] != texts[1]  # the same answer again is an answer


def test_numbers_of_numpy_and_no_number_are_written() -> None:
    component = scripted("viewer", "seps-viewer", "viewer", value={"count": np.int64(3), "score": float("nan")})
    assert json.loads(component.value)[1] == {"count": 3, "score": None}


def test_no_value_is_none() -> None:
    assert scripted("viewer", "seps-viewer", "viewer").value is None


def test_the_scripts_read_values_in_one_place() -> None:
    """Besides it they read what the page itself carries: its tables, the first view before the app, what a notebook
    shows, and of the page without a server what it is made of and the files that it fetches."""
    assert {name for name, script in scripts().items() if b"JSON.parse" in script} == {
        "base/words.js",
        "engine/browser.js",
        "engine/fetching.js",
        "engine/queue.js",
        "explorer.js",
        "notebook/show.js",
    }

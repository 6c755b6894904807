"""Learn and Lab behind the page's endpoints, with the models that are here and without."""

from __future__ import annotations

import pytest
from starlette.testclient import TestClient

from demo.page.places import at
from demo.views.generate.values import GenerateState
from demo.views.losses.guide import advice_rows
from tests.helpers.page_calls import ask

PAIR = {"gallery": "examples", "index": 0, "prompt": "a cat"}


def test_the_guide_has_all_advice_and_the_tasks(client: TestClient) -> None:
    _, guide = ask(client, "guide")
    assert all(row[0] in guide["html"] for row in advice_rows())
    assert guide["tasks"].startswith("## ") and "L_ratio" in guide["tasks"]


@pytest.mark.parametrize("name", ["judge", "several", "degrade", "recaption"])
def test_a_model_that_does_not_ship_is_named(client: TestClient, name: str) -> None:
    status, problem = ask(client, name, **PAIR)
    assert status == 400 and "ships with this copy of the app" in problem


@pytest.mark.parametrize("name", ["judge", "several", "recaption"])
def test_a_missing_position_gets_a_sentence(client: TestClient, name: str) -> None:
    status, problem = ask(client, name, gallery="examples", prompt="a cat")
    assert status == 400 and problem.startswith("The position is missing. Choose one from 0")


@pytest.mark.parametrize("place", ["", -1, 0.5, 3, float("nan"), float("inf")])
def test_what_is_no_position_is_refused(place: float | str) -> None:
    with pytest.raises(ValueError, match="The position is"):
        at(place, 3)


def test_a_series_has_a_seed_per_picture() -> None:
    assert GenerateState(caption="a car", seed=5, count=4).asked.seeds == (5, 6, 7, 8)

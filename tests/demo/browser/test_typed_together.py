"""Two boxes of a view that are typed into at once are both answered: neither answer is of the text that was there."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, expect

from tests.demo.browser.conftest import served
from tests.demo.browser.meeting import TYPED
from tests.demo.browser.page import WAIT, opened, unfold

pytestmark = pytest.mark.slow  # an app of its own, whose answers meet

FIRST, SECOND = TYPED + "a cat", TYPED + "a red car in the snow"
# The view's pair (assets/js/page/trail.js) is of both texts.
ANSWERED = "(texts) => texts.every((text) => history.state?.seps?.pair?.includes(JSON.stringify(text)))"


@pytest.fixture(scope="module")
def meeting_address(cache: Path, uploads: Path) -> Iterator[str]:
    with served(uploads, "-m", "tests.demo.browser.meeting", str(cache)) as url:
        yield url


@pytest.mark.parametrize(
    ("query", "canvas", "boxes", "folded"),
    [
        ("view=search", "#viewer", ("caption", "dense"), "Dense caption"),
        ("view=why", "#why", ("why-caption", "why-other"), None),
        ("view=lesson", "#lesson", ("lesson-caption", "lesson-dense"), "The example: photograph and caption"),
        ("view=judge", "#judge", ("judge-prompt", "judge-other"), None),
    ],
    ids=["photos", "why", "lesson", "judge"],
)
def test_both_are_answered(
    browser: Browser, meeting_address: str, query: str, canvas: str, boxes: tuple[str, str], folded: str | None
) -> None:
    link = f"?{query}&gallery=examples&caption=a+cup+of+coffee"
    with opened(browser, meeting_address, link, canvas=f"{canvas} canvas") as page:
        if folded:
            unfold(page, folded)
        texts = dict(zip(boxes, (FIRST, SECOND), strict=True))
        for box, text in texts.items():
            page.locator(f"#{box} textarea").fill(text)
        page.wait_for_function(ANSWERED, arg=list(texts.values()), timeout=WAIT)
        for box, text in texts.items():
            expect(page.locator(f"#{box} textarea")).to_have_value(text)

"""The pictures of the judge."""

from typing import Any

import numpy as np
import pytest
from playwright.sync_api import Browser

from demo.record.packing import pack_array
from tests.demo.browser.standalone import centres, open_page, page_of, photo


def judgement(attributions: list[float]) -> dict[str, Any]:
    """What the view hands to the script: two rows of three patches, and one scale."""
    score = {"name": "quality", "title": "Quality", "says": "told"}
    numbers = {"base": 0.5, "correction": 0.1, "final": 0.6, "low": 0.3, "high": 0.7}
    drawn = {"grid": [2, 3], "values": pack_array(np.array(attributions)), "most": max(map(abs, attributions))}
    return {
        "photo": photo(),
        "scales": [score | numbers],
        "moved": "",
        "shares": drawn | {"says": "", "alternative": ""},
    }


def test_shares_and_scales_are_drawn_from_their_numbers(browser: Browser) -> None:
    page = open_page(browser, page_of("judge", judgement([0.4, -0.4, 0.0, 0.2, -0.2, 0.0])))
    colours = centres(page.locator("canvas"), (2, 3))
    assert (colours[[2, 5]].max(axis=1) - colours[[2, 5]].min(axis=1) <= 2).all()  # no share, no colour
    assert (colours[[0, 3], 1] - colours[[0, 3], 0] > 20).all()  # for: green over red
    assert (colours[[1, 4], 0] - colours[[1, 4], 2] > 20).all()  # against: red over blue
    assert colours[0, 1] - colours[0, 0] > colours[3, 1] - colours[3, 0]  # the stronger, the fuller
    assert [end.get_attribute("data-value") for end in page.locator(".seps-legend output").all()] == ["-0.4", "0.4"]
    axis, band, tick, dot = (
        page.locator(f".seps-score-scale {part}").bounding_box()
        for part in (".seps-axis", ".seps-band", ".seps-base-tick", ".seps-score-dot")
    )
    assert axis is not None and band is not None and tick is not None and dot is not None

    def at(place: float) -> float:
        return (place - axis["x"]) / axis["width"]

    assert [at(band["x"]), at(band["x"] + band["width"])] == pytest.approx([0.3, 0.7], abs=0.01)
    assert at(tick["x"] + tick["width"] / 2) == pytest.approx(0.5, abs=0.01)
    assert at(dot["x"] + dot["width"] / 2) == pytest.approx(0.6, abs=0.01)
    page.get_by_label("Shares").uncheck()
    plain = centres(page.locator("canvas"), (2, 3))
    assert (plain.max(axis=1) - plain.min(axis=1) > 20).all()  # the photo in its own colours

"""Accessibility violations of a page, found by axe-core.

axe-core comes from npm, as the libraries of the page without a server do, and lies outside the repo.
"""

import shutil
from typing import Any

import pytest
from playwright.sync_api import Page

from demo.static.libraries import npm_packages

VERSION = "4.14.1"
SERIOUS = ("serious", "critical")
RULES = {
    "runOnly": {"type": "tag", "values": ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa"]},
    "rules": {"label-content-name-mismatch": {"enabled": True}, "target-size": {"enabled": True}},
    "resultTypes": ["violations"],
    "preload": False,  # of resources that none of these rules reads
}
RUN = """async (rules) => {
    const hidden = [...document.querySelectorAll(".tabitem")].filter((panel) => !panel.checkVisibility());
    const { violations } = await axe.run({ exclude: hidden }, rules);
    return violations.flatMap(({ id, impact, nodes }) => nodes.map(({ target, failureSummary }) =>
        ({ id, impact, target: target.join(" "), why: failureSummary })));
}"""


def load_axe(page: Page) -> None:
    """Put axe-core into a page; skips the test where npm is not there."""
    if shutil.which("npm") is None:
        pytest.skip("axe-core comes from npm, which is not there.")
    page.evaluate((npm_packages({"axe-core": VERSION}) / "axe-core" / "axe.min.js").read_text(encoding="utf-8"))


def serious_violations(page: Page) -> list[str]:
    """Each serious or critical violation on the current page: the rule, where, and why."""
    matches: list[dict[str, Any]] = page.evaluate(RUN, RULES)
    return [f"{each['id']}: {each['target']}: {each['why']}" for each in matches if each["impact"] in SERIOUS]

"""Third-party libraries of the page without a server."""

from __future__ import annotations

from pathlib import Path

from demo.static.libraries import PACKAGES

GUIDE = Path(__file__).parents[3] / "assets" / "guide" / "static.md"
AFTER_AN_UPDATE = (
    "Run pytest tests/demo/browser/explorer -k static, measure again with python -m tests.bench.static DIR, and name "
    "the version next to its figures in assets/guide/static.md."
)


def test_the_versions_are_those_that_were_compared_and_measured() -> None:
    guide = GUIDE.read_text(encoding="utf-8")
    new = [f"{name} {version}" for name, version in PACKAGES.items() if f"`{name}` {version}" not in guide]
    assert new == [], AFTER_AN_UPDATE

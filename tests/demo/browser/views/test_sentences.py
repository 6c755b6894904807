"""What the page says of a record, filled in by its own script, is what Python says of it."""

import json
from typing import Any

import numpy as np
import pytest
from playwright.sync_api import Page

from demo.record.packing import packed
from demo.service.measuring.measured import PatchEffects, Region, with_measures
from seps import Explanation, MinimalSet
from tests.demo.browser.standalone import imported
from tests.helpers.models.record_words import record_words
from tests.helpers.models.records import CASES, WORDS, random_record, record_with_classes
from tests.helpers.web.numbers import on_page

pytestmark = pytest.mark.journey


def said_by_page(page: Page, records: list[Explanation]) -> list[Any]:
    script = f"""async (records) => {{
        const {{ decode }} = {imported("record/record.js")};
        return records.map((record) => decode(record).says);
    }}"""
    return list(page.evaluate(script, [packed(record) for record in records]))


def differences(given: Any, expected: Any, path: str = "") -> list[str]:
    """Where two JSON values differ, each place with both; numbers come in float32."""
    if isinstance(given, dict) and isinstance(expected, dict) and given.keys() == expected.keys():
        return [line for name in given for line in differences(given[name], expected[name], f"{path}/{name}")]
    if isinstance(given, list) and isinstance(expected, list) and len(given) == len(expected):
        pairs = enumerate(zip(given, expected, strict=True))
        return [line for number, pair in pairs for line in differences(*pair, f"{path}/{number}")]
    numbers = isinstance(given, int | float) and isinstance(expected, int | float)
    expected = on_page(expected) if isinstance(expected, str) else expected
    equal = given == pytest.approx(expected, rel=1e-6, abs=1e-9) if numbers else given == expected
    return [] if equal else [f"{path}: {given} and not {expected}"]


def measured(record: Explanation, seed: int) -> Explanation:
    """The record with all that can be measured beside it, drawn, in float32 as the page gets it."""
    rng = np.random.default_rng(seed)
    count = record.sparse.kept.size
    kept = rng.random(count) < 0.3
    minimal: dict[str, Any] = {"similarity": float(rng.normal()), "rank": int(rng.integers(1, 9)), "rank_before": 1}
    region = [None, Region(3, "the red car", True, 0.25), Region(1, "on the left", False, -0.13)][seed % 3]
    values, words = rng.normal(size=count).astype("f4"), rng.normal(size=(len(WORDS), count)).astype("f4")
    effects = PatchEffects(values.astype("f8"), words.astype("f8"), region)
    chosen = MinimalSet("sparse", kept, ~kept, ~kept & False, int(kept.sum()), **minimal) if seed % 2 else None
    return with_measures(record, {"effect": effects, "blanked": effects, "smallest_change": chosen})


def test_the_page_says_of_a_record_what_python_says(page: Page) -> None:
    records = [
        random_record(*case, seed=seed, sparse_ratio=(0.5, 1.0, 0.1)[seed % 3])
        for number, case in enumerate(CASES)
        for seed in (number, number + 1)
    ]
    expected = [record_words(record) for record in records]
    assert differences(said_by_page(page, records), expected) == []
    assert json.dumps(expected).count('"') > 100 * len(records)  # of texts


def test_and_of_what_was_measured_beside_it_and_of_classes(page: Page) -> None:
    records = [measured(random_record(seed=seed), seed) for seed in range(6)]
    records += [record_with_classes(seed) for seed in range(3)]
    assert differences(said_by_page(page, records), [record_words(record) for record in records]) == []

"""Tables of results, as somebody hears them who does not see them: every cell has a row's and a column's name."""

from __future__ import annotations

import re

from demo.views.tables import results, table


def test_columns_groups_and_rows_are_named_and_nothing_is_an_empty_header() -> None:
    html = table(
        ("", "R@1", "R@5", "R@10", "S < 1"), [("", "a", "b", "c", "d"), ("x & y", "1", "2", "3", "4")], ("", "g")
    )
    assert re.findall(r"<th ([^>]*)>([^<]*)</th>", html) == [
        ('scope="colgroup" colspan="3"', "g"),
        *(('scope="col"', name) for name in ("R@1", "R@5", "R@10", "S &lt; 1")),
        ('scope="row"', "x &amp; y"),
    ]
    assert html.count("<td></td>") == 3  # above the rows' names, and where a row has none
    assert html.startswith('<div class="wide" role="group" tabindex="0" aria-label="R@1, R@5, R@10, S &lt; 1">')


def test_every_result_is_named_by_its_model() -> None:
    row = {"model": "photos", "split": "dev", "images": 1000, "dense": "none", "rsum": 300.0}
    html = results([row | {"image_to_text": (1.0, 2.0, 3.0), "text_to_image": (4.0, 5.0, 6.0)}])
    assert '<th scope="row">photos</th><td>dev, 1,000 images</td>' in html
    assert "<th></th>" not in html and "<th>" not in html

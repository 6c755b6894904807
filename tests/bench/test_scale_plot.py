from __future__ import annotations

from typing import Any

import numpy as np

from tests.bench.scale_plot import SEARCHES, plot


def answer(shortlist: int, top: float, milliseconds: float) -> dict[str, Any]:
    return {"shortlist": shortlist, "top": top, "p50_ms": milliseconds}


def test_lines_are_what_was_measured() -> None:
    names = list(SEARCHES)
    sizes = [
        {"photographs": count, "exact": {"p50_ms": 2.0 * count}}
        | {name: [answer(50, 0.9, 1), answer(200, 0.8 + count / 1e5, count / 10 + i)] for i, name in enumerate(names)}
        for count in (1000, 10_000)
    ]
    times, recalls = plot({"sizes": sizes}).axes
    drawn = {
        str(line.get_label()): (np.array(line.get_xdata()).tolist(), np.array(line.get_ydata()).tolist())
        for line in times.lines
    }
    assert drawn == {"exact scores of all": ([1000, 10_000], [2000, 20_000])} | {
        label: ([1000, 10_000], [100 + i, 1000 + i]) for i, label in enumerate(SEARCHES.values())
    }
    first, second, _ = recalls.lines
    assert tuple(np.array(line.get_ydata()).tolist() for line in (first, second)) == ([0.9, 0.81], [0.9, 0.9])
    assert [line.get_label() for line in (first, second)] == ["1,000", "10,000"]

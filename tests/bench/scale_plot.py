"""Plot what `tests.bench.scale` measured: `python -m tests.bench.scale_plot scale.json scale.svg`."""

import argparse
import json
from pathlib import Path
from typing import Any

from matplotlib.figure import Figure

SHORTLIST = 200  # of the timed searches
SEARCHES = {"two_stages": "two stages", "lance": "Lance alone", "numpy": "flat scan with numpy", "faiss": "FAISS HNSW"}


def plot(result: dict[str, Any]) -> Figure:
    """Draw two panels: a query's median by photographs, and the share of the exact top 10 by shortlist."""
    sizes = result["sizes"]
    figure = Figure(figsize=(9, 4.2), layout="constrained")
    times, recalls = figure.subplots(1, 2)
    photographs = [size["photographs"] for size in sizes]
    times.plot(photographs, [size["exact"]["p50_ms"] for size in sizes], "o-", label="exact scores of all")
    for search, label in SEARCHES.items():
        medians = [at_length(size[search], SHORTLIST)["p50_ms"] for size in sizes]
        times.plot(photographs, medians, "o-", label=label)
    times.set(xscale="log", yscale="log", xlabel="photographs", ylabel="ms a query, median")
    times.set_title(f"A shortlist of {SHORTLIST}")
    for size in sizes:
        answers = size["two_stages"]
        lengths, tops = [answer["shortlist"] for answer in answers], [answer["top"] for answer in answers]
        recalls.plot(lengths, tops, "o-", label=f"{size['photographs']:,}")
    recalls.axhline(0.99, color="0.6", linewidth=0.8)
    recalls.set(xscale="log", xlabel="shortlist", ylabel="share of the exact top 10", title="By photographs")
    times.legend(fontsize="small", loc="lower left", bbox_to_anchor=(0, 1.08), ncols=2)
    recalls.legend(fontsize="small")
    return figure


def at_length(answers: list[dict[str, Any]], length: int) -> dict[str, Any]:
    """The answer of a shortlist's length."""
    return next(answer for answer in answers if answer["shortlist"] == length)


def main() -> None:
    """Write the plot."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("results", type=Path, help="scale.json")
    parser.add_argument("svg", type=Path)
    options = parser.parse_args()
    plot(json.loads(options.results.read_text(encoding="utf-8"))).savefig(options.svg, metadata={"Date": None})


if __name__ == "__main__":
    main()

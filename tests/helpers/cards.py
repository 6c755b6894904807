"""Rows of a card as a results file has them, printed by `python -m tests.helpers.cards RESULTS.json`: the contrast of
captions."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

CONTRAST_TITLES = {
    "score": "**decision mask, score**",
    "s_p": "s^p alone",
    "s_st": "s^st alone",
    "s_im": "s^im alone",
    "word_map": "word map",
    "cosine": "plain patch-word cosine",
    "gradient": "gradient",
    "centre": "centred blob",
    "random": "random",
}


def contrast_rows(contrast: dict[str, Any]) -> list[str]:
    """A row for each map: own and other region kept, contrast with its interval, IoU, own above, AUC, weight inside."""
    rows = []
    for method, figures in contrast["maps"].items():
        mean = {name: "" if figure is None else f"{figure['mean']:.3f}" for name, figure in figures.items()}
        interval = "[{low:.3f}, {high:.3f}]".format(**figures["contrast"])
        inside = " / ".join(filter(None, (mean["inside_own"], mean["inside_other"])))
        cells = (
            f"{mean['own']} / {mean['other']}",
            f"{mean['contrast']} {interval}",
            *(mean[name] for name in ("iou", "above", "auc")),
            inside,
        )
        rows.append(f"| {CONTRAST_TITLES[method]} | {' | '.join(cells)} |")
    return rows


def contrast_sentence(contrast: dict[str, Any]) -> str:
    """How many pairs there are, and the caption's share of the score's spread."""
    percent = {name: 100 * value for name, value in contrast["caption_share"].items()}
    return (
        f"{contrast['pairs']:,} pairs of phrases on {contrast['images']:,} images of {contrast['split']}; of the "
        f"score's spread {percent['mean']:.1f}% [{percent['low']:.1f}, {percent['high']:.1f}] is the caption's."
    )


if __name__ == "__main__":
    result = json.loads(Path(sys.argv[1]).read_text(encoding="utf-8"))["contrast"]
    print("\n".join([contrast_sentence(result), "", *contrast_rows(result)]))

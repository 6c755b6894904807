"""The losses on a small real batch, claims that the live model bears out or not, and the training guide's advice."""

import json
from functools import lru_cache
from html import escape
from pathlib import Path
from typing import Any

from demo.record.texts.language import phrase
from demo.record.texts.table import say
from demo.views.tables import table
from seps.training.guide import ADVICE, CLAIMED_KEPT

TASK_GUIDE = Path(__file__).resolve().parents[3] / "assets" / "guide" / "losses.md"
PANEL = (240, 130)  # width and height of a curve's
RATIO_FILE = Path(__file__).resolve().parents[3] / "assets" / "lesson" / "ratio_weights.json"


def advice_rows() -> list[tuple[str, ...]]:
    """Return the guide's advice: setting, usual value, when to raise it, when to lower it, and who says so."""
    return [tuple(map(phrase, (row.setting, row.usual, row.raise_it, row.lower_it, row.source))) for row in ADVICE]


@lru_cache(maxsize=1)
def ratio_experiment() -> dict[str, Any]:
    """Read what `seps.training.ratio_weights` measured, and add what the guide claims and whether it `holds`."""
    experiment: dict[str, Any] = json.loads(RATIO_FILE.read_text(encoding="utf-8"))
    for run in experiment["runs"]:
        low, high = CLAIMED_KEPT[run["ratio_weight"]]
        run["claim"] = (low, high)
        run["holds"] = low <= round(run["low"], 2) and round(run["high"], 2) <= high
    return experiment


def task_guide() -> str:
    """Return the guide to losses as Markdown: all of it but its title and what stands before its first part."""
    return "## " + TASK_GUIDE.read_text(encoding="utf-8").partition("\n## ")[2]


def guide_page() -> str:
    """Return the training guide's advice as a table, and its claim about the ratio weight beside what was measured."""
    experiment = ratio_experiment()
    runs = experiment["runs"]
    target = experiment["target_ratio"]
    held = [run["mean"] for run in runs if run["ratio_weight"]]
    summary = say(
        "guide.found",
        free=next(run["mean"] for run in runs if not run["ratio_weight"]),
        low=min(held),
        high=max(held),
        target=target,
        inside=sum(run["holds"] for run in runs),
        count=len(runs),
    )
    note = say(
        "guide.ratio_note",
        steps=experiment["steps"],
        scenes=experiment["scenes"],
        batch=experiment["batch_size"],
        target=target,
    )
    return "".join(
        [
            f"<h3>{escape(say('guide.advice'))}</h3><p>{escape(say('guide.advice_note'))}</p>",
            table(("setting", "usual", "raise it", "lower it", "who says so"), advice_rows()),
            f"<h3>{escape(say('guide.ratio'))}</h3><p>{escape(note)}</p>",
            '<div style="display: flex; flex-wrap: wrap; gap: 12px 28px">',
            *[_panel(run, target) for run in runs],
            f"</div><p>{escape(summary)} {escape(say('guide.limits'))}</p>",
            f"<p>{escape(say('guide.command', command=experiment['command'], recipe=experiment['recipe']))}</p>",
        ]
    )


def _panel(run: dict[str, Any], target: float) -> str:
    """Return one ratio weight: the kept share over the steps in front of what the guide claims, and both in words."""
    low, high = run["claim"]
    claimed = say("guide.claimed" if high > low else "guide.claimed_one", low=low, high=high)
    measured = say("guide.measured", low=run["low"], high=run["high"], mean=run["mean"])
    title = say("guide.panel", weight=run["ratio_weight"])
    verdict = say("guide.holds" if run["holds"] else "guide.fails")
    (width, height), last = PANEL, len(run["kept"]) - 1

    def y(fraction: float) -> float:
        return height * (1 - fraction)

    points = " ".join(f"{width * i / last:.1f},{y(kept):.1f}" for i, kept in enumerate(run["kept"]))
    style = 'text-anchor="end" font-size="11" fill="currentColor"'
    ticks = "".join(f'<text x="-6" y="{y(share) + 4:.1f}" {style}>{share:g}</text>' for share in (0, 0.5, 1))
    drawing = (
        f'<svg viewBox="-30 -6 {width + 36} {height + 12}" width="{width + 36}" role="img" '
        f'aria-label="{escape(f"{title}: {claimed}, {measured}")}">{ticks}'
        f'<rect width="{width}" height="{height}" fill="none" stroke="currentColor" opacity="0.35"/>'
        f'<rect y="{y(high) - 0.5:.1f}" width="{width}" height="{y(low) - y(high) + 1:.1f}" '
        'fill="currentColor" opacity="0.18"/>'
        f'<path d="M0 {y(target):.1f}H{width}" stroke="currentColor" stroke-dasharray="4 4" opacity="0.6"/>'
        f'<polyline points="{points}" fill="none" stroke="currentColor" stroke-width="1.5"/></svg>'
    )
    words = f"<b>{escape(title)}</b><br>{escape(claimed)}<br>{escape(measured)}: {escape(verdict)}"
    return f'<figure style="max-width: 276px; margin: 0">{drawing}<figcaption>{words}</figcaption></figure>'

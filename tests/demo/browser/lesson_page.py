"""The lesson's scripts on a page of their own: values made from records, and the page."""

from __future__ import annotations

import json
from dataclasses import asdict
from pathlib import Path
from typing import Any

from playwright.sync_api import Browser, Locator, Page

from demo.lesson.settings import Knobs
from demo.lesson.steps import Example, steps
from demo.lesson.walk import moved_between
from demo.paint.palette import DARK, LIGHT
from demo.record import packed
from seps import Explanation
from tests.demo.browser.standalone import STYLE, photo

TRAINED = Knobs(keep_ratio=0.5, aggr_ratio=0.3, beta=0.25, top_k=3)
DENSE = ("[CLS]", "a", "longer", "caption", "of", "the", "same", "photo", "[SEP]")
LIMITS = {"keep_ratio": (0.05, 1), "aggr_ratio": (0.05, 1), "beta": (0, 0.5), "top_k": (1, 3), "temperature": (0.1, 5)}
PLACE = {"before": 3, "total": 20, "gallery": "examples"}
RECORDS: dict[str, dict[str, Any]] = {
    "paper": {},
    "paper, dense": {"dense": True},
    "released, [CLS]": {"paper": False, "cls": True},
    "released, dense": {"paper": False, "dense": True},
}


def lesson_value(
    record: Explanation, before: Explanation | None = None, knobs: Knobs = TRAINED, **changes: Any
) -> dict[str, Any]:
    """What the walk hands to the lesson, made from records."""
    dense = None if record.dense is None else DENSE
    words = record.sparse_alignment.words
    now = None if knobs.decision == "gumbel" else 2 if before else 3
    example = Example(
        record=record,
        knobs=knobs,
        channels=16,
        pixels=96,
        dense_length=None if dense is None else len(dense),
        context=(False, False),
        trained_k=TRAINED.top_k,
        rank=None if now is None else (now, 20),
    )
    told = steps(example)
    low, high = record.sparse.score.min(), record.sparse.score.max()
    told[3]["keep_probability"] = ((record.sparse.score - low) / (high - low)).tolist()
    value = {
        "key": 1,
        "photo": photo(),
        "model": "random",
        "caption": "a skateboarder rides",
        "dense_caption": None if dense is None else "a longer caption of the same photo",
        "step": 1,
        "knobs": asdict(knobs),
        "trained": asdict(TRAINED),
        "untrained": [name for name in ("keep_ratio", "beta") if getattr(knobs, name) != getattr(TRAINED, name)],
        "fixed": {"aggr_ratio": "The parameters make N_c = 7 aggregated tokens."},
        "limits": {name: list(ends) for name, ends in LIMITS.items()},
        "record": packed(record),
        "before": None if before is None else packed(before),
        "rank": {"now": now, **PLACE, "note": "" if now else "A drawn decision has no rank."},
        "caption_rank": {"now": now, **PLACE, "note": ""},
        "moved": moved_between(before or record, record),
        "channels": 16,
        "dense_words": None if dense is None else list(dense),
        "lengths": {
            "sparse": len(words),
            "dense": None if dense is None else len(dense),
            "denser": None if dense is None else len(dense) / len(words),
        },
        "steps": told,
    }
    return value | changes


def write_page(folder: Path, component: str, value: dict[str, Any] | None, dark: bool = False, width: int = 0) -> Path:
    """A page with one component, "Lesson", "Playground" or "Claims"; what it triggers is listed in `window.triggered`.

    `window.send(value)` does what Gradio does when Python sends a new value.
    """
    palette = vars(DARK if dark else LIGHT)
    variables = " ".join(f"--{name.replace('_', '-')}: {colour};" for name, colour in palette.items())
    scripts = "".join(f"<script>{file.read_text(encoding='utf-8')}</script>" for file in sorted(STYLE.glob("*.js")))
    styles = "\n".join(file.read_text(encoding="utf-8") for file in sorted(STYLE.glob("*.css")))
    data = json.dumps(value).replace("<", "\\u003c")
    limit = f"max-width: {width}px;" if width else ""
    path = folder / "page.html"
    path.write_text(
        f"""<!doctype html><html lang="en"><meta charset="utf-8"><title>standalone</title>
<meta name="viewport" content="width=device-width, initial-scale=1">
<style>body {{ {variables} margin: 0; padding: 12px; background: var(--ground); font-family: sans-serif; }}
#place {{ {limit} }} {styles}</style>{scripts}
<body class="{"dark" if dark else ""}"><div id="place"><div class="seps-{component.lower()}"></div></div>
<script>
window.triggered = [];
const props = {{ value: {data} }};
let changed = null;
window.send = (value) => {{ props.value = value; changed(); }};
const trigger = (name, data) => window.triggered.push([name, data]);
const watch = (name, call) => {{ if (name === "value") changed = call; }};
window.Seps{component}.mount(document.getElementById("place"), props, trigger, watch);
</script></body></html>""",
        encoding="utf-8",
    )
    return path


def open_page(
    browser: Browser, path: Path, size: tuple[int, int] = (1366, 768), touch: bool = False, calm: bool = True
) -> Page:
    """The page; with `calm` nothing glides, as for people who asked their system for that."""
    context = browser.new_context(
        viewport={"width": size[0], "height": size[1]},
        has_touch=touch,
        is_mobile=touch,
        reduced_motion="reduce" if calm else "no-preference",
    )
    page = context.new_page()
    page.goto(path.as_uri())
    return page


def resting(page: Page) -> Locator:
    """The stage, once everything on it has come to rest."""
    stage = page.locator(".seps-scene[data-still=true]")
    stage.wait_for()
    return stage


def lesson(browser: Browser, folder: Path, value: dict[str, Any], **how: Any) -> Page:
    page = open_page(browser, write_page(folder, "Lesson", value), **how)
    resting(page)
    return page


def go(page: Page, step: int) -> None:
    page.locator(f"[data-step='{step}']").click()
    resting(page)


def told(page: Page, name: str) -> list[Any]:
    return [data for event, data in page.evaluate("window.triggered") if event == name]


def slide(knob: Locator, *settings: float) -> None:
    """Move a slider or a number over some settings at once; only where it rests counts."""
    knob.evaluate(
        """(input, settings) => settings.forEach((setting) => {
            input.value = setting;
            input.dispatchEvent(new Event("input", { bubbles: true }));
        })""",
        list(settings),
    )

"""The lesson's scripts on a separate page: values made from records, and the page."""

from dataclasses import asdict
from typing import Any

from playwright.sync_api import Browser, Locator, Page

from demo.record.counterfactual import Trial
from demo.record.packing import packed
from demo.record.settings import Knobs, idle, idle_choices
from demo.service.experiments.counterfactual import Decided
from demo.views.lesson.steps import Example, steps
from demo.views.lesson.walk import moved_between, trial_value
from seps import Explanation
from tests.demo.browser.standalone import open_html, page_of, photo

TRAINED = Knobs(keep_ratio=0.5, aggr_ratio=0.3, beta=0.25, top_k=3)
DENSE = ("[CLS]", "a", "longer", "caption", "of", "the", "same", "photo", "[SEP]")
LIMITS = {"keep_ratio": (0.05, 1), "aggr_ratio": (0.05, 1), "beta": (0, 0.5), "top_k": (1, 3), "temperature": (0.1, 5)}
PLACE = {"before": 3, "total": 20, "gallery": "examples"}


def lesson_value(
    record: Explanation, before: Explanation | None = None, knobs: Knobs = TRAINED, **changes: Any
) -> dict[str, Any]:
    dense = None if record.dense is None else DENSE
    words = record.sparse_alignment.words
    now = None if knobs.decision == "gumbel" else 2 if before else 3
    trial = Trial(Decided(record, now or 0, 20 if now else 0))
    example = Example(
        record=record,
        knobs=knobs,
        channels=16,
        pixels=96,
        dense_length=None if dense is None else len(dense),
        context=(False, False),
        classes=0,
        trained_k=TRAINED.top_k,
        rank=None if now is None else (now, 20),
        spread=(0.05, 20),
        trial=trial,
    )
    step_values = steps(example)
    low, high = record.sparse.score.min(), record.sparse.score.max()
    step_values[3]["keep_probability"] = ((record.sparse.score - low) / (high - low)).tolist()
    value = {
        "photo": photo(),
        "model": "random",
        "caption": "a skateboarder rides",
        "dense_caption": None if dense is None else "a longer caption of the same photo",
        "step": 1,
        "knobs": asdict(knobs),
        "trained": asdict(TRAINED),
        "untrained": [name for name in ("keep_ratio", "beta") if getattr(knobs, name) != getattr(TRAINED, name)],
        "fixed": idle(knobs) | {"aggr_ratio": "The parameters make N_c = 7 aggregated tokens."},
        "idle": idle_choices(),
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
        "steps": step_values,
        "by_hand": "",
        "whatif": trial_value(trial),
    }
    return value | changes


def resting(page: Page) -> Locator:
    """The stage, once everything on it has come to rest."""
    stage = page.locator(".seps-scene[data-still=true]")
    stage.wait_for()
    return stage


# Ten frames of the browser in a row in which the stage keeps its size: the page is laid out, fonts and all.
SETTLED = """new Promise((done) => {
  const stage = document.querySelector(".seps-scene");
  let [size, frames] = ["", 0];
  const look = () => {
    const now = JSON.stringify(stage.getBoundingClientRect());
    [size, frames] = [now, now === size ? frames + 1 : 0];
    if (frames < 10) requestAnimationFrame(look);
    else done();
  };
  look();
})"""


def lesson(browser: Browser, value: dict[str, Any], **how: Any) -> Page:
    page = open_html(browser, page_of("lesson", value), **{"calm": True, **how})
    resting(page)
    page.evaluate(SETTLED)
    return page


def go(page: Page, step: int) -> None:
    page.locator(f"[data-step='{step}']").click()
    resting(page)


def sent(page: Page, name: str) -> list[Any]:
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

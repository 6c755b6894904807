"""What the page without a server is made of, each part alone in the browser: no model, no folder."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from playwright.sync_api import Browser, Page

from demo.record.page_table import table_tag
from demo.screens.losses.values import playground_value
from demo.service.retrieval import RetrievalService
from tests.demo.browser.standalone import imported, open_html
from tests.helpers.static_site import differences

pytestmark = [pytest.mark.journey, pytest.mark.filterwarnings("ignore:unclosed:ResourceWarning")]
TOLERANCE = 1e-5


@pytest.fixture(scope="module")
def page(browser: Browser) -> Iterator[Page]:
    page = open_html(browser, f"<!doctype html><title>parts</title>{table_tag()}<body></body>")
    yield page
    page.context.close()


# A box whose answers are held back until `answer` lets them go, and a component; `done` is what became of both.
VIEW = f"""async () => {{
    const {{ answerTyping }} = {imported("static/inputs.js")};
    const {{ component }} = {imported("static/component.js")};
    document.body.innerHTML = '<div class="tabitem"><textarea></textarea><div></div></div>';
    const [box, place] = [document.querySelector("textarea"), document.querySelector(".tabitem div")];
    const [done, held] = [[], []];
    let press = null;
    component(place, (element, props, trigger) => {{ press = trigger; }}, null, (event) => {{ done.push(event); }});
    answerTyping(box, () => new Promise((end) => held.push(() => {{ done.push(`answered ${{box.value}}`); end(); }})));
    const later = (condition) => new Promise((end) => {{
        const look = () => (condition() ? end() : setTimeout(look, 5));
        look();
    }});
    window.view = {{
        done,
        press: (event) => press(event),
        type(text) {{
            box.value = text;
            box.dispatchEvent(new Event("input", {{ bubbles: true }}));
        }},
        write(text) {{ box.value = text; }},
        asked: (count) => later(() => held.length === count),
        async answer(number) {{
            held[number]();
            await new Promise((end) => setTimeout(end, 20));
        }},
    }};
}}"""


def test_what_is_pressed_while_one_types_comes_after_the_answer(page: Page) -> None:
    page.evaluate(VIEW)
    script = """async () => {
        const { view } = window;
        view.press("pick");
        view.type("a red");
        view.press("early");
        await view.asked(1);
        view.press("late");
        view.press("export");
        await view.answer(0);
        view.press("free");
        return view.done;
    }"""
    assert page.evaluate(script) == ["pick", "export", "answered a red", "early", "late", "free"]


def test_it_waits_for_all_that_was_typed_and_no_longer(page: Page) -> None:
    page.evaluate(VIEW)
    script = """async () => {
        const { view } = window;
        view.type("a red");
        await view.asked(1);
        view.type("a red car");
        view.press("pick");
        await view.asked(2);
        await view.answer(0);
        const first = [...view.done];
        view.write("A red car"); // as the answer writes it
        await view.answer(1);
        return [first, view.done];
    }"""
    first, done = page.evaluate(script)
    assert first == ["answered a red car"]
    assert done == ["answered a red car", "answered A red car", "pick"]


SETTINGS: list[dict[str, Any]] = [
    {"margin": margin, "mining": mining, "mask_ids": mask_ids}
    for margin in (0.0, 0.2, 0.55, 1.0)
    for mining in ("all", "hardest")
    for mask_ids in (True, False)
]


def test_the_losses_under_other_settings_are_pythons(page: Page, service: RetrievalService) -> None:
    script = f"""async ([value, settings]) => {{
        const {{ playgroundUnder }} = {imported("engine/loss.js")};
        return settings.map((each) => playgroundUnder(value, each));
    }}"""
    given = page.evaluate(script, [playground_value(service), SETTINGS])
    assert len({value["now"] for value in given}) > len(SETTINGS) / 2
    for settings, value in zip(SETTINGS, given, strict=True):
        expected = playground_value(service, **settings)
        assert differences(value, expected, TOLERANCE) == [], settings


# ONNX Runtime as a model asks it, counting the sessions that are there.
RUNTIME = f"""async () => {{
    const {{ Model }} = {imported("engine/model.js")};
    const log = [];
    const ort = {{ InferenceSession: {{ create: async (content) => {{
        const name = new TextDecoder().decode(content);
        log.push(`load ${{name}}`);
        return {{ run: async () => name, release: async () => {{ log.push(`free ${{name}}`); }} }};
    }} }} }};
    const graph = (name) => ({{ file: name, outputs: [{{ shape: [1, 4, 2] }}] }});
    const graphs = {{ image: graph("image"), text: graph("text"), pair: graph("pair") }};
    const model = new Model(ort, "data:,", {{ graphs }});
    const answers = [await model.run("text"), await model.run("pair"), await model.run("text")];
    await model.release();
    answers.push(await model.run("text"));
    return [answers, log];
}}"""


def test_a_model_frees_its_graphs_and_gets_them_again(page: Page) -> None:
    answers, log = page.evaluate(RUNTIME)
    assert answers == ["text", "pair", "text", "text"]
    assert log == ["load text", "load pair", "free text", "free pair", "load text"]

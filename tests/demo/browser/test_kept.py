"""What a person does while an answer is on its way stays: what they typed, and the line that says what was wrong."""

from __future__ import annotations

import json
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.demo.browser.page import KNOWN, WAIT

# `holding` names calls of the page by their number: "sent" waits before the server is asked, "answered" before the page
# gets the answer, and those after it, until `held[number]()`; `answers` counts them.
HOLD = """(() => {
  const fetched = window.fetch;
  const names = new Map(); // what a call is named in the queue -> its number
  window.holding = %s;
  window.held = {};
  window.answers = 0;
  const wait = (number) => new Promise((go) => (window.held[number] = go));
  const isHeld = (number, when) => window.holding[number] === when;
  async function* checked(reader) {
    const decoder = new TextDecoder();
    for (let part = await reader.read(); !part.done; part = await reader.read()) {
      const text = decoder.decode(part.value);
      const done = text.split("\\n").filter((line) => line.includes('"process_completed"'));
      for (const [name, number] of names) {
        if (isHeld(number, "answered") && done.some((line) => line.includes(name))) await wait(number);
      }
      yield part.value;
      window.answers += done.length;
    }
  }
  window.fetch = async (...what) => {
    if (String(what[0]?.url ?? what[0]).includes("/queue/data")) {
      const { body, headers, status } = await fetched(...what);
      const parts = checked(body.getReader());
      const pull = async (to) => {
        const { value, done } = await parts.next();
        if (done) to.close();
        else to.enqueue(value);
      };
      return new Response(new ReadableStream({ pull }, { highWaterMark: 0 }), { headers, status });
    }
    if (typeof what[1]?.body !== "string") return fetched(...what);
    const number = JSON.parse(what[1].body).fn_index;
    if (isHeld(number, "sent")) await wait(number);
    const answer = await fetched(...what);
    const { event_id: name } = await answer.clone().json();
    if (name) names.set(name, number);
    return answer;
  };
})();"""
EMPTY = "The caption is empty"


@pytest.fixture(scope="module")
def config(address: str) -> dict[str, Any]:
    """What the page is made of, as the server tells it."""
    with urllib.request.urlopen(f"{address}/config") as answer:
        return json.load(answer)


def number_of(config: dict[str, Any], elem_id: str, event: str) -> int:
    """The number of the call that an event of a component makes first."""
    (component,) = [each["id"] for each in config["components"] if each["props"].get("elem_id") == elem_id]
    return next(call["id"] for call in config["dependencies"] if [component, event] in call["targets"])


def after(config: dict[str, Any], number: int) -> int | None:
    """The number of the call that follows another one, where there is one."""
    return next((call["id"] for call in config["dependencies"] if call["trigger_after"] == number), None)


def loading(config: dict[str, Any]) -> int:
    """The number of the call that the page makes when it loads."""
    return next(call["id"] for call in config["dependencies"] if any(event == "load" for _, event in call["targets"]))


@contextmanager
def holding(browser: Browser, address: str, calls: dict[int, str], query: str = "") -> Iterator[Page]:
    """The page, with calls that wait, see `HOLD`."""
    context = browser.new_context(viewport={"width": 1366, "height": 768})
    context.set_default_timeout(WAIT)
    expect.set_options(timeout=WAIT)
    context.add_init_script(KNOWN)
    context.add_init_script(HOLD % json.dumps(calls))
    page = context.new_page()
    page.goto(f"{address}/{query}")
    yield page
    context.close()


def release(page: Page, number: int) -> None:
    """Let a call that waits go on, until the page has its answer and is at rest."""
    page.evaluate(
        """async (number) => {
            const before = window.answers;
            delete window.holding[number];
            window.held[number]();
            while (window.answers === before) await new Promise(requestAnimationFrame);
            for (let i = 0; i < 5; i++) await new Promise((done) => requestIdleCallback(done));
        }""",
        number,
    )


def wait_for(page: Page, number: int) -> None:
    """Wait until a call waits."""
    page.wait_for_function("(number) => window.held[number]", arg=number)


@pytest.mark.journey
def test_a_box_emptied_while_the_page_loads_stays_empty(browser: Browser, address: str, config: dict[str, Any]) -> None:
    placing = after(config, loading(config))
    with holding(browser, address, {placing: "sent"}) as page:
        wait_for(page, placing)
        page.locator("#caption textarea").fill("")
        expect(page.locator("#said .problem")).to_contain_text(EMPTY)
        release(page, placing)
        expect(page.locator("#caption textarea")).to_have_value("")
        expect(page.locator("#said .problem")).to_contain_text(EMPTY)


@pytest.mark.journey
def test_a_problem_stays_when_the_page_fills_another_box(
    browser: Browser, address: str, config: dict[str, Any]
) -> None:
    dense = number_of(config, "dense", "change")
    query = "?view=search&gallery=examples&caption=a+cat&dense=a+cat+that+looks+up"
    with holding(browser, address, {dense: "sent"}, query) as page:
        wait_for(page, dense)
        expect(page.locator("#caption textarea")).to_have_value("a cat")
        page.locator("#caption textarea").fill("")
        expect(page.locator("#said .problem")).to_contain_text(EMPTY)
        release(page, dense)
        expect(page.locator("#said .problem")).to_contain_text(EMPTY)


@pytest.mark.journey
def test_what_is_typed_while_a_view_is_filled_stays_and_is_answered(
    browser: Browser, address: str, config: dict[str, Any]
) -> None:
    tab = next(each["id"] for each in config["components"] if each["props"].get("id") == "captions")
    opening = [call["id"] for call in config["dependencies"] if [tab, "select"] in call["targets"]]
    filling = next(after(config, number) for number in opening if after(config, number) is not None)
    with holding(browser, address, {filling: "answered"}) as page:
        expect(page.locator("#viewer canvas").first).to_be_visible()
        page.get_by_role("tab", name="Captions", exact=True).click()
        wait_for(page, filling)
        page.locator("#captions-typed textarea").fill("a grey haired officer with glasses")
        release(page, filling)
        expect(page.locator("#captions-typed textarea")).to_have_value("a grey haired officer with glasses")
        expect(page.locator("#captions-ranking")).to_contain_text("a grey haired officer with glasses")

"""The page's own scripts without the app: the browser's history, what waits for a file, the first visit, the bar."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from playwright.sync_api import Browser, Page, expect

from demo.record.page_table import table_tag
from demo.record.table import TABLE
from demo.server.static import script_address, styles
from tests.demo.browser.standalone import ADDRESS, imported, open_html, page_of

pytestmark = pytest.mark.filterwarnings("ignore:unclosed:ResourceWarning")
VIEWS = ("search", "captions", "about")
LINK = "?view={}&gallery=examples&photo={}&caption={}"
# Tabs as Gradio has them, a caption, and what is told to Python, in `window.sent`.
TABS = "".join(f'<button role="tab" data-tab-id="{view}" aria-selected="false">{view}</button>' for view in VIEWS)
HTML = f"""<!doctype html><title>trail</title>{table_tag()}
<div id="views">{TABS}
<div class="tabitem"><div id="caption"><textarea></textarea></div><div id="place"></div></div></div>
<script type="module">
const tabs = [...document.querySelectorAll("[role=tab]")];
const select = (one) => tabs.forEach((tab) => tab.setAttribute("aria-selected", String(tab === one)));
tabs.forEach((tab) => tab.addEventListener("click", () => select(tab)));
select(tabs[0]);
window.sent = [];
window.ready = import("/{script_address("page/trail.js")}").then(({{ mount, followHistory, showed }}) => {{
  mount(null, {{}}, (event, detail) => window.sent.push([event, detail]));
  followHistory();
  window.showed = (query, pair, isNew = true) => showed(document.getElementById("place"), query, pair, "photo", isNew);
}});
</script>"""


@pytest.fixture
def page(browser: Browser) -> Iterator[Page]:
    page = open_html(browser, HTML)
    page.evaluate("window.ready")
    yield page
    page.context.close()


def show(page: Page, view: str, photo: str, caption: str, drawn: str = "") -> None:
    """A view shows an answer, drawn in some way."""
    query = LINK.format(view, photo, caption)
    page.evaluate("([query, pair, isNew]) => window.showed(query, pair, isNew)", [query + drawn, query, not drawn])


def sent(page: Page, event: str) -> list[dict[str, Any]]:
    return [detail for name, detail in page.evaluate("window.sent") if name == event]


def steps(page: Page) -> int:
    return int(page.evaluate("history.length"))


def test_an_answer_is_a_step_and_how_it_is_drawn_is_none(page: Page) -> None:
    start = steps(page)
    show(page, "search", "cat", "a+cat")
    show(page, "search", "cat", "a+cat", "&layer=score")
    assert (steps(page), page.url) == (start, f"{ADDRESS}/{LINK.format('search', 'cat', 'a+cat')}&layer=score")
    show(page, "search", "dog", "a+cat")
    assert steps(page) == start + 1
    first, *_, last = sent(page, "keep")
    assert (first["view"], first["content"]) != (last["view"], last["content"])
    page.go_back()
    assert page.url.endswith("photo=cat&caption=a+cat&layer=score")
    (asked,) = sent(page, "back")
    assert (asked["content"], asked["view"]) == (first["content"], "search")
    assert asked["query"] == page.evaluate("location.search")
    show(page, "search", "cat", "a+cat")  # Python's answer
    page.go_forward()
    assert page.url.endswith("photo=dog&caption=a+cat")
    assert sent(page, "back")[-1]["content"] == last["content"]


def test_another_view_is_a_step_and_comes_back_as_it_is(page: Page) -> None:
    show(page, "search", "cat", "a+cat")
    start = steps(page)
    page.get_by_role("tab", name="about").click()
    assert (steps(page), page.url) == (start + 1, f"{ADDRESS}/?view=about")
    page.get_by_role("tab", name="captions").click()
    assert page.url == f"{ADDRESS}/?view=captions"
    show(page, "captions", "cat", "a+cat")
    assert (steps(page), page.url) == (start + 2, f"{ADDRESS}/{LINK.format('captions', 'cat', 'a+cat')}")
    for view in ("about", "search"):
        page.go_back()
        expect(page.get_by_role("tab", name=view)).to_have_attribute("aria-selected", "true")
    page.go_forward()
    page.go_forward()
    expect(page.get_by_role("tab", name="captions")).to_have_attribute("aria-selected", "true")
    assert sent(page, "back") == []  # nothing was lost, so nothing is asked for
    assert steps(page) == start + 2


def test_typing_is_one_step_and_in_the_address_at_once(page: Page) -> None:
    show(page, "search", "cat", "a+cat")
    start, box = steps(page), page.locator("#caption textarea")
    box.press_sequentially("a dog")
    assert (steps(page), page.url) == (start + 1, f"{ADDRESS}/?view=search&gallery=examples&caption=a+dog")
    show(page, "search", "dog", "a+dog")
    box.press_sequentially("s")
    show(page, "search", "dog", "a+dogs")
    assert (steps(page), page.url) == (start + 1, f"{ADDRESS}/{LINK.format('search', 'dog', 'a+dogs')}")
    box.press("Enter")
    box.press_sequentially("!")
    assert steps(page) == start + 2
    box.fill("")
    assert "caption" not in page.url
    page.go_back()
    assert sent(page, "back")[-1]["query"].endswith("photo=dog&caption=a+dogs")


def test_ones_own_photograph_has_a_step_without_an_address(page: Page) -> None:
    show(page, "search", "cat", "a+cat")
    start = steps(page)
    page.evaluate("window.showed(null, 'mine')")
    assert (steps(page), page.url) == (start + 1, f"{ADDRESS}/")
    page.locator("#caption textarea").press_sequentially("x")
    assert page.url == f"{ADDRESS}/"
    page.go_back()
    page.go_back()
    page.go_forward()
    assert sent(page, "back")[-1]["content"] == sent(page, "keep")[1]["content"]


def test_a_button_waits_for_its_file_or_for_what_was_wrong(browser: Browser) -> None:
    page = open_html(browser, f"<!doctype html><title>busy</title>{table_tag()}<body></body>")
    script = f"""async () => {{
        const {{ work, noticeAnswers }} = {imported("page/busy.js")};
        const {{ mount }} = {imported("page/download.js")};
        const {{ downloadButtons }} = {imported("picture/foot.js")};
        const props = {{ value: null }};
        noticeAnswers();
        mount(null, props, null, (name, call) => (window.answer = (value) => {{ props.value = value; call(); }}));
        document.body.append(downloadButtons(["PNG", "PDF"], () => {{}}));
    }}"""
    page.evaluate(script)
    png = page.locator("[data-format=png]")
    for answer in ({"key": 1, "failed": True}, {"key": 2, "name": "a.png", "type": "image/png", "base64": "AA=="}):
        png.click()
        expect(png).to_be_disabled()
        expect(png).to_have_text(TABLE["button"]["saving"])
        expect(png).to_have_attribute("aria-busy", "true")
        page.evaluate("(answer) => window.answer(answer)", answer)
        expect(png).to_be_enabled()
        expect(png).to_have_text("PNG")
    png.click()
    page.evaluate("document.body.insertAdjacentHTML('beforeend', '<p data-testid=\"toast-body\">A fault</p>')")
    expect(png).to_be_enabled()
    page.context.close()


def test_what_is_computed_anew_says_so_until_a_problem_is_told(browser: Browser) -> None:
    look = f"<style>{styles()}</style>"
    page = open_html(
        browser,
        f"<!doctype html><title>busy</title>{look}{table_tag()}"
        '<div class="tabitem"><p id="said"></p><div class="seps-lesson"></div></div>',
    )
    page.evaluate(f"""async () => {{
        const {{ noticeAnswers }} = {imported("page/busy.js")};
        const {{ rootOf }} = {imported("base/mount.js")};
        noticeAnswers();
        rootOf(document.querySelector(".tabitem"), "seps-lesson").setAttribute("aria-busy", "true");
    }}""")
    words = "getComputedStyle(document.querySelector('.seps-lesson'), '::before').content"
    assert page.evaluate(words) == f'"{TABLE["button"]["computing"]}"'
    page.evaluate("document.getElementById('said').innerHTML = '<p class=\"message problem\">No.</p>'")
    expect(page.locator(".seps-lesson")).not_to_have_attribute("aria-busy", "true")
    page.context.close()


INTRO = {
    "ideas": [["Patch", "a piece"], ["Token", "numbers"], ["Score", "1.43"]],
    "picture": {"src": "", "aspect": 1.5, "grid": [2, 4], "kept": "8A", "says": "4 of 8 patches"},  # the upper row
}


def visit(browser: Browser, address: str = "", script: str = "") -> Page:
    """A page with the three ideas, as somebody sees it who comes to an address."""
    page = open_html(browser, page_of("intro", INTRO))
    if script:
        page.evaluate(script)
    page.goto(f"{ADDRESS}/{address}")
    page.locator(".seps-open").wait_for()
    return page


def test_the_ideas_open_on_a_first_visit_and_stay_away_once_they_were_left(browser: Browser) -> None:
    page = visit(browser)
    ideas = page.get_by_role("dialog", name=TABLE["intro"]["title"])
    expect(ideas).to_be_visible()
    expect(ideas.get_by_role("img", name="4 of 8 patches")).to_have_attribute("data-dropped", "4")
    leave = ideas.get_by_role("button", name=TABLE["intro"]["leave"])
    expect(leave).to_be_focused()
    page.keyboard.press("Escape")
    expect(ideas).to_be_hidden()
    page.reload()
    opener = page.get_by_role("button", name=TABLE["intro"]["open"])
    expect(opener).to_be_visible()
    expect(ideas).to_be_hidden()
    opener.press("Enter")
    expect(leave).to_be_focused()
    leave.press("Enter")
    expect(ideas).to_be_hidden()
    expect(opener).to_be_focused()
    page.context.close()


@pytest.mark.parametrize("address", ["?view=search&caption=a+cat", "?view=lesson&talk=1"])
def test_the_ideas_never_open_over_a_link(browser: Browser, address: str) -> None:
    page = visit(browser, address, "localStorage.clear()")
    expect(page.get_by_role("dialog")).to_have_count(0)
    page.context.close()


def test_the_ideas_never_open_in_a_page_that_is_embedded(browser: Browser) -> None:
    page = visit(browser, "", "localStorage.clear()")
    page.evaluate("localStorage.clear()")
    page.evaluate(
        f"document.body.insertAdjacentHTML('beforeend', '<iframe src=\"{ADDRESS}/?__theme=light\"></iframe>')"
    )
    inner = page.frame_locator("iframe")
    expect(inner.locator(".seps-open")).to_have_count(1)
    expect(inner.get_by_role("dialog")).to_have_count(0)
    page.context.close()


def test_the_bar_tells_at_which_side_there_are_more_views(browser: Browser) -> None:
    names = "".join(f'<button role="tab" aria-selected="{str(i == 0).lower()}">View {i}</button>' for i in range(9))
    row = f'<div class="tab-container" style="display: flex">{names}</div>'
    bar = f'<div id="views"><div class="tab-wrapper">{row}</div></div>'
    html = f"<!doctype html><title>bar</title><style>{styles()}</style>{table_tag()}{bar}"
    page = open_html(browser, html, (390, 300))
    page.evaluate(f"async () => ({imported('page/bar.js')}).keepOpenInSight()")
    wrapper, views = page.locator(".tab-wrapper"), page.locator(".tab-container")
    sign = "(side) => getComputedStyle(document.querySelector('.tab-wrapper'), side).content"
    expect(wrapper).to_have_attribute("data-more", "right")
    assert (page.evaluate(sign, "::before"), page.evaluate(sign, "::after")) == ("none", '"\u203a"')
    views.evaluate("(one) => (one.scrollLeft = 60)")
    expect(wrapper).to_have_attribute("data-more", "left right")
    views.evaluate("(one) => (one.scrollLeft = one.scrollWidth)")
    expect(wrapper).to_have_attribute("data-more", "left")
    page.set_viewport_size({"width": 1366, "height": 300})
    expect(wrapper).to_have_attribute("data-more", "")
    page.context.close()

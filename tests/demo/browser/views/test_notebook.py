"""A notebook's output in a browser, without a server and without a network."""

from dataclasses import replace
from html import escape
from pathlib import Path

import numpy as np
import pytest
from PIL import Image
from playwright.sync_api import Browser, FrameLocator, expect

import seps
from demo.record.layers.layers import Layer, describe
from demo.record.texts.table import say
from seps import Explanation
from seps.explanation.record import Source
from tests.demo.browser.views.test_single import opened_file
from tests.helpers.models.records import random_record
from tests.helpers.web.numbers import on_page

pytestmark = pytest.mark.journey


def drawn_record(seed: int) -> Explanation:
    photo = Image.fromarray(np.full((120, 200, 3), 180, dtype=np.uint8))
    return replace(random_record(seed=seed), source=Source(photo, "a dogs $", word_starts=(1, 2, 4)))


def test_several_views_stand_in_one_notebook(browser: Browser, tmp_path: Path) -> None:
    first, second = drawn_record(0), drawn_record(1)
    outputs = [first._repr_html_() or "", seps.compare([first, second])._repr_html_()]
    html = f'<!doctype html><meta charset=utf-8><body data-jp-theme-light="false">{"".join(outputs)}</body>'
    label = f"{on_page(describe(first, Layer.parse('word:2')))}. {say('hint.patches')}"
    with opened_file(browser, tmp_path / "notebook.html", html) as page:
        viewer, compared = (page.frame_locator("iframe").nth(index) for index in range(2))
        expect(page.locator("div > img")).to_have_count(0)  # what stands in where no script runs
        viewer.locator('[data-word="2"]').click()
        expect(viewer.locator('[data-word="2"]')).to_have_attribute("aria-pressed", "true")
        expect(viewer.locator(".seps-stage canvas").first).to_have_attribute("aria-label", label)
        expect(compared.locator(".seps-compare figure")).to_have_count(2)
        assert is_dark(viewer) and is_dark(compared)
        page.evaluate("document.body.dataset.jpThemeLight = 'true'")
        expect(viewer.locator("body")).not_to_have_class("dark")
        for index, view in enumerate((viewer, compared)):
            needed = view.locator("main").evaluate("(element) => Math.ceil(element.getBoundingClientRect().bottom)")
            assert page.locator("iframe").nth(index).evaluate("(frame) => frame.clientHeight") == needed


@pytest.mark.parametrize("rights", ["", "allow-scripts"])
def test_a_sandbox_shows_the_whole_view_or_the_picture_alone(browser: Browser, tmp_path: Path, rights: str) -> None:
    output = escape(drawn_record(0)._repr_html_() or "")
    html = f'<!doctype html><meta charset=utf-8><iframe sandbox="{rights}" width=900 srcdoc="{output}"></iframe>'
    with opened_file(browser, tmp_path / "notebook.html", html, bool(rights)) as page:
        host = page.frame_locator("iframe")
        if rights:
            view = host.frame_locator("iframe")
            expect(view.locator('[data-word="2"]')).to_be_visible()
            needed = view.locator("main").evaluate("(element) => Math.ceil(element.getBoundingClientRect().bottom)")
            expect(host.locator("iframe")).to_have_css("height", f"{needed}px")
            expect(host.locator("img")).to_have_count(0)
        else:
            expect(host.locator("img")).to_be_visible()
            assert host.locator("div").evaluate("(element) => element.getBoundingClientRect().top") < 20
            expect(host.locator("iframe")).to_have_count(0)


def is_dark(view: FrameLocator) -> bool:
    return bool(view.locator("body").evaluate("(body) => body.classList.contains('dark')"))

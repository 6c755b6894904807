"""The page in Chinese: by its address, by the switch, in what Python and the scripts say, and in links."""

from __future__ import annotations

import re

from playwright.sync_api import Browser, expect

from tests.demo.browser.page import opened

CHINESE = re.compile("[一-鿿]")


def test_the_page_speaks_chinese_until_it_is_switched_back(browser: Browser, address: str) -> None:
    with opened(browser, address) as page:
        page.get_by_role("button", name="中文").click()
        expect(page.get_by_role("tab", name="图片")).to_be_visible()
        assert page.evaluate("document.documentElement.lang") == "zh-CN"
        expect(page.locator("#caption")).to_contain_text("英文")
        expect(page.locator("#ranking .line").first).to_have_text(CHINESE)  # what Python says
        expect(page.locator("#viewer [data-layer='mask']").first).to_have_text("决策掩码")  # what the scripts say
        page.locator("#caption textarea").fill("")
        page.locator("#caption textarea").press("Enter")
        expect(page.get_by_role("alert")).to_contain_text("请用几个英文单词描述图片。")
        page.get_by_role("tab", name="课程").click()
        expect(page.locator("#lesson .seps-lesson")).to_contain_text("从图片到图像块")
        assert "lang=zh" in page.url
        page.goto(f"{address}/?lang=zh&view=moon")
        expect(page.get_by_role("alert")).to_contain_text("search、captions、compare、")
        page.goto(address)
        expect(page.get_by_role("tab", name="图片")).to_be_visible()  # this browser remembers
        page.get_by_role("button", name="English").click()
        expect(page.get_by_role("tab", name="Photos")).to_be_visible()
        assert "lang" not in page.url
        expect(page.locator("#ranking .line").first).to_contain_text("photographs ranked in")

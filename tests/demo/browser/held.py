"""Calls of the page that wait on their way to the server, as behind a slow line, until a test lets them go."""

from __future__ import annotations

import json
import time
import urllib.request
from collections.abc import Callable
from typing import Any

from playwright.sync_api import Page, Request, Route

from tests.demo.browser.page import WAIT

CALLS = "**/gradio_api/queue/join*"
ANSWERS = "/gradio_api/queue/data"  # a stream, which ends when all is answered


class Held:
    """Hold the page's requests with the numbers in `waits`, counted in order."""

    def __init__(self, page: Page, address: str) -> None:
        self.page = page
        self.waits: set[int] = set()
        self.routes: dict[int, list[Route]] = {}
        with urllib.request.urlopen(f"{address}/config") as answer:
            self.config: dict[str, Any] = json.load(answer)
        self.streams: dict[Request, bool] = {}  # of answers, and whether they have ended
        page.route(CALLS, self.take)
        page.on("request", self.note_stream)
        for event in ("requestfinished", "requestfailed"):
            page.on(event, self.note_end)

    def note_stream(self, request: Request) -> None:
        if ANSWERS in request.url:
            self.streams[request] = False

    def note_end(self, request: Request) -> None:
        if request in self.streams:
            self.streams[request] = True

    def take(self, route: Route) -> None:
        number = json.loads(route.request.post_data or "")["fn_index"]
        if number not in self.waits:
            route.continue_()
            return
        self.routes.setdefault(number, []).append(route)

    def of(self, elem_id: str, event: str) -> int:
        """The number of the first call that an event of a component makes."""
        (component,) = [each["id"] for each in self.config["components"] if each["props"].get("elem_id") == elem_id]
        return int(next(call["id"] for call in self.config["dependencies"] if [component, event] in call["targets"]))

    def of_loading(self) -> int:
        """The number of the call that the page makes when it loads."""
        calls = self.config["dependencies"]
        return int(next(call["id"] for call in calls if any(event == "load" for _, event in call["targets"])))

    def after(self, number: int) -> int:
        """The number of the call that follows another one."""
        return int(next(call["id"] for call in self.config["dependencies"] if call["trigger_after"] == number))

    def wait(self, has_come: Callable[[], bool]) -> None:
        """Let the page go on until something has come; AssertionError where it does not."""
        start = time.monotonic()
        while not has_come():
            assert time.monotonic() - start < WAIT / 1000, "It did not come."
            self.page.wait_for_timeout(20)

    def wait_for(self, number: int) -> Route:
        """Wait until a call waits, and give the first of its number."""
        self.wait(lambda: number in self.routes)
        return self.routes[number][0]

    def release(self, number: int) -> None:
        """Let the calls of a number go, and those that come later."""
        self.waits.discard(number)
        for route in self.routes.pop(number):
            route.continue_()

    def answer(self, number: int) -> None:
        """Let a call go, as `release`, and wait until the page has its answer, once no other is on its way."""
        self.wait(lambda: all(self.streams.values()))
        before = len(self.streams)
        self.release(number)
        self.wait(lambda: len(self.streams) > before and all(self.streams.values()))

    def end(self) -> None:
        """Leave the page as others have it."""
        self.page.remove_listener("request", self.note_stream)
        for event in ("requestfinished", "requestfailed"):
            self.page.remove_listener(event, self.note_end)
        self.page.unroute(CALLS, self.take)

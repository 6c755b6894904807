"""Starting the server on a machine that is too busy for Gradio's patience."""

from __future__ import annotations

import gc
import os
import socket
import time
from types import SimpleNamespace

import gradio as gr
import httpx
import pytest
from gradio import http_server, networking

from demo.server.launching import launch, let_local_addresses_pass
from tests.helpers.awaited import awaited


async def launched(port: int) -> gr.Blocks:
    """A page that is served; where no loop runs, Gradio would leave some open."""
    with gr.Blocks() as page:
        gr.Markdown("It has begun.")
    launch(page, "127.0.0.1", port, prevent_thread_lock=True, quiet=True)
    return page


def in_thread(port: int) -> gr.Blocks:
    """The served page, with a separate loop: a browser of other tests may have one in this thread."""
    page: gr.Blocks = awaited(launched(port))
    return page


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def test_it_starts_although_gradio_gives_up(monkeypatch: pytest.MonkeyPatch) -> None:
    clock = iter(range(0, 10**9, 100))  # 100 s between two looks: nothing begins in time
    monkeypatch.setattr(http_server, "time", SimpleNamespace(time=lambda: next(clock), sleep=time.sleep))
    monkeypatch.setattr(networking, "url_ok", lambda url: False)
    monkeypatch.setenv("HTTP_PROXY", "http://127.0.0.1:9")  # nothing answers there
    monkeypatch.setenv("no_proxy", "")
    port = free_port()
    page = in_thread(port)
    try:
        assert "It has begun." in httpx.get(f"http://127.0.0.1:{port}/config", trust_env=False).text
    finally:
        page.close()


@pytest.mark.filterwarnings("ignore:unclosed:ResourceWarning", "ignore::pytest.PytestUnraisableExceptionWarning")
def test_an_address_that_is_taken_is_told() -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        with pytest.raises(OSError, match="Cannot find empty port"):
            in_thread(taken.getsockname()[1])
    gc.collect()  # Gradio leaves the socket open with which it looked


def test_this_machine_is_reached_without_a_proxy(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("no_proxy", raising=False)
    monkeypatch.setenv("NO_PROXY", "example.org")
    let_local_addresses_pass("192.0.2.7")
    let_local_addresses_pass("192.0.2.7")
    assert os.environ["no_proxy"] == "example.org,localhost,127.0.0.1,192.0.2.7"

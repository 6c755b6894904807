import gc
import socket
import subprocess
import sys
import time
from types import SimpleNamespace

import gradio as gr
import httpx
import pytest
from gradio import http_server, networking

from demo.server.launching import launch
from tests.helpers.web.awaited import awaited


def in_thread(port: int) -> gr.Blocks:
    """A served page, with a separate loop: a browser of other tests may have one in this thread."""

    async def launched() -> gr.Blocks:  # where no loop runs, Gradio would leave some open
        with gr.Blocks() as page:
            gr.Markdown("It has begun.")
        launch(page, "127.0.0.1", port, prevent_thread_lock=True, quiet=True)
        return page

    page: gr.Blocks = awaited(launched())
    return page


def test_it_starts_although_gradio_gives_up(monkeypatch: pytest.MonkeyPatch) -> None:
    clock = iter(range(0, 10**9, 100))  # 100 s between two looks: nothing begins in time
    monkeypatch.setattr(http_server, "time", SimpleNamespace(time=lambda: next(clock), sleep=time.sleep))
    monkeypatch.setattr(networking, "url_ok", lambda url: False)
    monkeypatch.setenv("HTTP_PROXY", "http://127.0.0.1:9")  # nothing answers there
    monkeypatch.setenv("no_proxy", "")
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
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


PROGRAM = """
import gc, threading, time
from pathlib import Path
from demo.server import memory

def resident():
    return next(int(line.split()[1]) for line in Path("/proc/self/status").read_text().splitlines() if "VmRSS" in line)

memory.EVERY = 0.2
memory.put_off_search()
searches = [generation["collections"] for generation in gc.get_stats()]
libraries = [[] for _ in range(600_000)]  # what the app has from its start
assert [generation["collections"] for generation in gc.get_stats()] == searches
memory.set_aside()
assert gc.get_freeze_count() > 600_000
assert gc.isenabled()
assert memory.keep_memory_flat()
before = resident()

def use():
    blocks = [bytearray(30_000) for _ in range(2_000)]  # 60 MB in pieces that no thread's heap maps by themselves
    blocks = blocks[::100]
    time.sleep(0.5)
threads = [threading.Thread(target=use) for _ in range(6)]
[thread.start() for thread in threads]
[thread.join() for thread in threads]
time.sleep(1)
print((resident() - before) // 1024)
"""


@pytest.mark.slow
@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="only glibc keeps heaps that can be returned")
def test_what_threads_freed_is_returned() -> None:
    done = subprocess.run([sys.executable, "-c", PROGRAM], capture_output=True, text=True, timeout=60, check=True)
    assert int(done.stdout) < 60


def test_nothing_is_left_behind_where_gradio_is_there() -> None:
    import gradio  # noqa: F401

    from demo.server.memory import skip_stub_files

    before = list(sys.meta_path)
    skip_stub_files()
    assert sys.meta_path == before

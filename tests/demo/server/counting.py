"""A page with one long event, served as the app is: `python -m tests.demo.server.counting PORT`."""

import sys
import time
from collections.abc import Iterator

import gradio as gr

from demo.server.files.folder import TemporaryFolder
from demo.server.guard import GuardedBlocks
from demo.server.launching import launch
from demo.server.routes import server_options

made = {"steps": 0}


def count(steps: float) -> Iterator[int]:
    """Count slowly, as a picture is generated."""
    for step in range(int(steps)):
        made["steps"] = step + 1
        time.sleep(0.05)
        yield step


def build() -> GuardedBlocks:
    """Return the page: its first event counts, its second returns how far the last count came."""
    with GuardedBlocks() as page:
        number = gr.Number(label="Steps")
        gr.Button().click(count, number, number, api_name="count", concurrency_id="generate")
        gr.Button().click(lambda: made["steps"], None, number, api_name="made", queue=False)
    return page


if __name__ == "__main__":
    with TemporaryFolder() as folder:
        launch(build(), "127.0.0.1", int(sys.argv[1]), app_kwargs=server_options(folder, 1000), quiet=True)

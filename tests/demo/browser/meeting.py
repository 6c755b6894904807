"""The app with answers that meet: two texts that begin with TYPED, each in a separate box, are answered at the same
time, where neither answer waits for the other."""

from __future__ import annotations

import sys
from functools import wraps
from pathlib import Path
from threading import Barrier, BrokenBarrierError
from typing import Any

import gradio as gr

from demo import site
from demo.screens.parts import ANSWERING
from demo.server.folder import TemporaryFolder
from demo.service.start import open_registry

TYPED = "two boxes: "
PATIENCE = 2.0  # seconds in which the other answer begins, where it does not wait for this one

quick_on = gr.on


def meeting(answer: Any, both: Barrier) -> Any:
    """An event that begins once another one has begun too, or does not come."""

    @wraps(answer)
    def run(*values: Any) -> Any:
        if values and isinstance(values[0], str) and values[0].startswith(TYPED):
            try:
                both.wait(PATIENCE)
            except BrokenBarrierError:
                both.reset()
        return answer(*values)

    return run


def meeting_on(triggers: Any, answer: Any, *args: Any, **options: Any) -> Any:
    """`gr.on`, where the answers to both texts meet."""
    is_typed = options.get("concurrency_id") == ANSWERING["concurrency_id"]
    return quick_on(triggers, meeting(answer, BOTH) if is_typed else answer, *args, **options)


BOTH = Barrier(2)

if __name__ == "__main__":
    gr.on = meeting_on
    registry = open_registry(cache=Path(sys.argv[1]), fetch=False)
    with TemporaryFolder() as uploads:
        site.build(registry).launch(server_port=int(sys.argv[2]), **site.launch_options(uploads))

"""How endpoints wait in Gradio's queues: options of its events, by what takes long."""

from __future__ import annotations

from typing import Any

import gradio as gr

OPENING: dict[str, Any] = {"concurrency_id": "open", "concurrency_limit": 2}
# What encodes a picture for every patch waits in a queue of its own.
MEASURING: dict[str, Any] = {"concurrency_id": "measure", "concurrency_limit": 1}
# One video is read at a time.
READING: dict[str, Any] = {"concurrency_id": "video", "concurrency_limit": 1}
# Pictures are drawn two at a time: more of them would only hold more memory, and keep rankings waiting.
DRAWING: dict[str, Any] = {"concurrency_id": "draw", "concurrency_limit": 2}
# A drawing takes seconds.
GENERATING: dict[str, Any] = {"concurrency_id": "generate", "concurrency_limit": 2}
AT_ONCE: dict[str, Any] = {"queue": False}  # what takes milliseconds does not wait
PROGRESS = gr.Progress()

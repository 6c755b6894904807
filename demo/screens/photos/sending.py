"""A video of a person's own: sent by the page's script, read and encoded frame by frame, and stopped on demand."""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterator
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import Any

import gradio as gr

from demo.galleries.index import GalleryInMemory
from demo.galleries.paths import printable
from demo.galleries.video_worker import LONGEST
from demo.record.photo import with_new_key
from demo.record.table import say
from demo.screens.parts import OPENING, UNQUEUED, ViewState, message, scripted
from demo.server.detail import Detail
from demo.server.uploads import MAX_VIDEO, find_sent_file
from demo.service.personal import index_frames, read_frames
from demo.service.registry import ModelRegistry
from demo.service.session import SessionData
from seps.progress import map_progress

# One video is read at a time; whoever waits for theirs sees their place.
READING: dict[str, Any] = OPENING | {"trigger_mode": "once", "concurrency_id": "video", "concurrency_limit": 1}


def build() -> gr.HTML:
    """Build where a video is chosen; the page's script sends it, and tells where it lies."""
    return scripted("video", "seps-video", "own-video", ("read", "stop"), value=idle())


def idle(says: str = "") -> dict[str, Any]:
    """Return the component's value while nothing is read."""
    return with_new_key({"seconds": LONGEST, "bytes": MAX_VIDEO, "says": says, "busy": False})


def busy(says: str, done: float) -> dict[str, Any]:
    """Return the component's value while a video is read: a sentence, and how far it is, 0 to 1."""
    return idle(says) | {"busy": True, "done": done}


def steps(registry: ModelRegistry, file: Path) -> Generator[dict[str, Any], None, GalleryInMemory]:
    """Read and encode a video, and remove its file, whether it could be read or not.

    Yields:
        Values of the component.

    Raises:
        ValueError: no video, or none that can be read.
    """
    service, name = registry.photos, printable(file.name)
    try:
        yield busy(say("video.reading", name=name, count=0), 0.0)
        gallery = yield from map_progress(
            read_frames(file), lambda count: busy(say("video.reading", name=name, count=count), 0.0)
        )
    finally:
        with suppress(OSError):
            file.unlink()
    total = len(gallery)
    return (
        yield from map_progress(
            index_frames(service, gallery),
            lambda done: busy(say("video.encoding", name=name, done=done, total=total), done / total),
        )
    )


def connect(
    registry: ModelRegistry,
    video: gr.HTML,
    folder: Path,
    show: Callable[[SessionData, ViewState, GalleryInMemory], tuple[Any, ...]],
    session: gr.State,
    state: gr.State,
    outputs: list[Any],
) -> None:
    """Let a video be read, and stopped.

    Args:
        folder: of the uploads; outputs: the message line first, then what `show(session, state, gallery)` fills.
        session: holds a `SessionData`, state: a `ViewState`.
    """
    nothing = [gr.skip()] * (len(outputs) - 1)

    def read(session: SessionData, state: ViewState, event: Detail) -> Iterator[tuple[Any, ...]]:
        try:
            work = steps(registry, find_sent_file(event.text("upload"), folder))
            indexed = yield from map_progress(work, lambda value: (gr.skip(), *nothing, value))
            yield *show(replace(session, video=indexed), state, indexed), idle()
        except ValueError as error:
            yield message(str(error), "problem"), *nothing, idle()

    reading = video.read(read, [session, state], [*outputs, video], **READING | {"show_progress": "hidden"})

    def stop(event: Detail) -> dict[str, Any]:
        return idle(say("video.stopped", name=event.text("name")))

    video.stop(stop, None, video, cancels=[reading], **UNQUEUED)

"""The page's own endpoints: each method answers one, and `TABLE` says how it waits.

The server keeps nothing of a page but the person's own pictures, in `SessionData`. Programs use the endpoints of
`demo.page.api`, which are served next to these.
"""

from __future__ import annotations

import inspect
from base64 import b64decode
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass, replace
from functools import wraps
from pathlib import Path
from typing import Any

import gradio as gr

from demo.galleries.index import GalleryInMemory
from demo.page.exports import ExportActions
from demo.page.places import at
from demo.page.queues import AT_ONCE, DRAWING, GENERATING, MEASURING, OPENING, PROGRESS, READING
from demo.page.values import (
    MOST_RANKED,
    compared,
    contrasted,
    explained,
    gallery_value,
    item_value,
    ranked,
    ranked_captions,
    start_value,
)
from demo.record.table import for_page, say
from demo.server.uploads import Upload, find_sent_file, takes_uploads
from demo.service.captions import cleaned
from demo.service.personal import index_frame, index_frames, index_uploads, read_frames
from demo.service.registry import ModelRegistry
from demo.service.session import SessionData
from demo.service.stored import folder_status
from demo.views.camera import look_value
from demo.views.indexing import indexing_text
from demo.views.state import RANKED, ViewState
from demo.views.viewer import shown_record
from seps.progress import map_progress

PREFIX = "page_"  # of the endpoints' names
CAMERA_NAME = "camera.jpg"
LONGEST_PICTURE = 400_000  # characters of a frame of a camera, a JPEG in base64


class PageActions(ExportActions):
    """What the page asks for.

    Args:
        registry: of the app's models and galleries; folder: of the uploads, its links resolved.
    """

    def __init__(self, registry: ModelRegistry, folder: Path) -> None:
        self._registry = registry
        self._folder = folder
        self.calls: dict[str, Call] = {}

    def start(self) -> dict[str, Any]:
        """Return what the page needs to know first, and how each endpoint is called."""
        return start_value(self._registry) | {"calls": {name: asdict(call) for name, call in self.calls.items()}}

    def gallery(self, session: SessionData, gallery: str, progress: gr.Progress = PROGRESS) -> dict[str, Any]:
        """Open a gallery, which may fetch and encode photographs."""
        return gallery_value(*self._registry.open(gallery, progress.tqdm, session))

    def rank(
        self,
        session: SessionData,
        gallery: str,
        index: float,
        caption: str,
        dense: str = "",
        ratio: float | None = None,
        name: str = "",
        count: float = RANKED,
        other: str = "",
    ) -> dict[str, Any]:
        """Rank a gallery for a caption, see `ranked`."""
        service, indexed = self._registry.find(gallery, session)
        state = ViewState(gallery, at(index, len(indexed)), caption, dense or None, name=cleaned(name), other=other)
        return ranked(service, indexed, state, ratio, at(count, MOST_RANKED + 1))

    def rank_all(
        self,
        session: SessionData,
        gallery: str,
        index: float,
        caption: str,
        dense: str = "",
        name: str = "",
        count: float = RANKED,
        progress: gr.Progress = PROGRESS,
    ) -> dict[str, Any]:
        """Rank a large gallery for a caption by exact scores of all its photographs."""
        service, indexed = self._registry.find(gallery, session)
        place = at(index, len(indexed))
        state = ViewState(gallery, place, caption, dense or None, name=cleaned(name), exhaustive=True)
        return ranked(service, indexed, state, None, at(count, MOST_RANKED + 1), progress.tqdm)

    def locate(self, session: SessionData, gallery: str, photo: str) -> dict[str, Any]:
        """Return a photograph of a gallery by its key, for those that `gallery` leaves out."""
        service, indexed = self._registry.find(gallery, session)
        return item_value(service, indexed, indexed.gallery.position(photo))

    def indexing(self) -> dict[str, Any]:
        """Return how far the large folder is indexed, in a sentence, and whether it goes on."""
        status = folder_status(self._registry.photos)
        if status is None:
            return {"says": "", "running": False}
        return {"says": indexing_text(status), "running": status.running}

    def explain(
        self,
        session: SessionData,
        gallery: str,
        index: float,
        caption: str,
        dense: str = "",
        layer: str = "mask",
        mask: str = "",
        budget: float = 0,
    ) -> dict[str, Any]:
        """Explain one photograph and one caption, under the decision of `mask` where one is given."""
        return explained(*self._state(session, gallery, index, caption, dense, layer, mask, budget))

    def measure(
        self,
        session: SessionData,
        gallery: str,
        index: float,
        caption: str,
        dense: str = "",
        layer: str = "mask",
        mask: str = "",
        progress: gr.Progress = PROGRESS,
    ) -> dict[str, Any]:
        """Explain with a layer that takes long to measure."""
        service, indexed, state = self._state(session, gallery, index, caption, dense, layer, mask, 0)
        shown_record(service, indexed, state, progress.tqdm)
        return explained(service, indexed, state)

    def captions(
        self, session: SessionData, gallery: str, index: float, pool: str = "", typed: str = "", caption: str = ""
    ) -> dict[str, Any]:
        """Rank captions for a photograph, see `ranked_captions`."""
        service, indexed = self._registry.find(gallery, session)
        return ranked_captions(self._registry, service, indexed, at(index, len(indexed)), pool, typed, caption)

    def compare(
        self, session: SessionData, gallery: str, index: float, captions: str, layer: str = "mask"
    ) -> dict[str, Any]:
        """Set captions, one per line, side by side on a photograph."""
        service, indexed = self._registry.find(gallery, session)
        return compared(service, indexed, at(index, len(indexed)), captions, layer)

    def contrast(
        self,
        session: SessionData,
        gallery: str,
        index: float,
        caption: str,
        against: float = -1,
        other: str = "",
        dense: str = "",
    ) -> dict[str, Any]:
        """Set two photographs for a caption, or two captions for a photograph, side by side."""
        service, indexed = self._registry.find(gallery, session)
        pair = [None if place == -1 else at(place, len(indexed)) for place in (index, against)]
        return contrasted(service, indexed, pair[0], pair[1], caption, other, dense)

    def photos(
        self, session: SessionData, photos: list[Upload] | None, progress: gr.Progress = PROGRESS
    ) -> tuple[dict[str, Any], SessionData]:
        """Take a person's own photographs into their session."""
        if not photos:
            raise ValueError(say("page.no_photo"))
        indexed = index_uploads(self._registry.photos, photos, progress.tqdm, session.uploads)
        return self._taken(replace(session, uploads=indexed), indexed)

    def look(self, gallery: str, caption: str, frame: str) -> dict[str, Any]:
        """Return what a caption keeps of a frame of a camera, which is forgotten with the answer."""
        return look_value(self._registry.of(gallery), picture_of(frame), caption)

    def freeze(self, session: SessionData, frame: str) -> tuple[dict[str, Any], SessionData]:
        """Take a frame of a camera into the session."""
        indexed = index_frame(self._registry.photos, CAMERA_NAME, picture_of(frame), say("camera.switch"))
        return self._taken(replace(session, camera=indexed), indexed)

    def video(
        self, session: SessionData, file: str, progress: gr.Progress = PROGRESS
    ) -> Iterator[tuple[dict[str, Any], SessionData]]:
        """Read and encode a video that was uploaded, and remove its file; a call that is cancelled ends it."""
        path, service = find_sent_file(file, self._folder), self._registry.photos

        def reading(count: int) -> tuple[Any, Any]:
            progress((count, None), desc=say("page.reading_video"), unit="frames")
            return gr.skip(), gr.skip()

        def encoding(count: int) -> tuple[Any, Any]:
            progress((count, len(gallery)), desc=say("page.encoding_video"), unit="frames")
            return gr.skip(), gr.skip()

        try:
            yield reading(0)
            gallery = yield from map_progress(read_frames(path), reading)
        finally:
            with suppress(OSError):
                path.unlink()
        indexed = yield from map_progress(index_frames(service, gallery), encoding)
        yield self._taken(replace(session, video=indexed), indexed)

    def _taken(self, session: SessionData, indexed: GalleryInMemory) -> tuple[dict[str, Any], SessionData]:
        return gallery_value(self._registry.photos, indexed), session


TABLE: tuple[tuple[Callable[..., Any], dict[str, Any]], ...] = (
    (PageActions.start, AT_ONCE),
    (PageActions.gallery, OPENING),
    (PageActions.rank, AT_ONCE),
    (PageActions.rank_all, OPENING),
    (PageActions.locate, AT_ONCE),
    (PageActions.indexing, AT_ONCE),
    (PageActions.explain, AT_ONCE),
    (PageActions.measure, MEASURING),
    (PageActions.captions, OPENING),
    (PageActions.compare, AT_ONCE),
    (PageActions.contrast, AT_ONCE),
    (PageActions.photos, OPENING),
    (PageActions.look, AT_ONCE),
    (PageActions.freeze, OPENING),
    (PageActions.video, READING),
    (PageActions.lesson, AT_ONCE),
    (PageActions.losses, AT_ONCE),
    (PageActions.claims, OPENING),
    (PageActions.guide, AT_ONCE),
    (PageActions.paper, AT_ONCE),
    (PageActions.edit, OPENING),
    (PageActions.judge, OPENING),
    (PageActions.degrade, OPENING),
    (PageActions.several, OPENING),
    (PageActions.generate, GENERATING),
    (PageActions.recaption, OPENING),
    (PageActions.save_pair, DRAWING),
    (PageActions.save_ranking, OPENING),
    (PageActions.save_captions, OPENING),
    (PageActions.save_film, DRAWING),
    (PageActions.save_compare, DRAWING),
    (PageActions.save_contrast, DRAWING),
    (PageActions.save_lesson, DRAWING),
    (PageActions.save_edit, OPENING),
    (PageActions.save_judge, OPENING),
    (PageActions.save_several, OPENING),
    (PageActions.save_drawing, GENERATING),
)


@dataclass(frozen=True)
class Call:
    """How the page calls an endpoint.

    Attributes:
        id: of its event in Gradio; names: of its values, in order; waits: whether it goes through the queue.
    """

    id: int
    names: tuple[str, ...]
    waits: bool


def register(actions: PageActions) -> None:
    """Register the table in the Blocks that are open; the components are never shown."""
    session = gr.State(SessionData())
    with gr.Column(visible=False):
        button = gr.Button("call")
        for method, options in TABLE:
            parameters = [each for each in signature_of(method).parameters.values() if is_input(each)]
            answer = gr.JSON(label="answer")
            event = button.click(
                bound(method, actions),
                [component_of(each, session) for each in parameters],
                [answer, session] if "tuple" in str(method.__annotations__["return"]) else answer,
                api_name=PREFIX + method.__name__,
                api_visibility="undocumented",
                trigger_mode="multiple",
                **options,
            )
            names = tuple(each.name for each in parameters)
            actions.calls[method.__name__] = Call(event["id"], names, options.get("queue", True))


def signature_of(method: Callable[..., Any]) -> inspect.Signature:
    """Return the signature of a method without `self`, its annotations evaluated."""
    signature = inspect.signature(method, eval_str=True)
    return signature.replace(parameters=list(signature.parameters.values())[1:])


def bound(method: Callable[..., Any], actions: PageActions) -> Callable[..., Any]:
    """Return the method of the actions, in which None stands for a default; Gradio finds the progress in its
    signature."""
    signature = signature_of(method)
    defaults = ["" if each.default is each.empty else each.default for each in signature.parameters.values()]

    def filled(values: Sequence[Any]) -> list[Any]:
        return [default if is_left_out(value) else value for value, default in zip(values, defaults, strict=False)]

    if inspect.isgeneratorfunction(method):

        @wraps(method)
        def run(*values: Any) -> Any:
            steps = method(actions, *filled(values))
            while True:
                with for_page():
                    try:
                        step = next(steps)
                    except StopIteration:
                        return
                yield step

    else:

        @wraps(method)
        def run(*values: Any) -> Any:
            with for_page():
                return method(actions, *filled(values))

    run.__signature__ = signature  # type: ignore[attr-defined]
    return run


def is_left_out(value: Any) -> bool:
    """Return whether a call leaves a value to its default: the guard turns null into an empty text."""
    return value is None or value == ""


def is_input(parameter: inspect.Parameter) -> bool:
    """Return whether a call gives a value for a parameter of a method."""
    return parameter.name != "progress"


def component_of(parameter: inspect.Parameter, session: gr.State) -> Any:
    """Return the component that checks a parameter's value, see `demo.server.guard`; a default makes it optional."""
    kind, name = parameter.annotation, parameter.name
    default = None if parameter.default is inspect.Parameter.empty else parameter.default
    if kind is SessionData:
        return session
    if kind is str:
        return gr.Textbox(default, label=name)
    if kind is bool:
        return gr.Checkbox(bool(default), label=name)
    if kind in (float, float | None):
        return gr.Number(default, label=name)
    return takes_uploads(gr.File(label=name, file_count="multiple"), several=True)


def picture_of(frame: str) -> bytes:
    """Return the bytes of a frame in base64; ValueError where it is none, or too long."""
    if len(frame) > LONGEST_PICTURE:
        raise ValueError(say("page.long_frame", count=len(frame), limit=LONGEST_PICTURE))
    try:
        return b64decode(frame, validate=True)
    except ValueError as error:
        raise ValueError(say("page.no_frame")) from error

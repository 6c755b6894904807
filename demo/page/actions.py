"""The page's own endpoints, next to those for programs. The server keeps only a person's own pictures, in
`SessionData`."""

from base64 import b64decode
from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import asdict
from pathlib import Path
from typing import Any

import gradio as gr

from demo.galleries.indexes.index import GalleryInMemory, index_in_steps
from demo.galleries.sources.folder import OWN_VIDEO, UPLOADS
from demo.galleries.sources.video import read_video
from demo.page.exports import ExportActions
from demo.page.questions import DecidedPair, Pair, Photo, Two, at
from demo.page.table import AT_ONCE, DRAWING, GENERATING, MEASURING, OPENING, PROGRESS, READING, Action, Call
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
from demo.record.texts.table import say
from demo.server.files.uploads import Upload, find_sent_file
from demo.service.captions import cleaned
from demo.service.models.personal import SessionData, encoder_of, index_frame, index_uploads
from demo.service.models.registry import ModelRegistry
from demo.service.models.stored import folder_status
from demo.views.photos import indexing_text
from demo.views.state import RANKED, ViewState
from demo.views.viewer import look_value, shown_record
from seps.common.progress import map_progress

CAMERA_NAME = "camera.jpg"
LONGEST_PICTURE = 400_000  # characters of a frame of a camera, a JPEG in base64


class PageActions(ExportActions):
    """Actions that the page calls; `folder`: of the uploads, its links resolved."""

    def __init__(self, registry: ModelRegistry, folder: Path) -> None:
        self._registry = registry
        self._folder = folder
        self.calls: Mapping[str, Call] = {}

    def start(self) -> dict[str, Any]:
        """Return what the page needs to know first, and how each endpoint is called."""
        return start_value(self._registry) | {"calls": {name: asdict(call) for name, call in self.calls.items()}}

    def gallery(self, session: SessionData, gallery: str, progress: gr.Progress = PROGRESS) -> dict[str, Any]:
        """Open a gallery, which may fetch and encode photographs."""
        return gallery_value(*self._registry.open(gallery, progress.tqdm, session))

    def rank(
        self, pair: Pair, ratio: float | None = None, name: str = "", count: float = RANKED, other: str = ""
    ) -> dict[str, Any]:
        """Rank a gallery for a caption, see `ranked`."""
        service, indexed, index = pair.find(self._registry)
        state = ViewState(pair.gallery, index, pair.caption, pair.dense or None, name=cleaned(name), other=other)
        return ranked(service, indexed, state, ratio, at(count, MOST_RANKED + 1))

    def rank_all(
        self, pair: Pair, name: str = "", count: float = RANKED, progress: gr.Progress = PROGRESS
    ) -> dict[str, Any]:
        """Rank a large gallery for a caption by exact scores of all its photographs."""
        service, indexed, index = pair.find(self._registry)
        state = ViewState(pair.gallery, index, pair.caption, pair.dense or None, name=cleaned(name), exhaustive=True)
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

    def explain(self, pair: DecidedPair, layer: str = "mask", budget: float = 0) -> dict[str, Any]:
        """Explain one photograph and one caption, under the decision of `mask` where one is given."""
        return explained(*pair.read(self._registry, layer, budget))

    def measure(self, pair: DecidedPair, layer: str = "mask", progress: gr.Progress = PROGRESS) -> dict[str, Any]:
        """Explain with a layer that takes long to measure."""
        service, indexed, state = pair.read(self._registry, layer)
        shown_record(service, indexed, state, progress.tqdm)
        return explained(service, indexed, state)

    def captions(self, photo: Photo, pool: str = "", typed: str = "", caption: str = "") -> dict[str, Any]:
        """Rank captions for a photograph, see `ranked_captions`."""
        return ranked_captions(self._registry, *photo.find(self._registry), pool, typed, caption)

    def compare(self, photo: Photo, captions: str, layer: str = "mask") -> dict[str, Any]:
        """Set captions, one per line, side by side on a photograph."""
        return compared(*photo.find(self._registry), captions, layer)

    def contrast(self, two: Two) -> dict[str, Any]:
        """Set two photographs for a caption, or two captions for a photograph, side by side."""
        return contrasted(*two.read(self._registry))

    def photos(
        self, session: SessionData, photos: list[Upload] | None, progress: gr.Progress = PROGRESS
    ) -> dict[str, Any]:
        """Take a person's own photographs into their session."""
        if not photos:
            raise ValueError(say("page.no_photo"))
        indexed = index_uploads(self._registry.photos, photos, progress.tqdm, session.get(UPLOADS))
        return self._taken(session, indexed)

    def look(self, gallery: str, caption: str, frame: str) -> dict[str, Any]:
        """Return what a caption keeps of a frame of a camera, which is forgotten with the answer."""
        return look_value(self._registry.of(gallery), CAMERA_NAME, picture_of(frame), caption)

    def freeze(self, session: SessionData, frame: str) -> dict[str, Any]:
        """Take a frame of a camera into the session."""
        indexed = index_frame(self._registry.photos, CAMERA_NAME, picture_of(frame), say("camera.switch"))
        return self._taken(session, indexed)

    def video(self, session: SessionData, file: str, progress: gr.Progress = PROGRESS) -> Iterator[dict[str, Any]]:
        """Read and encode a video that was uploaded, and remove its file; a call that is cancelled ends it."""
        path, service = find_sent_file(file, self._folder), self._registry.photos

        def reading(count: int) -> Any:
            progress((count, None), desc=say("page.reading_video"), unit="frames")
            return gr.skip()

        def encoding(count: int) -> Any:
            progress((count, len(gallery)), desc=say("page.encoding_video"), unit="frames")
            return gr.skip()

        try:
            yield reading(0)
            gallery = yield from map_progress(read_video(path, OWN_VIDEO), reading)
        finally:
            with suppress(OSError):
                path.unlink()
        steps = index_in_steps(service.model, gallery, None, encode=encoder_of(service))
        indexed = yield from map_progress(steps, encoding)
        yield self._taken(session, indexed)

    def _taken(self, session: SessionData, indexed: GalleryInMemory) -> dict[str, Any]:
        session.add(indexed)
        return gallery_value(self._registry.photos, indexed)


def page_actions(actions: PageActions) -> list[Action]:
    """Return the table of actions: rows of a queue and the actions that wait in it."""
    rows: list[tuple[Any, ...]] = [
        (AT_ONCE, actions.start, actions.locate, actions.indexing, actions.rank, actions.explain, actions.look),
        (AT_ONCE, actions.compare, actions.contrast, actions.lesson, actions.losses, actions.guide, actions.paper),
        (OPENING, actions.gallery, actions.rank_all, actions.captions, actions.photos, actions.freeze),
        (OPENING, actions.claims, actions.edit, actions.judge, actions.degrade, actions.several, actions.recaption),
        (OPENING, actions.save_ranking, actions.save_captions, actions.save_edit),
        (OPENING, actions.save_judge, actions.save_several),
        (MEASURING, actions.measure),
        (READING, actions.video),
        (DRAWING, actions.save_pair, actions.save_film, actions.save_compare),
        (DRAWING, actions.save_contrast, actions.save_lesson),
        (GENERATING, actions.generate, actions.save_drawing),
    ]
    return [Action(method, queue) for queue, *methods in rows for method in methods]


def picture_of(frame: str) -> bytes:
    """Return the bytes of a frame in base64; ValueError where it is none, or too long."""
    if len(frame) > LONGEST_PICTURE:
        raise ValueError(say("page.long_frame", count=len(frame), limit=LONGEST_PICTURE))
    try:
        return b64decode(frame, validate=True)
    except ValueError as error:
        raise ValueError(say("page.no_frame")) from error

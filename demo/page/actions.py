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
from demo.page import values
from demo.page.exports import ExportActions
from demo.page.pictures import addressed_photo
from demo.page.questions import DecidedPair, Pair, Photo, Two, Walked, at
from demo.page.table import AT_ONCE, DRAWING, GENERATING, MEASURING, OPENING, PROGRESS, READING, Action, Call
from demo.record.texts.table import listed, say
from demo.server.files.uploads import Upload, find_sent_file
from demo.service.captions import cleaned
from demo.service.models.personal import SessionData, encoder_of, index_frame, index_uploads
from demo.service.models.registry import ModelRegistry
from demo.service.models.stored import folder_status
from demo.views.captions import captions_value
from demo.views.lesson.steps import STEPS
from demo.views.lesson.walk import walk_value
from demo.views.losses.claims import claims_value, run_claim
from demo.views.losses.page import guide_page, task_guide
from demo.views.losses.values import playground_value
from demo.views.paper.values import page as paper_page
from demo.views.photos import indexing_text
from demo.views.state import NO_POOL, RANKED, ViewState
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
        return values.start_value(self._registry) | {"calls": {name: asdict(call) for name, call in self.calls.items()}}

    def gallery(self, session: SessionData, gallery: str, progress: gr.Progress = PROGRESS) -> dict[str, Any]:
        """Open a gallery, which may fetch and encode photographs."""
        return values.gallery_value(*self._registry.open(gallery, progress.tqdm, session))

    def rank(
        self, pair: Pair, ratio: float | None = None, name: str = "", count: float = RANKED, other: str = ""
    ) -> dict[str, Any]:
        """Rank a gallery for a caption, see `values.ranked`."""
        service, indexed, index = pair.find(self._registry)
        state = ViewState(pair.gallery, index, pair.caption, pair.dense or None, name=cleaned(name), other=other)
        return values.ranked(service, indexed, state, ratio, at(count, values.MOST_RANKED + 1))

    def rank_all(
        self, pair: Pair, name: str = "", count: float = RANKED, progress: gr.Progress = PROGRESS
    ) -> dict[str, Any]:
        """Rank a large gallery for a caption by exact scores of all its photographs."""
        service, indexed, index = pair.find(self._registry)
        state = ViewState(pair.gallery, index, pair.caption, pair.dense or None, name=cleaned(name), exhaustive=True)
        return values.ranked(service, indexed, state, None, at(count, values.MOST_RANKED + 1), progress.tqdm)

    def locate(self, session: SessionData, gallery: str, photo: str) -> dict[str, Any]:
        """Return a photograph of a gallery by its key, for those that `gallery` leaves out."""
        service, indexed = self._registry.find(gallery, session)
        return values.item_value(service, indexed, indexed.gallery.position(photo))

    def indexing(self) -> dict[str, Any]:
        """Return how far the large folder is indexed, in a sentence, and whether it goes on."""
        status = folder_status(self._registry.photos)
        return {"says": indexing_text(status) if status else "", "running": status is not None and status.running}

    def explain(self, pair: DecidedPair, layer: str = "mask", budget: float = 0) -> dict[str, Any]:
        """Explain one photograph and one caption, under the decision of `mask` where one is given."""
        return values.explained(*pair.read(self._registry, layer, budget))

    def measure(self, pair: DecidedPair, layer: str = "mask", progress: gr.Progress = PROGRESS) -> dict[str, Any]:
        """Explain with a layer that takes long to measure."""
        service, indexed, state = pair.read(self._registry, layer)
        shown_record(service, indexed, state, progress.tqdm)
        return values.explained(service, indexed, state)

    def captions(self, photo: Photo, pool: str = "", typed: str = "", caption: str = "") -> dict[str, Any]:
        """Rank captions for a photograph: of a pool (NO_POOL for none, "" to choose one) and typed ones, one per line;
        `caption` is selected, else the best."""
        service, indexed, index = photo.find(self._registry)
        if pool and pool not in (*service.names, NO_POOL):
            raise ValueError(say("page.no_pool", pool=pool, names=listed([*service.names, NO_POOL])))
        if not pool:
            own = indexed.gallery.items[index].captions
            pool = indexed.gallery.name if own and indexed.gallery.name in service.names else service.first
        if pool != NO_POOL:
            self._registry.open(pool)
        ranking = service.rank_captions(indexed, index, None if pool == NO_POOL else pool, typed)
        chosen = caption if caption in ranking.captions else ranking.captions[0]
        return captions_value(ranking) | {"pool": pool, "caption": chosen}

    def compare(self, photo: Photo, captions: str, layer: str = "mask") -> dict[str, Any]:
        """Set captions, one per line, side by side on a photograph."""
        return values.compared(*photo.find(self._registry), captions, layer)

    def contrast(self, two: Two) -> dict[str, Any]:
        """Set two photographs for a caption, or two captions for a photograph, side by side."""
        return values.contrasted(*two.read(self._registry))

    def lesson(self, walked: Walked, step: float = 1) -> dict[str, Any]:
        """Walk through the method on one photograph; step: 1 to 9, the one to show."""
        request = walked.read(self._registry)
        value = walk_value(request, 1 + at(step - 1, STEPS))
        return value | {"photo": addressed_photo(request.service, request.indexed, request.index)}

    def losses(self, margin: float = 0.2, mining: str = "all", mask_ids: bool = True) -> dict[str, Any]:
        """Return the losses on a batch under settings."""
        return playground_value(self._registry.photos, margin, mining, mask_ids)

    def claims(self, claim: str = "", progress: gr.Progress = PROGRESS) -> dict[str, Any]:
        """Return the claims; the one that is named is measured on the live model."""
        if not claim:
            return claims_value()
        progress(0, desc=say("app.measuring"))
        return claims_value({claim: run_claim(self._registry.photos, claim)})

    def guide(self) -> dict[str, Any]:
        """Return the training guide's advice, as HTML that this app has written, and which loss fits which task."""
        return {"html": guide_page(), "tasks": task_guide()}

    def paper(self) -> dict[str, Any]:
        """Return where the paper and its released code differ, as HTML that this app has written."""
        return {"html": paper_page(self._registry.photos)}

    def photos(
        self, session: SessionData, photos: list[Upload] | None, progress: gr.Progress = PROGRESS
    ) -> dict[str, Any]:
        """Take a person's own photographs into their session."""
        if not photos:
            raise ValueError(say("page.no_photo"))
        return self._taken(session, index_uploads(self._registry.photos, photos, progress.tqdm, session.get(UPLOADS)))

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
        return values.gallery_value(self._registry.photos, indexed)


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

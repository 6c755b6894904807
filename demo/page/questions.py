"""Groups of inputs that calls name (see `demo.page.table`)."""

import json
from dataclasses import dataclass, replace

from demo.galleries.indexes.index import IndexedGallery
from demo.record.settings import evaluation_knobs, read_knobs
from demo.record.texts.table import say
from demo.server.files.uploads import Upload
from demo.service.captions import read_caption, read_pair
from demo.service.models.personal import SessionData, index_uploads
from demo.service.models.registry import ModelRegistry
from demo.service.retrieval import RetrievalService
from demo.views.lesson.walk import WalkRequest
from demo.views.state import ViewState
from demo.views.why.values import WhyState, first_two

MAX_KNOBS = 2000  # characters


def at(place: float | str, count: int) -> int:
    """Return one of `count` positions; ValueError for anything else, and for "", where none was given."""
    if isinstance(place, str) or place not in range(count):
        named = "missing" if isinstance(place, str) else f"{place:g}"[:20]
        raise ValueError(say("page.no_place", place=named, last=count - 1))
    return int(place)


@dataclass(frozen=True)
class Photo:
    """A photograph of an open gallery, by its position."""

    session: SessionData
    gallery: str
    index: float

    def find(self, registry: ModelRegistry) -> tuple[RetrievalService, IndexedGallery, int]:
        """Return its model's service, its gallery and its position; ValueError for one that is not there."""
        service, indexed = registry.find(self.gallery, self.session)
        return service, indexed, at(self.index, len(indexed))


@dataclass(frozen=True)
class Pair(Photo):
    """A photograph and a caption, with a dense one or none."""

    caption: str
    dense: str = ""


@dataclass(frozen=True)
class DecidedPair(Pair):
    """A pair under a decision by hand, see `demo.service.masks`, or the model's own."""

    mask: str = ""

    def read(
        self, registry: ModelRegistry, layer: str = "mask", budget: float = 0
    ) -> tuple[RetrievalService, IndexedGallery, ViewState]:
        """Return its model's service, its gallery, and the state with captions as read; errors as `read_pair`."""
        service, indexed, index = self.find(registry)
        text, dense = read_pair(service.model, self.caption, self.dense)
        state = ViewState(self.gallery, index, text, dense, layer, mask=self.mask)
        return service, indexed, replace(state, budget=at(budget, service.model.cross_net.num_patches + 1))


@dataclass(frozen=True)
class Two:
    """Two photographs for a caption, -1 for the best and the next one, or two captions for a photograph."""

    session: SessionData
    gallery: str
    index: float
    caption: str
    against: float = -1
    other: str = ""
    dense: str = ""

    def read(self, registry: ModelRegistry) -> tuple[RetrievalService, IndexedGallery, WhyState]:
        """Return the service, the gallery and the state; ValueError for an invalid caption, or too few photographs."""
        service, indexed = registry.find(self.gallery, self.session)
        index, against = (None if place == -1 else at(place, len(indexed)) for place in (self.index, self.against))
        text, dense = read_pair(service.model, self.caption, self.dense)
        other = read_caption(service.model, self.other).text if self.other.strip() else ""
        other = "" if other == text else other
        if not other and len(indexed) < 2:
            raise ValueError(say("page.one_photo"))
        left, right = first_two(service.rank_images(indexed, text, dense), index, against)
        against, dense = (left, None) if other else (right, dense)
        return service, indexed, WhyState(self.gallery, left, text, dense, against=against, other=other)


@dataclass(frozen=True)
class Walked(Pair):
    """A pair in the lesson, under settings, a JSON object of those that are not usual, and a decision by hand."""

    knobs: str = ""
    mask: str = ""

    def read(self, registry: ModelRegistry) -> WalkRequest:
        """Return the lesson's request; ValueError for knobs that are no JSON object, and as `read_knobs`."""
        service, indexed, index = self.find(registry)
        try:
            given = json.loads(self.knobs or "{}") if len(self.knobs) <= MAX_KNOBS else None
        except (ValueError, RecursionError):
            given = None
        if not isinstance(given, dict):
            raise ValueError(say("page.no_object"))
        knobs = read_knobs(given, evaluation_knobs(service.model))
        return WalkRequest(service, indexed, index, self.caption, self.dense or None, knobs, self.mask)


@dataclass(frozen=True)
class Picture:
    """A photo that a call names: a file, or None with item, a gallery's photo as "gallery/photo"."""

    photo: Upload | None = None
    item: str = ""

    def find(self, registry: ModelRegistry) -> tuple[RetrievalService, IndexedGallery, int]:
        """Return its service, its gallery and its index; ValueError where none is named or none is there."""
        if self.photo is not None:
            return registry.photos, index_uploads(registry.photos, [self.photo]), 0
        if not self.item:
            raise ValueError(
                'No photo is named: give photo, a file, or item, a photo of a gallery, such as "examples/coffee".'
            )
        gallery, _, key = self.item.partition("/")
        service, indexed = registry.open(gallery)
        return service, indexed, indexed.gallery.position(key)

"""What a view shows, and the link that leads there."""

from __future__ import annotations

from dataclasses import dataclass
from urllib.parse import urlencode

from demo.galleries.index import IndexedGallery
from demo.service.ranking import Candidates
from demo.service.retrieval import RetrievalService
from demo.service.session import SessionData

NO_POOL = "typed ones alone"  # the choice of no captions but those that a person types
RANKED = 24  # photographs of a ranking that are sent to the browser


@dataclass(frozen=True)
class ViewState:
    """The pair that a view shows, and how it is drawn.

    Attributes:
        gallery: name; index: of the photograph in it; caption, dense: as read.
        layer, opacity, lines: how the picture is drawn; objects: whether a scene's true objects are outlined.
        mask: a decision by hand, see `demo.service.masks`, or empty for the model's own; budget: of patches in the game
            of keeping that many, 0 where it is not played.
        name: what file names must hold; exhaustive: whether all of a large gallery were scored for this caption.
        other: a second caption, as read: in Photos of a video, in Why of the left photograph; or empty.
    """

    gallery: str = ""
    index: int = 0
    caption: str = ""
    dense: str | None = None
    layer: str = "mask"
    opacity: float = 0.75
    lines: bool = True
    objects: bool = False
    mask: str = ""
    budget: int = 0
    name: str = ""
    exhaustive: bool = False
    other: str = ""

    @property
    def candidates(self) -> Candidates:
        """Which photographs are ranked."""
        return Candidates(name=self.name, exhaustive=self.exhaustive)


@dataclass(frozen=True)
class SelectedImage:
    """A photograph in a gallery; `session` holds what was the person's own when it was chosen."""

    gallery: str
    index: int
    session: SessionData | None = None


def link_to(service: RetrievalService, view: str, indexed: IndexedGallery, state: ViewState) -> str | None:
    """Return the query that reproduces a view but for its layer; None for what is a person's own, which is not kept."""
    item, public = indexed.gallery.items[state.index], service.galleries.get(indexed.gallery.name)
    if public is None or public.gallery.items[state.index] is not item:
        return None
    values = {
        "view": view,
        "model": service.name,
        "gallery": indexed.gallery.name,
        "photo": item.key,
    }
    values |= {"caption": state.caption} | ({"dense": state.dense} if state.dense else {})
    values |= {"other": state.other} if view == "search" and indexed.gallery.timed and state.other else {}
    return "?" + urlencode(values)

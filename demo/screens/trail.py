"""Back and Forward of the browser: what each view showed is kept for the session, and brought back as it was.

assets/js/page/trail.js makes the entries. An address leads to most of them too; what it cannot bring back, a person's
own photographs and finished drawings, comes from here.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from itertools import chain
from typing import Any
from urllib.parse import parse_qsl

import gradio as gr

from demo.screens.link import LinkedView, read_query
from demo.screens.parts import ANSWERING, scripted
from demo.server.detail import Detail
from demo.service.registry import ModelRegistry
from demo.service.session import SessionData

MAX_KEPT = 40  # of what was shown; the oldest goes first
# Of an address, what was asked for; the others are how it is drawn (assets/js/page/address.js has them too).
ASKED = ("model", "gallery", "photo", "caption", "dense", "other", "against", "typed", "pool")
KEEPING: dict[str, Any] = {
    "api_visibility": "private",
    "show_progress": "hidden",
    "trigger_mode": "multiple",
    "queue": False,
}
Fill = Callable[[str, Mapping[str, str]], list[Any]]


@dataclass(frozen=True)
class Shown:
    """What a view showed: its name, its states, and the title of its photograph, or empty."""

    view: str
    states: tuple[Any, ...]
    photo: str = ""


@dataclass(frozen=True)
class Trail:
    """What was shown in a session, by the number that the browser gave it, the newest last."""

    shown: Mapping[str, Shown] = field(default_factory=dict)

    def keep(self, number: str, shown: Shown) -> Trail:
        """With one more, or with one as it is now."""
        others = [(name, entry) for name, entry in self.shown.items() if name != number]
        return Trail(dict([*others, (number, shown)][-MAX_KEPT:]))

    @property
    def nbytes(self) -> int:
        """How much memory it takes, nearly: each photograph and drawing once, however many states hold it."""
        states = chain.from_iterable(entry.states for entry in self.shown.values())
        held = [getattr(getattr(state, "selected", state), name, None) for state in states for name in HOLDING]
        return sum({id(state): state.nbytes for state in held if state is not None}.values())


HOLDING = ("session", "own", "drawn")  # what of a view's state is a person's own


def connect(registry: ModelRegistry, views: Mapping[str, LinkedView], session: gr.State, fill: Fill) -> None:
    """Keep what the views show when the browser says so, and bring it back when it asks.

    Args:
        session: holds a `SessionData`; fill: a view's values for a query, where nothing was kept.
    """
    component = scripted("trail", "seps-trail", "trail", ("keep", "back"))
    trail = gr.State(Trail())
    outputs = list(chain(*(view.outputs for view in views.values())))
    states = list(chain(*(view.kept for view in views.values())))

    def keep(trail: Trail, event: Detail, *values: Any) -> Trail:
        left, name = iter(values), event.text("view")
        kept = {other: tuple(next(left) for _ in view.kept) for other, view in views.items()}
        if name not in kept:
            return trail
        return trail.keep(event.text("content"), Shown(name, kept[name], event.text("photo")))

    component.keep(keep, [trail, *states], trail, **KEEPING)

    def back(trail: Trail, session: SessionData, event: Detail) -> list[Any]:
        name, query = event.text("view"), read_query(dict(parse_qsl(event.text("query").lstrip("?"))))
        if name not in views:
            return [gr.skip()] * len(outputs)
        values = brought_back(registry, views[name], session, query, trail.shown.get(event.text("content")))
        restored = {name: values if values is not None else fill(name, query)}
        return list(chain(*(restored.get(other, [gr.skip()] * len(view.outputs)) for other, view in views.items())))

    component.back(back, [trail, session], outputs, **ANSWERING)


def brought_back(
    registry: ModelRegistry,
    view: LinkedView,
    session: SessionData,
    query: Mapping[str, str],
    shown: Shown | None,
) -> list[Any] | None:
    """Return a view's values as they were kept; None where nothing was, where what was shown is not there any more, or
    where the address leads to something else: kept a moment late, a state may be that of what came next."""
    if shown is None or view.again is None:
        return None
    try:
        values = view.again(registry, session, {"photo": shown.photo, **query}, *shown.states)
    except ValueError:
        return None
    picture = values[view.outputs.index(view.picture)]
    return values if is_of(picture, query) else None


def is_of(picture: Any, query: Mapping[str, str]) -> bool:
    """Return whether a picture's value answers what an address asks for; one of a person's own has no link, and may."""
    link = picture.get("link") if isinstance(picture, Mapping) else None
    answered = dict(parse_qsl((link or "").lstrip("?")))
    return not link or all(query[name] == answered.get(name) for name in ASKED if name in query)

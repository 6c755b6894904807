"""What a link's query leads to: the pair, the layer and the view, or what is wrong with it."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

import gradio as gr

from demo.galleries.scenes import SCENES
from demo.record.layers import Layer
from demo.record.table import say
from demo.screens.chooser import SelectedImage
from demo.screens.examples import examples_of
from demo.screens.parts import ViewState, opening
from demo.service.captions import MAX_CHARACTERS, read_caption
from demo.service.masks import read_mask
from demo.service.registry import ModelRegistry, OpenedGallery
from seps.progress import Progress

VIEWS = ("search", "captions", "compare", "why", "edit", "judge", "generate", "lesson", "losses", "paper", "about")
OWN_CAPTIONS = ("compare", "judge", "generate")  # views that read what a link has as a caption in their own way
# What is so, or is not.
FLAGS = {"grid": "01", "objects": "01", "talk": "01", "embed": "01", "use_dense": ("True", "False")}
BLANK = " \t\r\n\0"  # what a text that is left empty may hold
TEXTS = ("caption", "dense", "other", "typed", "mask")  # what is long in a link
# Characters of a link's texts that are read, Compare's six captions and what is told of a seventh, and of all else.
LONGEST, LONGEST_NAME = 7 * MAX_CHARACTERS, 300


@dataclass(frozen=True)
class Link:
    """What a query leads to; without one, the worked example.

    Attributes:
        view: the view in sight; selected: the photograph.
        caption: as the link has it, or empty; dense: a dense caption, or empty; example: the caption that stands where
            neither the link nor the photograph that it names has one.
        layer: as `Layer` writes it; has_photo: whether the link names a photograph.
        opacity: of the layer, 0 to 1; lines: whether the grid is drawn; objects: whether true objects are outlined.
        mask: in Photos, a decision by hand as `ViewState` holds it; budget: of the game there.
        values: the whole query, for what one view alone reads; empty where something is wrong with it.
        problem: what is wrong with it, or empty.
    """

    view: str
    selected: SelectedImage
    caption: str
    dense: str
    example: str
    layer: str = "mask"
    has_photo: bool = False
    opacity: float = 0.75
    lines: bool = True
    objects: bool = False
    values: Mapping[str, str] = field(default_factory=dict)
    problem: str = ""
    mask: str = ""
    budget: int = 0

    @property
    def state(self) -> ViewState:
        """The pair as the views' states hold it."""
        return ViewState(
            self.selected.gallery,
            self.selected.index,
            self.caption,
            self.dense or None,
            self.layer,
            self.opacity,
            self.lines,
            self.objects,
            mask=self.mask,
            budget=self.budget,
        )


@dataclass(frozen=True)
class LinkedView:
    """A view as links and its tab fill it.

    Attributes:
        tab: what opens it; outputs: the components that are filled; picture: the one where waiting is told.
        restore: their values for a link, in the same order.
        used: the state whose caption tells that a person has used the view; None where it is filled at any time.
        enter: the values when the tab is opened, of the states `inputs`, None to leave all as it is; where left out,
            the first opening shows the worked example.
        kept: the states of which `again` makes the values anew when the browser goes back to what was shown: called
            with what the person's session holds, the address's query and the states; None where the query is enough.
    """

    tab: gr.Tab
    outputs: list[Any]
    picture: gr.HTML
    restore: Callable[[ModelRegistry, Link], list[Any]]
    used: gr.State | None = None
    enter: Callable[..., list[Any] | None] | None = None
    inputs: tuple[gr.State, ...] = ()
    kept: tuple[gr.State, ...] = ()
    again: Callable[..., list[Any]] | None = None


def gallery_of(registry: ModelRegistry, query: Mapping[str, str]) -> str:
    """Return the gallery that a query leads to, right or not."""
    return SCENES if query.get("view") in ("edit", "generate") else query.get("gallery", registry.first)


def waited_for(registry: ModelRegistry, query: Mapping[str, str]) -> str:
    """Return a sentence where a query has to wait for a gallery, the judge or the generator, which takes seconds; else
    empty."""
    gallery = gallery_of(registry, query)
    if registry.is_waited_for(gallery):
        return opening(gallery)
    view = query.get("view")
    for name, late in (("judge", registry.judging), ("generate", registry.generating)):
        if view == name and late is not None and not late.is_open:
            return say(f"{name}.waiting")
    return ""


def read_query(values: Mapping[str, Any]) -> dict[str, str]:
    """Return a link's names and values, cut to what is read of them, so that a sentence on one is never long."""
    return {name: str(value)[: LONGEST if name in TEXTS else LONGEST_NAME] for name, value in values.items()}


def read_link(registry: ModelRegistry, query: Mapping[str, str], progress: Progress = False) -> Link:
    """Read a query; where something is wrong with it, the problem is told and all else is the worked example's.

    Args:
        query: names and values; progress: as in `ScoringEngine`, of a gallery that is opened now.
    """
    try:
        return _read(registry, query, progress)
    except ValueError as error:
        return wrong_link(registry, query, str(error), progress)


def wrong_link(registry: ModelRegistry, query: Mapping[str, str], problem: str, progress: Progress = False) -> Link:
    """Return where a query leads that has something wrong: to the worked example, of its gallery where that is open."""
    link = _read(registry, open_gallery(registry, query), progress)
    return Link("search", link.selected, "", "", link.example, problem=problem)


def open_gallery(registry: ModelRegistry, query: Mapping[str, str]) -> dict[str, str]:
    """Return the part of a query that names an open gallery of the right model; empty where there is none."""
    gallery = query.get("gallery", registry.first)
    try:
        return {} if registry.is_waited_for(gallery) else {"gallery": linked(registry, query)[1].gallery.name}
    except ValueError:
        return {}


def _read(registry: ModelRegistry, query: Mapping[str, str], progress: Progress) -> Link:
    view = query.get("view", "search")
    if view not in VIEWS:
        raise ValueError(f"This link leads to the view {view!r}, but there are: {', '.join(VIEWS)}.")
    if view == "edit":
        if SCENES not in registry.names:
            raise ValueError("This link leads to the scenes, which are not here.")
        query = {"gallery": SCENES, **query}
    if view == "judge" and registry.judging is None:
        raise ValueError("This link leads to the judge, which is not here.")
    if view == "generate":
        if registry.generating is None:
            raise ValueError("This link leads to the generator, which is not here.")
        registry.open(SCENES, progress)
    service, indexed = linked(registry, query, progress)
    gallery = indexed.gallery
    index = gallery.position(query["photo"]) if "photo" in query else 0
    layer = str(Layer.parse(query.get("layer", "mask")))
    _check_flags(query)
    caption, example = query.get("caption", ""), examples_of(indexed)[0]
    if caption and view not in OWN_CAPTIONS:
        read_caption(service.model, caption)
    dense = query.get("dense", "").strip(BLANK)
    if dense:
        read_caption(service.model, dense, dense=True)
    if not caption and "photo" not in query:
        index = service.rank_images(indexed, example).order[0]
    selected = SelectedImage(gallery.name, index)
    decided = _decision(query, service.model.cross_net.num_patches) if view == "search" else {}
    return Link(
        view,
        selected,
        caption,
        dense,
        example,
        layer,
        "photo" in query,
        _opacity(query.get("opacity", "75")),
        query.get("grid") != "0",
        query.get("objects") == "1",
        query,
        **decided,
    )


def as_linked(state: ViewState, query: Mapping[str, str]) -> ViewState:
    """Return a state drawn as an address says: what was chosen last may not have been kept before something else was
    shown.

    Raises:
        ValueError: a layer or an opacity that there is not.
    """
    if "caption" not in query:  # no address leads to what the state shows
        return state
    return replace(
        state,
        layer=str(Layer.parse(query.get("layer", "mask"))),
        opacity=_opacity(query.get("opacity", "75")),
        lines=query.get("grid") != "0",
        objects=query.get("objects") == "1",
    )


def _check_flags(query: Mapping[str, str]) -> None:
    """Raise ValueError where what is so or is not is neither."""
    for name, (first, second) in FLAGS.items():
        if query.get(name, first) not in (first, second):
            raise ValueError(f"{name} is {query[name]!r} in this link, but it must be {first} or {second}.")


def _decision(query: Mapping[str, str], patches: int) -> dict[str, Any]:
    """A link's decision by hand and its budget, where it has one; ValueError for a wrong one, or one of no pair."""
    if "mask" not in query and "budget" not in query:
        return {}
    mask, budget = read_mask(query.get("mask", ""), patches), _budget(query.get("budget", "0"), patches)
    if not query.get("caption") or "photo" not in query:
        raise ValueError("This link keeps patches by hand, but of no photograph and caption: it needs both.")
    if mask is not None and budget and mask.sum() > budget:
        raise ValueError(f"This link keeps {mask.sum()} patches, but its budget is {budget}.")
    return {"mask": query.get("mask", ""), "budget": budget}


def _opacity(percent: str) -> float:
    if percent not in {str(whole) for whole in range(101)}:
        raise ValueError(f"opacity is {percent!r} in this link, but a whole number from 0 to 100 is needed.")
    return int(percent) / 100


def _budget(text: str, patches: int) -> int:
    if not re.fullmatch("[0-9]{1,4}", text) or int(text) > patches:
        raise ValueError(f"budget is {text[:20]!r} in this link, but a whole number from 1 to {patches} is needed.")
    return int(text)


def linked(registry: ModelRegistry, query: Mapping[str, str], progress: Progress = False) -> OpenedGallery:
    """Return the gallery of a link with its service; ValueError where there is none, or another model than the link
    says."""
    gallery = query.get("gallery", registry.first)
    model = query.get("model")
    if model is not None and model not in registry.models:
        raise ValueError(f"This link is for the model {model!r}, but there are: {', '.join(registry.models)}.")
    service, indexed = registry.open(gallery, progress)
    if model not in (None, service.name):
        raise ValueError(
            f"This link is for the model {model!r}, but the gallery {gallery!r} belongs to the model {service.name!r}."
        )
    return service, indexed

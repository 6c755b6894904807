"""The viewer of Photos: the record that it shows, what is measured of it when asked for, and a decision by hand.

By hand (`whatif` on the page) patches are kept and dropped over the picture, and all numbers follow.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from demo.galleries.annotation import SceneAnnotation
from demo.galleries.indexes.index import IndexedGallery
from demo.record.counterfactual import decision_words, game_words
from demo.record.layers.layers import Layer
from demo.record.mask_overlap import pack_other_masks
from demo.record.packing import packed
from demo.record.photo import photo_value
from demo.record.scene import outlines, scene_value
from demo.service.experiments.counterfactual import Decided, Forcing
from demo.service.masks import mask_text, read_mask
from demo.service.measuring.effects import patches_of
from demo.service.measuring.measures import find_measure, is_slow
from demo.service.retrieval import RetrievalService
from demo.views.photos import ranking_value
from demo.views.state import ViewState
from seps import Explanation
from seps.common.progress import Progress

OTHERS = 5  # things in a photograph whose masks are offered
BUDGET = 20  # patches of the game, to begin with


def forced_mask(service: RetrievalService, state: ViewState) -> NDArray[np.bool_] | None:
    """Return the decision by hand of a view, (N,); None for the model's own. ValueError where its text is none."""
    return read_mask(state.mask, service.model.cross_net.num_patches)


def shown_record(
    service: RetrievalService, indexed: IndexedGallery, state: ViewState, progress: Progress = False
) -> Explanation:
    """Return the record that a view shows: under its decision, with what its layer measures."""
    mask, name = forced_mask(service, state), Layer.parse(state.layer).name
    pair = (indexed, state.index, state.caption, state.dense)
    return service.measure(*pair, name, mask, progress) if find_measure(name) else service.explain(*pair, mask)


def quick_record(service: RetrievalService, indexed: IndexedGallery, state: ViewState) -> Explanation:
    """As `shown_record`, without what takes long to measure and has not been measured yet."""
    name = Layer.parse(state.layer).name
    pair = (indexed, state.index, state.caption, state.dense)
    waits = is_slow(name) and not service.is_measured(*pair, name, forced_mask(service, state))
    return shown_record(service, indexed, replace(state, layer="mask") if waits else state)


def decision(service: RetrievalService, indexed: IndexedGallery, state: ViewState) -> tuple[Decided, Decided] | None:
    """Return the view's decision by hand and the model's own; None where the model decides."""
    mask = forced_mask(service, state)
    if mask is None:
        return None
    forcing = Forcing(service, indexed, state.index, state.caption, state.dense)
    return forcing.attempt(mask), forcing.decided


def search_value(service: RetrievalService, indexed: IndexedGallery, state: ViewState) -> dict[str, Any]:
    """Return the value of the viewer in Photos, where patches can be kept and dropped."""
    whatif = whatif_value(service, indexed, state)
    value = viewer_value(service, indexed, state, quick_record(service, indexed, state))
    choices = {"mask": state.mask, "budget": state.budget, "whatif": whatif}
    return value | choices | {"others": other_masks(service, indexed, state)}


def viewer_value(
    service: RetrievalService, indexed: IndexedGallery, state: ViewState, record: Explanation
) -> dict[str, Any]:
    """Return the viewer's value: photograph, captions, record, and what is true of a scene."""
    known = indexed.gallery.items[state.index].known
    return {
        "photo": photo_value(indexed, state.index),
        "caption": state.caption,
        "dense_caption": state.dense,
        "similarity": record.similarity,
        "record": packed(record),
        "scene": None if known is None else scene_value(record, known, state.caption, service.model.tokenizer),
    }


def other_masks(service: RetrievalService, indexed: IndexedGallery, state: ViewState) -> list[dict[str, str]]:
    """Return what the mask would be for other things in the photograph, see `pack_other_masks`; for captions alone."""
    phrases = [text for text in indexed.gallery.items[state.index].phrases if text != state.caption]
    if state.dense or not phrases:
        return []
    kept = service.explain(indexed, state.index, state.caption).sparse.kept
    return pack_other_masks(kept, phrases[:OTHERS], list(service.decide(indexed, state.index, phrases[:OTHERS])))


def whatif_value(service: RetrievalService, indexed: IndexedGallery, state: ViewState) -> dict[str, Any]:
    """Return what the page needs to try decisions: the model's `own`, `objects`, `budget`, and `now` or `game`."""
    mask = forced_mask(service, state)
    record = service.explain(indexed, state.index, state.caption, state.dense)
    known = indexed.gallery.items[state.index].known
    content: dict[str, Any] = {
        "own": mask_text(record.sparse.kept),
        "objects": [] if known is None else inside_masks(known, state.caption, record.grid),
        "budget": min(BUDGET, record.sparse.kept.size),
        "now": None,
        "game": None,
    }
    if mask is None and not state.budget:
        return content
    forcing = Forcing(service, indexed, state.index, state.caption, state.dense)
    if mask is not None:
        content["now"] = decision_words(forcing.attempt(mask), forcing.decided)
    if state.budget:
        game = forcing.game(state.budget, mask)
        words = game_words(game.budget, game.by_hand, game.by_model, game.overlap)
        content["game"] = words | {"mask": mask_text(game.by_model.record.sparse.kept)}
    return content


def inside_masks(known: SceneAnnotation, caption: str, grid: tuple[int, int]) -> list[tuple[str, str]]:
    """Return the name of each object of a scene of which something is seen, and the mask of the patches inside it."""
    return [
        (outline.name, mask_text(patches_of(known, (outline.number,), grid))) for outline in outlines(known, caption)
    ]


def worked_example(
    service: RetrievalService, indexed: IndexedGallery, caption: str
) -> tuple[int, dict[str, Any], dict[str, Any]]:
    """Return the index of the best photograph, the value of the ranking and that of the viewer."""
    ranking = service.rank_images(indexed, caption)
    index = ranking.order[0]
    viewer = search_value(service, indexed, ViewState(indexed.gallery.name, index, ranking.reading.text))
    value = ranking_value(indexed, ranking, None) | {"selected": index}
    return index, value, viewer

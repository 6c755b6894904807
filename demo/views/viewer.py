"""The viewer of Photos: the record that it shows, what is measured of it when asked for, and a decision by hand. By
hand (`whatif` on the page) patches are kept and dropped over the picture, and all numbers follow."""

from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from demo.galleries.indexes.index import IndexedGallery
from demo.record.counterfactual import decision_words, game_words
from demo.record.layers.layers import Layer
from demo.record.packing import pack_array, pack_other_masks, packed
from demo.record.photo import photo_value
from demo.record.scene import outlines, scene_value
from demo.service.captions import read_caption
from demo.service.experiments.counterfactual import Decided, Forcing
from demo.service.masks import mask_text, read_mask
from demo.service.measuring.effects import patches_of
from demo.service.measuring.measures import find_measure, is_slow
from demo.service.models.personal import explain_frame
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


def decision(service: RetrievalService, indexed: IndexedGallery, state: ViewState) -> tuple[Decided, Decided] | None:
    """Return the view's decision by hand and the model's own; None where the model decides."""
    mask = forced_mask(service, state)
    if mask is None:
        return None
    forcing = Forcing(service, indexed, state.index, state.caption, state.dense)
    return forcing.attempt(mask), forcing.decided


def search_value(service: RetrievalService, indexed: IndexedGallery, state: ViewState) -> dict[str, Any]:
    """Return the value of the viewer in Photos, where patches can be kept and dropped. It lacks what takes long to
    measure and has not been measured yet. "others" are the masks for other things in the photograph, see
    `pack_other_masks`; for captions alone."""
    name, pair = Layer.parse(state.layer).name, (indexed, state.index, state.caption, state.dense)
    choices = {"mask": state.mask, "budget": state.budget, "whatif": whatif_value(service, indexed, state)}
    waits = is_slow(name) and not service.is_measured(*pair, name, forced_mask(service, state))
    record = shown_record(service, indexed, replace(state, layer="mask") if waits else state)
    phrases = [text for text in indexed.gallery.items[state.index].phrases if text != state.caption][:OTHERS]
    others = []
    if phrases and not state.dense:
        kept = service.explain(indexed, state.index, state.caption).sparse.kept
        others = pack_other_masks(kept, phrases, list(service.decide(indexed, state.index, phrases)))
    return viewer_value(service, indexed, state, record) | choices | {"others": others}


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


def whatif_value(service: RetrievalService, indexed: IndexedGallery, state: ViewState) -> dict[str, Any]:
    """Return what the page needs to try decisions: the model's `own`, `objects`, `budget`, and `now` or `game`."""
    mask = forced_mask(service, state)
    record = service.explain(indexed, state.index, state.caption, state.dense)
    known = indexed.gallery.items[state.index].known
    objects = []  # of which something is seen, each with the mask of the patches inside it
    if known is not None:
        for outline in outlines(known, state.caption):
            objects.append((outline.name, mask_text(patches_of(known, (outline.number,), record.grid))))
    content: dict[str, Any] = {
        "own": mask_text(record.sparse.kept),
        "objects": objects,
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


def look_value(service: RetrievalService, name: str, content: bytes, caption: str) -> dict[str, Any]:
    """Return a caption's mask on a camera's encoded frame, with word maps (L, N); nothing of the frame is kept.
    ValueError if the frame or the caption cannot be read."""
    record = explain_frame(service, name, content, read_caption(service.model, caption).text)
    return {
        "grid": list(record.grid),
        "mask": mask_text(record.sparse.kept),
        "words": list(record.sparse_alignment.words),
        "maps": pack_array(np.asarray(record.sparse_alignment.word_maps)),
        "similarity": record.similarity,
        "model": service.name,
    }


def worked_example(
    service: RetrievalService, indexed: IndexedGallery, caption: str
) -> tuple[int, dict[str, Any], dict[str, Any]]:
    """Return the index of the best photograph, the value of the ranking and that of the viewer."""
    ranking = service.rank_images(indexed, caption)
    index = ranking.order[0]
    viewer = search_value(service, indexed, ViewState(indexed.gallery.name, index, ranking.reading.text))
    value = ranking_value(indexed, ranking, None) | {"selected": index}
    return index, value, viewer

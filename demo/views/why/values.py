"""What the view "Why" draws, links and saves: two photographs of a caption, or two captions of a photograph."""

from dataclasses import dataclass
from typing import Any

from demo.drawing.formats import PAGE, Download, file_name
from demo.galleries.indexes.index import IndexedGallery
from demo.record.contrast import Contrast, Side, contrast, contrast_value
from demo.record.photo import get_credit, photo_value
from demo.record.texts.table import say
from demo.service.ranking import Candidates, ImageRanking
from demo.service.retrieval import RetrievalService
from demo.views.downloads import page_file
from demo.views.figure_spec import SPEC, contrast_spec
from demo.views.state import ViewState


@dataclass(frozen=True)
class WhyState(ViewState):
    """Side by side: `index` is the left photograph's, `against` the right one's; `other` is "" for two photographs."""

    against: int = 0


def sides_of(
    service: RetrievalService, indexed: IndexedGallery, state: WhyState, ranking: ImageRanking | None = None
) -> Contrast:
    """Return the two that a state names, set side by side; ranks where the ranking for the caption is given. A dense
    caption is used where there is one caption: a second one has none."""
    dense = None if state.other else state.dense

    def side(index: int, caption: str, ranked: bool) -> Side:
        if ranking is not None and (ranking.encoded.text, ranking.encoded.dense) == (caption, dense):
            record = service.explain_encoded(indexed, index, ranking.encoded)
        else:
            record = service.explain(indexed, index, caption, dense)
        attribution, *others = service.split_all(record)
        place = (0, 0) if ranking is None or not ranked else (1 + ranking.order.index(index), len(ranking.order))
        return Side(indexed.gallery.items[index].title, caption, record, attribution, *place, *others)

    right = state.index if state.other else state.against
    return contrast(side(state.index, state.caption, True), side(right, state.other or state.caption, not state.other))


def first_two(ranking: ImageRanking, index: int | None = None, against: int | None = None) -> tuple[int, int]:
    """Return the two photographs to begin with: the best and the next, unless others are named; never one twice."""
    left = ranking.order[0] if index is None else index
    others = [index_here for index_here in ranking.order if index_here != left] or [left]
    return left, others[0] if against is None or against == left else against


def state_ranking(service: RetrievalService, indexed: IndexedGallery, state: WhyState) -> ImageRanking:
    """Return the ranking of the gallery that a state belongs to, with its dense caption where that takes part."""
    pair = Candidates((state.index,) if state.other else (state.index, state.against))
    return service.rank_images(indexed, state.caption, None if state.other else state.dense, pair)


def why_value(service: RetrievalService, indexed: IndexedGallery, state: WhyState) -> dict[str, Any]:
    """Return what the two are drawn from."""
    ranking = state_ranking(service, indexed, state)
    contrast = sides_of(service, indexed, state, ranking)
    value = contrast_value(contrast)
    indices = (state.index, state.index if state.other else state.against)
    for side, index in zip(value["sides"], indices, strict=True):
        side["photo"] = photo_value(indexed, index)
        side["index"] = index
    options = [
        [index, say("why.option", rank=rank, title=indexed.gallery.items[index].title, score=score)]
        for rank, (index, score) in enumerate(zip(ranking.order, ranking.scores, strict=True), start=1)
    ]
    return value | {
        "model": service.name,
        "captions": bool(state.other),
        "options": options,
        "layer": state.layer if contrast.word(state.layer) else "mask",
    }


def why_download(
    service: RetrievalService, indexed: IndexedGallery, state: WhyState, kind: str, dark: bool = False
) -> Download:
    """Return the file of what stands side by side: a picture, JSON, CSV, or the spec of a figure."""
    from demo.views.why.export import why_file

    contrast = sides_of(service, indexed, state, state_ranking(service, indexed, state))
    indices = (state.index, state.index if state.other else state.against)
    if kind == SPEC:
        dense = None if state.other else state.dense
        return contrast_spec(service, indexed, indices, contrast, state.layer, dense)
    items = [indexed.gallery.items[index] for index in indices]
    if kind == PAGE:
        value = why_value(service, indexed, state) | {"options": []}
        titles = " ".join(dict.fromkeys(item.title for item in items))
        return page_file("why", value, state.caption, file_name(service.name, titles, "why", PAGE))
    photos = (items[0].photo(), items[1].photo())
    credit = "; ".join(dict.fromkeys(credit_line for credit_line in map(get_credit, items) if credit_line))
    return why_file(contrast, photos, service.name, kind, state.layer, dark, credit)

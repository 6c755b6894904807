"""What the page's endpoints answer: galleries, rankings and explanations, JSON ready, with pictures by address."""

from dataclasses import asdict, replace
from functools import lru_cache
from typing import Any

from demo.galleries.gallery import first_captions, get_opening
from demo.galleries.indexes.index import IndexedGallery
from demo.galleries.sources.folder import MAX_UPLOADS
from demo.page.pictures import addressed_photo, thumbnail_source
from demo.record.layers.layer_table import compared_names
from demo.record.photo import LONGEST_STRIP, get_credit
from demo.record.settings import evaluation_knobs, network_with
from demo.record.texts.language import phrase
from demo.record.texts.table import say
from demo.service.captions import cleaned, read_typed
from demo.service.explaining import index_captions
from demo.service.models.registry import ModelRegistry
from demo.service.models.stored import folder_status
from demo.service.ranking import ImageRanking
from demo.service.retrieval import RetrievalService
from demo.views.compare import FEWEST, MOST, compared_value
from demo.views.lesson.walk import photo_ranking
from demo.views.photos import ranking_value
from demo.views.state import NO_POOL, RANKED, ViewState
from demo.views.video import followed_value, second_caption
from demo.views.viewer import search_value
from demo.views.why.values import WhyState, why_value
from seps import CrossSparseAggrNet
from seps.common.progress import Progress

OPENINGS = ("search", "captions", "compare", "why")
CREDITED = 100  # photographs of a gallery whose credits are listed
RATIOS = (0.05, 0.95)  # that the page offers
MOST_RANKED = 480  # photographs of a ranking that are sent to the page


def start_value(registry: ModelRegistry) -> dict[str, Any]:
    """Return what the page needs to know before it asks for anything else."""
    return {
        "galleries": [
            {"name": name, "title": phrase(name), "model": registry.model_of(name), "reason": reason_of(registry, name)}
            for name in registry.names
        ],
        "credits": [
            f"{item.title}: {get_credit(item)}"
            for indexed in registry.photos.galleries.values()
            for item in indexed.gallery.items[:CREDITED]
            if get_credit(item)
        ],
        "uploads": {"count": MAX_UPLOADS},
        "no_pool": NO_POOL,
        "indexes": folder_status(registry.photos) is not None,
    }


def reason_of(registry: ModelRegistry, gallery: str) -> str:
    """Return why a gallery cannot be opened now, "" where it can."""
    if not registry.is_waited_for(gallery) or gallery not in registry.photos.why_closed:
        return ""
    reason = registry.photos.why_closed[gallery]()
    return say(f"sources.closed_{reason}") if reason else ""


def gallery_value(service: RetrievalService, indexed: IndexedGallery) -> dict[str, Any]:
    """Return what the page needs to know of an open gallery; of a large one its first photographs."""
    gallery = indexed.gallery
    openings = {view: get_opening(gallery, view) for view in OPENINGS}
    return {
        "name": gallery.name,
        "title": phrase(gallery.title),
        "model": service.name,
        "note": left_out(indexed),
        "chips": list(first_captions(gallery)),
        "total": len(indexed),
        "timed": gallery.timed,
        "keep_ratio": service.model.cross_net.sparse_ratio,
        "pools": list(service.names),
        "openings": {view: opening and asdict(opening) for view, opening in openings.items()},
        "items": [item_value(service, indexed, index) for index in range(min(LONGEST_STRIP, len(gallery)))],
    }


def left_out(indexed: IndexedGallery) -> str:
    """Return a sentence about the files that were left out, or the gallery's own note."""
    skipped = indexed.gallery.skipped
    if not skipped:
        return indexed.gallery.note
    more = f" And {len(skipped) - 3} more." if len(skipped) > 3 else ""
    return f"{len(skipped)} left out: {' '.join(skipped[:3])}{more}"


def item_value(service: RetrievalService, indexed: IndexedGallery, index: int) -> dict[str, Any]:
    """Return a photograph of a gallery as the page lists it."""
    item = indexed.gallery.items[index]
    return {
        "index": index,
        "key": item.key,
        "title": item.title,
        "thumb": thumbnail_source(service, indexed, index),
        "captions": list(item.captions),
        "phrases": list(item.phrases),
    }


def rankings(
    service: RetrievalService, indexed: IndexedGallery, state: ViewState, progress: Progress = False
) -> tuple[ImageRanking, ImageRanking | None]:
    """Return the rankings of a gallery for the caption of a state, without and with its dense one, if any."""
    rank = service.get_cached_ranking if state.exhaustive else service.rank_images
    caption, dense = cleaned(state.caption), cleaned(state.dense)
    alone = rank(indexed, caption, None, state.candidates, progress)
    return alone, rank(indexed, caption, dense, state.candidates, progress, alone) if dense else None


def ranked(
    service: RetrievalService,
    indexed: IndexedGallery,
    state: ViewState,
    ratio: float | None = None,
    count: int = RANKED,
    progress: Progress = False,
) -> dict[str, Any]:
    """Rank a gallery for the captions of a state. `ratio`: the share of patches that each photograph keeps, by default
    the trained one; `count`: of listed photographs. ValueError for an unreadable caption or a ratio out of range."""
    trained, trained_dense = rankings(service, indexed, state, progress)
    alone = at_ratio(service, indexed, trained, ratio)
    with_dense = None if trained_dense is None else at_ratio(service, indexed, trained_dense, ratio)
    leading = with_dense or alone
    value = ranking_value(indexed, alone, with_dense, count)
    for rows in value["lists"]:
        for item in rows["items"]:
            for row in (item, *item.get("alike", {}).get("items", ())):
                row["thumb"] = thumbnail_source(service, indexed, row["index"])
                row["key"] = indexed.gallery.items[row["index"]].key
    readings = [alone.reading, *([] if leading.dense_reading is None else [leading.dense_reading])]
    place = leading.order.index(state.index) if state.index in leading.order else None
    return {
        "note": " ".join(reading.note for reading in readings if reading.note),
        "best": leading.order[0],
        "place": None if place is None else {"rank": place + 1, "score": leading.scores[place]},
        "total": leading.total,
        "more": len(value["lists"][-1]["items"]) < len(leading.order) and count < MOST_RANKED,
        "ranking": value,
        "timeline": video_timeline(service, indexed, state, trained_dense or trained),
    }


def video_timeline(
    service: RetrievalService, indexed: IndexedGallery, state: ViewState, ranking: ImageRanking
) -> dict[str, Any] | None:
    """Return the captions of a state through a video as `followed_value` does; None for other galleries."""
    if not indexed.gallery.timed:
        return None
    text = ranking.dense_reading.text if ranking.dense_reading else None
    other = second_caption(service, indexed, state.other)
    value = followed_value(
        service, indexed, replace(state, caption=ranking.reading.text, dense=text, other=other), ranking
    )
    for line in value["lines"]:
        for tile in line["tiles"]:
            tile["thumb"] = thumbnail_source(service, indexed, tile["index"])
    return value


def at_ratio(
    service: RetrievalService, indexed: IndexedGallery, ranking: ImageRanking, ratio: float | None
) -> ImageRanking:
    """Return a ranking with another share of patches kept in every photograph; of a large gallery the shortlist."""
    if ratio is None:
        return ranking
    low, high = RATIOS
    if not low <= ratio <= high:
        raise ValueError(f"ratio is {ratio:g}, but it must be from {low:g} to {high:g}.")
    captions = index_captions(service.engine, [ranking.encoded])
    images, positions = indexed.shortlist(captions, ranking.order[0])
    again = photo_ranking(network_at(service, ratio), images, captions)
    searched = set(ranking.order)  # those with the name that is looked for
    pairs = zip((positions[at] for at in again.indices.tolist()), again.scores.tolist(), strict=True)
    order, scores = zip(*(pair for pair in pairs if pair[0] in searched), strict=True)
    return replace(ranking, order=list(order), scores=list(scores))


@lru_cache(maxsize=64)
def network_at(service: RetrievalService, ratio: float) -> CrossSparseAggrNet:
    """Return a network that keeps another share of patches; it shares the trained parameters."""
    return network_with(service.model, replace(evaluation_knobs(service.model), keep_ratio=ratio))


def explained(service: RetrievalService, indexed: IndexedGallery, state: ViewState) -> dict[str, Any]:
    """Return the values of one photograph and one caption for the page, see `search_value`."""
    value = search_value(service, indexed, state)
    return value | {"photo": addressed_photo(service, indexed, state.index)}


def compared(
    service: RetrievalService, indexed: IndexedGallery, index: int, captions: str, layer: str
) -> dict[str, Any]:
    """Return what captions, one per line, over one photograph are drawn from; errors as `read_compared`."""
    state, texts = read_compared(service, indexed, index, captions, layer)
    return compared_value(service, indexed, state, texts) | {"photo": addressed_photo(service, indexed, index)}


def read_compared(
    service: RetrievalService, indexed: IndexedGallery, index: int, captions: str, layer: str
) -> tuple[ViewState, list[str]]:
    """Return the state and the captions, one per line, of a comparison; errors as `read_typed`, or too few."""
    texts = read_typed(service.model, captions)
    if not FEWEST <= len(texts) <= MOST:
        raise ValueError(say("page.compared", count=len(texts), fewest=FEWEST, most=MOST))
    layer = layer if layer in compared_names() else "mask"
    return ViewState(indexed.gallery.name, index, "\n".join(texts), layer=layer), texts


def contrasted(service: RetrievalService, indexed: IndexedGallery, state: WhyState) -> dict[str, Any]:
    """Compare two photographs for a caption, or two captions for a photograph; JSON ready."""
    value = why_value(service, indexed, state)
    for side in value["sides"]:
        side["photo"] = addressed_photo(service, indexed, side["index"])
    keys = {str(index): indexed.gallery.items[index].key for index, _ in value["options"]}
    return value | {"keys": keys}

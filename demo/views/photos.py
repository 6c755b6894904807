"""The list of ranked photographs."""

from typing import Any

from demo.galleries.indexes.index import IndexedGallery
from demo.galleries.indexes.stored import IndexingStatus
from demo.galleries.sources.folder import FOLDER
from demo.record.texts.language import phrase
from demo.record.texts.table import say
from demo.service.ranking import ImageRanking, group_near_photographs
from demo.views.state import RANKED


def ranking_value(
    indexed: IndexedGallery, alone: ImageRanking, with_dense: ImageRanking | None, count: int = RANKED
) -> dict[str, Any]:
    """Return what the list of at most `count` photographs is drawn from."""
    seconds = alone.seconds + (with_dense.seconds if with_dense else 0.0)
    scored, total, noun = len(alone.order), alone.total, indexed.gallery.noun
    noun = noun if total != 1 else noun.removesuffix("s")
    key = "list.ranked_short" if scored < total else "list.ranked_best" if total > count else "list.ranked"
    numbers = {"scored": scored, "total": total, "milliseconds": 1000 * seconds, "count": count}
    lists = [(phrase("Caption only") if with_dense else "", alone)]
    lists += [(phrase("With dense caption"), with_dense)] if with_dense else []
    return {
        "note": say(key, noun=say(f"noun.{noun}"), **numbers),
        "all": say("list.score_all", total=total) if scored < total else "",
        "lists": [{"title": title, "items": _items(indexed, ranking, count)} for title, ranking in lists],
    }


def _items(indexed: IndexedGallery, ranking: ImageRanking, count: int) -> list[dict[str, Any]]:
    """The best photographs; in a folder, those that are nearly the same as a better one stand with that."""
    places = {index: place for place, index in enumerate(ranking.order)}

    def item(index: int) -> dict[str, Any]:
        title, score = indexed.gallery.items[index].title, ranking.scores[places[index]]
        thumb = indexed.thumbnail(index)
        return {"index": index, "rank": places[index] + 1, "title": title, "thumb": thumb, "score": score}

    if indexed.gallery.name != FOLDER:
        return [item(index) for index in ranking.order[:count]]
    rows = []
    for best, *others in group_near_photographs(indexed, ranking.order, count):
        row = item(best)
        if others:
            texts = {"text": say("list.alike", count=len(others)), "tip": say("list.alike_tip", count=len(others))}
            row["alike"] = texts | {"items": [item(index) for index in others]}
        rows.append(row)
    return rows


def indexing_text(status: IndexingStatus) -> str:
    """Return how far indexing is in a sentence."""
    counts = {"indexed": status.indexed, "total": status.total}
    if not status.running:
        skipped = say("many.skipped", count=status.skipped) if status.skipped else ""
        return f"{say('many.indexed', **counts)} {skipped}".rstrip()
    if status.problem:
        return f"{say('many.paused', **counts)} {status.problem}"
    if status.seconds is None:
        return say("many.indexing", **counts)
    return say("many.indexing_for", minutes=max(1, round(status.seconds / 60)), **counts)

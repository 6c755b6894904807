"""The worked example: a caption ranks a gallery, and the best photograph is explained."""

from __future__ import annotations

from typing import Any

from demo.galleries.index import IndexedGallery
from demo.record.unmatched import describe_missed
from demo.service.retrieval import RetrievalService
from demo.views.photos import ranking_value
from demo.views.state import ViewState
from demo.views.viewer import search_value


def worked_example(
    service: RetrievalService, indexed: IndexedGallery, caption: str
) -> tuple[int, dict[str, Any], dict[str, Any]]:
    """Return the index of the best photograph, the value of the ranking and that of the viewer."""
    ranking = service.rank_images(indexed, caption)
    index = ranking.order[0]
    best = service.explain_encoded(indexed, index, ranking.encoded)
    viewer = search_value(service, indexed, ViewState(indexed.gallery.name, index, ranking.reading.text))
    value = ranking_value(indexed, ranking, None, index)
    value |= {"why": len(indexed) > 1, "missed": describe_missed(best, service.unmatched_rule)}
    return index, value, viewer

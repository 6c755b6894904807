"""A button that waits for its file hears of it, or that none will come."""

from __future__ import annotations

import re
from dataclasses import replace

import pytest

from demo.drawing.formats import Download
from demo.record.packing import packed
from demo.service.masks import mask_text
from demo.service.registry import ModelRegistry
from demo.service.retrieval import RetrievalService
from demo.views.compare import comparison
from demo.views.downloads import explanation
from demo.views.state import ViewState
from demo.views.why.values import WhyState, why_download
from tests.helpers.single_page import shown_in

MOST = 600_000  # bytes of a page
CAPTION = "a tabby cat"


def views(registry: ModelRegistry, service: RetrievalService) -> dict[str, Download]:
    """Each view as a page of one file."""
    indexed, state = service.find("examples"), ViewState("examples", 2, CAPTION, layer="score")
    contrast = WhyState("examples", 2, CAPTION, other="the background", layer="word:1")
    return {
        "viewer": explanation(service, indexed, state, "html"),
        "compare": comparison(service, indexed, state, [CAPTION, "the background"], "html"),
        "why": why_download(registry, None, contrast, "html"),
    }


def test_a_view_is_a_page_that_needs_no_server(registry: ModelRegistry, service: RetrievalService) -> None:
    record = service.explain(service.find("examples"), 2, CAPTION)
    for component, file in views(registry, service).items():
        page = file.content.decode()
        assert (file.name.rpartition(".")[2], file.media_type) == ("html", "text/html")
        assert len(file.content) <= MOST
        assert not re.search(r'(?:src|href)="(?!data:)', page)  # nothing of another place
        shown = shown_in(page)
        value = shown["value"]
        assert shown["component"] == component
        assert value["layer"] == ("word:1" if component == "why" else "score")
        side = {"viewer": value, "compare": value.get("items", [{}])[0], "why": value.get("sides", [{}])[0]}[component]
        if component == "why":
            assert side["kept"] == record.sparse.kept.astype(int).tolist() and side["photo"]["credit"]
        else:
            assert side["record"] == packed(record) and value["photo"]["credit"]


def test_a_decision_by_hand_is_no_page(service: RetrievalService) -> None:
    indexed, state = service.find("examples"), ViewState("examples", 2, CAPTION)
    kept = ~service.explain(indexed, 2, CAPTION).sparse.kept
    with pytest.raises(ValueError, match="A page cannot hold a decision by hand"):
        explanation(service, indexed, replace(state, mask=mask_text(kept)), "html")

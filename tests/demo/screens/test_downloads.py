"""A button that waits for its file hears of it, or that none will come."""

from __future__ import annotations

import re
from dataclasses import replace

import pytest

from demo.drawing.formats import Download
from demo.record.packing import packed
from demo.views.compare import comparison
from demo.views.downloads import explanation, saving, sent
from demo.views.state import ViewState, message
from demo.views.why.values import WhyState, why_download
from demo.service.masks import mask_text
from demo.service.registry import ModelRegistry
from demo.service.retrieval import RetrievalService
from tests.helpers.single_page import shown_in

MOST = 600_000  # bytes of a page
CAPTION = "a tabby cat"


def test_an_export_answers_with_its_file_or_tells_that_none_comes() -> None:
    @saving
    def export(kind: str) -> tuple[str, dict[str, object]]:
        if kind != "png":
            raise ValueError(f"format is {kind!r}, but it must be png.")
        return message("Saved as a.png."), sent(Download("a.png", b"pixels", "image/png"))

    status, file = export("png")
    assert ("Saved" in status, file["name"]) == (True, "a.png")
    status, nothing = export("bmp")
    assert "format is" in status and "problem" in status
    assert nothing["failed"] is True
    assert nothing["key"] != export("bmp")[1]["key"]  # each answer is noticed


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

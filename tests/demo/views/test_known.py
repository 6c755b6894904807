"""Captions unlike those that a model learnt from are told in a sentence beside their ranking, and no others."""

from __future__ import annotations

import json

import pytest
import torch

from demo.page.values import ranked
from demo.service.captions import Reading, add_unlike_note
from demo.service.retrieval import RetrievalService
from demo.views.state import ViewState
from seps.models.hub import shipped_models
from seps.models.known_captions import JSON_NAME, TENSORS_NAME, KnownCaptions, caption_vectors, read_known_captions

CAPTION = "a cat"


def test_it_stands_behind_what_else_is_told(service: RetrievalService) -> None:
    centres = caption_vectors(service.model, [CAPTION])
    read = add_unlike_note(KnownCaptions(centres, 1.01), Reading(CAPTION, "Cut short."), centres[0])
    assert read.text == CAPTION
    assert read.note.endswith("like this one (nearness 1.00, usually above 1.01): this may be a guess.")
    assert read.note.startswith("Cut short. Few training captions")
    known = add_unlike_note(KnownCaptions(centres, 0.99), Reading(CAPTION, ""), centres[0])
    assert not known.note


def test_the_photos_model_brings_what_its_card_tells() -> None:
    folder = shipped_models()["photos"]
    facts, card = json.loads((folder / JSON_NAME).read_text()), (folder / "README.md").read_text()
    known = read_known_captions(folder)
    assert known is not None and known.threshold == facts["threshold"]
    assert len(known.centres) == facts["centres"]
    assert (folder / TENSORS_NAME).stat().st_size < 1_000_000
    assert facts["below"] == pytest.approx(0.05, abs=0.001)
    for value in (
        f"{facts['threshold']:.3f}",
        f"{100 * facts['others_below']:.1f}%",
        f"{100 * facts['auc']:.1f}%",
    ):
        assert value in card, value
    assert read_known_captions(shipped_models()["scenes"]) is None


@pytest.mark.parametrize(("threshold", "noted"), [(1.0, True), (-1.0, False)])
def test_the_ranking_tells_it(
    service: RetrievalService, monkeypatch: pytest.MonkeyPatch, threshold: float, noted: bool
) -> None:
    centres = torch.nn.functional.normalize(-caption_vectors(service.model, [CAPTION]), dim=1)
    monkeypatch.setattr(service, "known", KnownCaptions(centres, threshold))
    note = ranked(service, service.find("examples"), ViewState("examples", 0, CAPTION))["note"]
    assert ("Few training captions are like this one" in note) == noted
    assert ("(nearness -1.00, usually above 1.00): this may be a guess." in note) == noted

"""A model as the page runs it: its graphs, its tokenizer, and when a word of a caption matches nothing."""

from __future__ import annotations

import json
from pathlib import Path

from demo.record.unmatched import kind_of
from demo.service.captions import MAX_CHARACTERS
from demo.service.language import COMMON
from demo.service.retrieval import RetrievalService
from seps.explanation.caption_words import FUNCTION_WORDS
from seps.models.export.folder import export
from seps.models.export.graphs import exportable
from seps.models.export.packing import round_weights
from seps.models.model import SEPSModel
from seps.progress import Progress

LANGUAGE = "language.json"


def page_model(model: SEPSModel) -> SEPSModel:
    """The model that the page has: the text encoder's weights rounded to 16 bits where nothing smaller holds them."""
    copy = exportable(model)
    round_weights(copy.txt_enc)
    return copy


def write_model(service: RetrievalService, folder: Path, progress: Progress = False) -> None:
    """Write a model's graphs and language into a folder."""
    export(service.model, folder, service.name, small=True, progress=progress)
    rule = service.found_rule
    language = {
        "max_characters": MAX_CHARACTERS,
        "common": sorted(COMMON),
        "found": None
        if rule is None
        else {
            "threshold": rule.threshold,
            "words": None if rule.words is None else sorted(rule.words),
            "kind": kind_of(rule),
            "function_words": sorted(FUNCTION_WORDS),
        },
    }
    (folder / LANGUAGE).write_text(json.dumps(language, ensure_ascii=False), encoding="utf-8")

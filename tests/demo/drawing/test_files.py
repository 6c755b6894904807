"""Files to take away hold what they say."""

from __future__ import annotations

import csv
import io
import json
import re
from dataclasses import replace

import numpy as np
import pytest
from PIL import Image

from demo.drawing.files import explanation_file
from demo.drawing.formats import Heading
from demo.drawing.rankings import captions_csv, harmless, images_csv
from demo.service.retrieval import RetrievalService
from tests.helpers.records import record_with_classes


def test_a_ranking_as_csv_is_the_ranking(service: RetrievalService) -> None:
    indexed = service.find("examples")
    ranking = service.rank_images(indexed, "a cat")
    file = images_csv(service, indexed, "a cat", None)
    assert file.name.endswith(".csv")
    rows = list(csv.DictReader(io.StringIO(file.content.decode("utf-8-sig"))))
    assert [row["photo"] for row in rows] == [indexed.gallery.items[index].key for index in ranking.order]
    assert [float(row["score"]) for row in rows] == pytest.approx(ranking.scores, abs=1e-6)
    texts = captions_csv(service, indexed, 1, "examples", "=1+1 cats")
    rows = list(csv.DictReader(io.StringIO(texts.content.decode("utf-8-sig"))))
    assert {row["written for this photo"] for row in rows} == {"yes", "no", ""}
    assert [row["caption"] for row in rows if not row["written for this photo"]] == ["'=1+1 cats"]


@pytest.mark.parametrize(
    ("value", "written"),
    [("=A1", "'=A1"), ("+1", "'+1"), ("-1", "'-1"), ("@x", "'@x"), ("a=b", "a=b"), ("", ""), (-1, -1)],
)
def test_no_cell_is_a_formula(value: object, written: object) -> None:
    assert harmless(value) == written


def test_an_explanation_as_json_holds_every_number(service: RetrievalService) -> None:
    indexed = service.find("examples")
    record = service.explain(indexed, 1, "a cat")
    heading = Heading("a cat", record.similarity, service.name)
    photo = indexed.gallery.items[1].photo()
    value = json.loads(explanation_file(photo, record, heading, "cat", "json").content)
    assert (value["model"], value["photo"], value["caption"], value["dense_caption"]) == (
        "photos",
        "cat",
        "a cat",
        None,
    )
    assert sum(value["explanation"]["terms"].values()) == pytest.approx(record.similarity, abs=1e-5)


@pytest.mark.parametrize(
    ("kind", "layer", "opacity", "message"),
    [
        ("gif", "mask", 0.5, "format is 'gif'"),
        ("png", "moon", 0.5, "There is no layer 'moon'"),
        ("png", "mask", 1.5, "opacity is 1.5, but it must be between 0 and 1"),
        ("png", "word:99", 0.5, "The caption has 4 words, 0 to 3"),
        ("png", "mask:dense", 0.5, 'The layer "mask:dense" needs a dense caption'),
    ],
)
def test_what_cannot_be_drawn_is_refused(
    service: RetrievalService, kind: str, layer: str, opacity: float, message: str
) -> None:
    indexed = service.find("examples")
    record = service.explain(indexed, 1, "a cat")
    heading = Heading("a cat", record.similarity, service.name)
    with pytest.raises(ValueError, match=re.escape(message)):
        explanation_file(indexed.gallery.items[1].photo(), record, heading, "cat", kind, layer, opacity)


@pytest.mark.parametrize("kind", ["png", "svg", "pdf", "json"])
def test_the_layer_of_classes_is_a_file_like_any_other(kind: str) -> None:
    record = record_with_classes()
    assert record.classes is not None
    heading = Heading("a dog", record.similarity, "random")
    content = explanation_file(Image.new("RGB", (70, 40)), record, heading, "dog", kind, "class").content
    if kind == "json":
        assert tuple(json.loads(content)["explanation"]["classes"]["names"]) == record.classes.names
    else:
        plain = replace(record, classes=replace(record.classes, probability=np.zeros(28, dtype=np.float32)))
        other = explanation_file(Image.new("RGB", (70, 40)), plain, heading, "dog", kind, "class").content
        assert len(content) > 1000 and content != other

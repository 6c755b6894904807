"""One table of layers: a new layer needs only a row and its sentences."""

from __future__ import annotations

import re

import numpy as np
import pytest

from demo.record.layer_table import LAYERS, Row, existing, names_by_word
from demo.record.layers import Layer, describe
from demo.service.measures import MEASURES
from demo.service.measuring import _COMPUTES
from tests.helpers.record_words import layer_words, layers_of
from tests.helpers.records import random_record


def test_what_there_is_is_listed_in_words() -> None:
    assert existing() == (
        "photo, mask, score, s_p, s_st, s_im, s_dt, token:1, tokens, extra, word:1 (or another number), fit:1, class, "
        "effect, blanked, blurred (also effect:1, of a word), smallest_set, smallest_change; mask, scores and tokens "
        "also with :dense, and mask:both"
    )
    assert names_by_word() == ["word", "fit", "effect", "blanked", "blurred"]


def test_every_measure_has_its_function_and_every_function_its_measure() -> None:
    assert _COMPUTES.keys() == {measure.name for measure in MEASURES}


@pytest.mark.parametrize(("name", "number", "branch"), [(r.name, r.number, b) for r in LAYERS for b in r.branches])
def test_no_two_rows_are_of_one_layer(name: str, number: str, branch: str) -> None:
    layer = (name, 1 if number else None, branch)
    assert [row.matches(*layer) for row in LAYERS].count(True) == 1


def test_a_row_makes_a_layer(made_layer: Row) -> None:
    record = random_record(dense=True)
    assert {"place", "place:dense"} <= {str(layer) for layer in layers_of(record)}
    words = layer_words(record, Layer("place"))
    assert words["label"] == "place" and words["range"] == [0, record.sparse.kept.size - 1]
    layer = Layer.parse("place:dense")
    assert record.dense is not None
    np.testing.assert_array_equal(layer.values(record).values, record.dense.rank)
    assert "place by score, dense branch: up to" in describe(record, layer).lower()
    with pytest.raises(ValueError, match=re.escape("smallest_change, place; mask")):
        Layer.parse("heat")


@pytest.mark.parametrize(
    ("source", "message"),
    [
        ({"branch.score": 2}, "is {'branch.score': 2}: only the scale"),
        ({"branch.score": 1, "branch.rank": 1}, "is {'branch.score': 1, 'branch.rank': 1}: only the scale"),
    ],
    ids=["factor", "sum"],
)
def test_values_are_what_lies_at_one_path_and_fates_alone_are_a_sum(source: dict[str, int], message: str) -> None:
    """As `sourceOf` of assets/js/record/values.js reads a source."""
    assert Row("made", source, "fates").source == source
    with pytest.raises(ValueError, match=re.escape(message)):
        Row("made", source, "lowest")

import re
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from demo.record.layers.layer_table import Row
from demo.record.layers.layers import Layer, describe, layer_of_starts
from seps import Explanation
from tests.helpers.models.record_words import layer_words, layers_of
from tests.helpers.models.records import CASES, WORDS, random_record, record_with_classes

TEXTS = [
    "photo",
    *(f"{name}{branch}" for name in ("mask", "score", "s_p", "s_st", "s_im", "s_dt") for branch in ("", ":dense")),
    "mask:both",
    *("token:1", "token:1:dense", "tokens", "tokens:dense", "extra", "extra:dense", "word:0", "word:11"),
]


def existing(record: Explanation) -> list[Layer]:
    layers = []
    for layer in map(Layer.parse, TEXTS):
        try:
            layer.check(record)
        except ValueError:
            continue
        layers.append(layer)
    return layers


def test_parts_of_the_text_form() -> None:
    assert all(str(Layer.parse(text)) == text for text in TEXTS)
    assert Layer.parse("token:12:dense") == Layer("token", 12, "dense")
    assert Layer.parse("word:0") == Layer("word", 0) and Layer.parse("mask") == Layer("mask", None, "sparse")
    assert str(Layer.parse("token:007")) == "token:7"


@pytest.mark.parametrize("text", ["", "heat", "mask:1", "token", "token:-1", "score:both", "token:" + "9" * 5000])
def test_unknown_layers_are_refused_with_a_list(text: str) -> None:
    with pytest.raises(ValueError, match=r"^There is no layer .*There are photo, mask, score, s_p, .* mask:both\.$"):
        Layer.parse(text)


def test_words_are_counted_as_in_a_sentence() -> None:
    record = random_record()  # of 4 word pieces, as "a tabby cat" has
    asked = ("word:2", "word:3", "word:[CLS]", "word:sep", "piece:3", "token:2", "fit:2")
    assert [layer_of_starts(text, (1, 2, 4), record) for text in asked] == [
        *("word:2", "word:4", "word:0", "word:5", "word:3", "token:2", "fit:2")
    ]
    for text, message in (
        ("word:4", "The caption has 3 words, 1 to 3, but word 4 was asked for"),
        ("piece:5", "The caption has 4 word pieces, 1 to 4, but piece 5 was asked for"),
    ):
        with pytest.raises(ValueError, match=message):
            layer_of_starts(text, (1, 2, 4), record)
    with pytest.raises(ValueError, match="The model reads 4 word pieces of the caption, and word 2 comes after them"):
        layer_of_starts("word:2", (1, 5), record)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("word:12", "The caption has 6 words, 0 to 5, but word 12"),
        ("token:6", "token 6 was asked for"),
        ("mask:dense", 'The layer "mask:dense" needs a dense caption'),
        ("s_p", "The sparse branch's score has no part s_p here"),
    ],
)
def test_what_a_record_lacks_is_told(text: str, message: str) -> None:
    record = random_record("released" if text == "s_p" else "paper")
    for use in (Layer.check, Layer.values, lambda layer, record: describe(record, layer)):
        with pytest.raises(ValueError, match=re.escape(message)):
            use(Layer.parse(text), record)


def test_a_branch_that_merges_nothing_has_no_token_layers() -> None:
    record = random_record(dense=True, use_dual_aggr=False)
    for text in ("token:1:dense", "tokens:dense"):
        with pytest.raises(ValueError, match="The dense branch merges no tokens here"):
            Layer.parse(text).check(record)
    Layer.parse("tokens").check(record)


@pytest.mark.parametrize("case", CASES[::2], ids=str)
def test_values_are_the_records(case: tuple[str, bool, tuple[int, int]]) -> None:
    record = random_record(*case)
    layers = existing(record)
    # photo, mask, score, three or two parts, token:1, tokens, extra, word:0; twice and more with a dense caption
    counts = {("paper", False): 10, ("released", False): 9, ("paper", True): 21, ("released", True): 17}
    assert len(layers) == counts[case[:2]]
    for layer in layers:
        branch = record.dense if layer.branch == "dense" else record.sparse
        assert branch is not None
        weights, other = branch.aggregation_weights, record.dense or record.sparse
        is_of_both = str(layer) == "mask:both"
        expected: Any = {
            "photo": np.empty((0, branch.kept.size)),
            "mask": branch.kept + 2 * other.kept if is_of_both else branch.kept,
            "score": branch.score,
            **branch.parts,
            "token": None if weights is None else weights[(layer.number or 1) - 1],
            "tokens": weights,
            "extra": branch.extra_weights,
            "word": record.sparse_alignment.word_maps[layer.number or 0],
        }[layer.name]
        shown = layer.values(record)
        assert np.array_equal(shown.values, expected) and np.array_equal(shown.kept, branch.kept)
        if layer.name != "photo":
            least = expected.min() if layer.name.startswith("s") else 0
            assert (shown.low, shown.high) == (least, 3 if is_of_both else max(least, expected.max()))
        named = record.dense is not None and layer.name not in ("photo", "word") and not is_of_both
        assert (f", {branch.name} branch" in shown.title) == named


def test_the_layer_of_classes_is_their_probability_and_names_the_one_of_most_patches() -> None:
    record = record_with_classes()
    assert record.classes is not None
    shown = Layer.parse("class").values(record)
    np.testing.assert_array_equal(shown.values, record.classes.probability)
    assert (shown.low, shown.high) == (0, record.classes.probability.max())
    names = record.classes.names
    most = max(sorted(set(names)), key=names.count)
    assert shown.sentence.endswith(f" Of {names.count(most)} patches of 28 it is {most}.")
    with pytest.raises(ValueError, match='The layer "class" needs a model that knows classes by name'):
        Layer.parse("class").values(random_record())


def test_words_are_named_with_their_best_token() -> None:
    record = random_record()
    alignment = record.sparse_alignment
    shown = Layer.parse("word:2").values(record)
    best = alignment.best_token[2]
    assert shown.title == f'Word map of "{WORDS[2]}"'
    assert shown.sentence.endswith(f"best, with {alignment.matrix[best, 2]:.3f}.")
    assert alignment.tokens[best].split()[-1] in shown.sentence


def masked(record: Explanation, kept: np.ndarray[tuple[int, ...], np.dtype[np.bool_]]) -> Explanation:
    return replace(record, sparse=replace(record.sparse, kept=kept.reshape(-1)))


def test_alternative_text_names_the_place() -> None:
    record = random_record(grid=(6, 6))
    kept = np.zeros((6, 6), dtype=bool)
    kept[4:, :3] = True
    assert describe(masked(record, kept), Layer("mask")) == "6 of 36 patches kept; most on the lower left"
    assert describe(masked(record, kept.T), Layer("mask")) == "6 of 36 patches kept; most on the upper right"
    chess = np.indices((6, 6)).sum(axis=0) % 2 == 0
    assert describe(masked(record, chess), Layer("mask")) == "18 of 36 patches kept; spread evenly"
    assert describe(masked(record, kept | True), Layer("mask")) == "36 of 36 patches kept"
    assert describe(record, Layer("photo")) == "the photo only"


def test_alternative_text_of_values_follows_the_values() -> None:
    record = random_record(grid=(6, 6))
    score = np.full((6, 6), -2.0)
    score[:2, :2] = -1.0
    high = replace(record, sparse=replace(record.sparse, score=score.reshape(-1)))
    text = describe(high, Layer("score"))
    assert text == (
        "Total significance score: from -2.000 to -1.000: the weighted sum of its parts; highest on the upper left"
    )
    flat = replace(record, sparse=replace(record.sparse, score=np.full(36, 0.25)))
    assert describe(flat, Layer("score")).endswith("the weighted sum of its parts")
    weights = np.zeros((2, 6, 6))
    weights[:, 2:4, 4:] = 0.25
    merged = replace(record, sparse=replace(record.sparse, aggregation_weights=weights.reshape(2, 36)))
    assert describe(merged, Layer("tokens")).endswith("; most of the weight on the middle right")


def test_nothing_dropped_leaves_the_extra_token_empty() -> None:
    record = random_record(sparse_ratio=1.0)
    shown = Layer("extra").values(record)
    assert (shown.low, shown.high) == (0, 0)
    assert describe(record, Layer("extra")) == "Extra token: nothing was dropped: every weight is 0"


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

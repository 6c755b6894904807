import json
from dataclasses import replace
from itertools import pairwise

import numpy as np
import pytest
import torch

from demo.record.contrast import (
    Contrast,
    Side,
    contrast,
    contrast_record,
    contrast_sentences,
    contrast_value,
    deciding,
    maps_of,
    marks,
    word_sentence,
)
from seps import CrossSparseAggrNet, explain, split_similarity

FIRST = ("[CLS]", "a", "dog", "and", "a", "skate", "##board", "[SEP]")
SECOND = ("[CLS]", "a", "cat", "on", "a", "dog", "[UNK]", "[SEP]")


def contrast_of(
    first: tuple[str, ...], second: tuple[str, ...], paper: bool = True, seed: int = 0, dense: int = 0
) -> Contrast:
    """A random network's: two photographs where both captions are the same words, else two captions; with a dense
    caption of `dense` words where that is not 0."""
    torch.manual_seed(seed)
    network = CrossSparseAggrNet(16, 24, 0.5, 0.4, paper).eval()
    images = torch.randn(2, 24, 16)
    captions = [torch.randn(len(first), 16)]
    captions.append(captions[0] if first == second else torch.randn(len(second), 16))
    dense_words = torch.randn(dense, 16) if dense else None
    one_photo = first != second
    sides = []
    for place, words in enumerate((first, second)):
        image = images[0 if one_photo else place]
        record = explain(network, image, captions[place], dense_words, words=words, grid=(4, 6))
        attribution, *others = split_similarity(network, record)
        title = "house" if one_photo or place == 0 else "boat"
        sides.append(Side(title, " ".join(words), record, attribution, place + 1, 9, *others))
    return contrast(*sides)


@pytest.mark.parametrize(
    ("second", "paper", "dense"), [(FIRST, True, 0), (FIRST, False, 11), (SECOND, True, 11), (SECOND, False, 0)]
)
def test_parts_add_up_to_each_similarity_and_to_the_difference(
    second: tuple[str, ...], paper: bool, dense: int
) -> None:
    result = contrast_of(FIRST, second, paper, dense=dense)
    assert ("dense" in {part.name for part in result.rest}) == bool(dense and not paper)
    assert any("A dense caption is used" in line for line in contrast_sentences(result)) == bool(dense)
    sent = contrast_record(result, "random")
    parts = [*sent["words"], *sent["rest"].values()]
    for side, shown in (("left", result.left), ("right", result.right)):
        assert sum(part[side] or 0.0 for part in parts) == pytest.approx(shown.record.similarity, abs=1e-5)
        assert sent[side]["similarity"] == pytest.approx(shown.record.similarity, abs=1e-5)
    assert sum(part["difference"] for part in parts) == pytest.approx(sent["difference"], abs=1e-9)
    assert all(part["difference"] >= other["difference"] for part, other in pairwise(sent["words"]))
    value = contrast_value(result)
    assert json.loads(json.dumps(value, allow_nan=False)) == value
    assert [side["reads"].split(", ")[1] for side in value["sides"]] == ["rank 1 of 9", "rank 2 of 9"]
    assert value["sum"] == pytest.approx([result.left.similarity, result.right.similarity, result.difference])
    assert [row["word"] for row in value["rows"]] == [part["word"] for part in sent["words"]]


def test_equal_words_of_two_captions_go_together_in_their_order() -> None:
    result = contrast_of(FIRST, SECOND)
    assert result.of_captions
    by_number = sorted(result.words, key=lambda part: part.number)
    assert [(part.name, *part.pieces) for part in by_number] == [
        ("a", (1,), (1,)),
        ("dog", (2,), (5,)),
        ("and", (3,), ()),
        ("a", (4,), (4,)),
        ("skateboard", (5, 6), ()),
        ("cat", (), (2,)),
        ("on", (), (3,)),
    ]
    board, cat = by_number[4], by_number[5]
    assert board.left == pytest.approx(result.left.attribution.of_words[5:7].sum()) and board.right is None
    assert cat.left is None and cat.difference == -(cat.right or 0.0)
    specials = result.rest[0]
    assert specials.right == pytest.approx(result.right.attribution.of_words[[0, 6, 7]].sum())
    assert "the other caption has not got it" in word_sentence(result, cat)


def test_both_maps_of_a_word_have_one_scale() -> None:
    result = contrast_of(FIRST, FIRST)
    value = contrast_value(result)
    for row in value["rows"]:
        part = next(part for part in result.words if part.number == row["number"])
        left, right = maps_of(result, part)
        assert row["most"] == max(left.max(), right.max())
    board = next(part for part in result.words if part.name == "skateboard")
    left, _ = maps_of(result, board)
    np.testing.assert_allclose(left, result.left.record.sparse_alignment.word_maps[5:7].mean(axis=0))
    absent = next(part for part in contrast_of(FIRST, SECOND).words if part.name == "cat")
    assert not maps_of(contrast_of(FIRST, SECOND), absent)[0].any()


def test_the_words_of_the_greatest_differences_are_marked_where_they_look_most() -> None:
    result = contrast_of(FIRST, FIRST)
    chosen = deciding(result)
    least = min(abs(part.difference) for part in chosen)
    assert {part.name for part in chosen} <= {"dog", "skateboard"}  # "a" and "and" have no place
    others = [part for part in result.words if part.name not in ("a", "and") and part not in chosen]
    assert all(abs(part.difference) <= least for part in others)
    for place in (0, 1):
        for mark in marks(result, place):
            part = next(part for part in result.words if part.number == mark["number"])
            assert mark["patch"] == maps_of(result, part)[place].argmax()
            assert mark["speaks"] == ((part.difference > 0) == (place == 0))


@pytest.mark.parametrize(("second", "seed"), [(FIRST, 0), (FIRST, 1), (SECOND, 0), (SECOND, 2)])
def test_sentences_name_what_comes_first_and_its_numbers(second: tuple[str, ...], seed: int) -> None:
    result = contrast_of(FIRST, second, seed=seed)
    first, other = result.names if result.difference >= 0 else result.names[::-1]
    order, parts, words = contrast_sentences(result)  # and no word, since no threshold was measured
    assert f"{first} comes before {other}" in order
    assert f"a difference of {abs(result.difference):.4f}" in order
    sign = 1 if result.difference >= 0 else -1
    assert f"The words have {sign * sum(part.difference for part in result.words):+.4f} of it" in parts
    best = max(result.words, key=lambda part: sign * part.difference)
    assert f"“{best.name}” favours {first} most ({sign * best.difference:.4f})" in words


def test_a_caption_set_against_itself_comes_before_nothing() -> None:
    side = contrast_of(FIRST, SECOND).left
    (sentence,) = contrast_sentences(contrast(side, replace(side, title="the same in capitals")))
    assert sentence.startswith("No difference: ")
    assert sentence.endswith(f"are level, word for word, at S = {side.similarity:.4f}.")

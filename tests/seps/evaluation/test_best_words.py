"""Which words are missing: the threshold at which that is right often enough, on a split and on checked facts."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from PIL import Image

from demo.galleries.packaged import load_examples
from seps.evaluation.best_words import (
    Cases,
    best_words,
    check_cases,
    compute_scores,
    precise_threshold,
    read_checked,
    split_cases,
)
from seps.explanation.caption_words import caption_words, is_content
from seps.models.model import SEPSModel
from seps.models.unmatched_words import UnmatchedRule, best_cosine, unmatched_words
from tests.helpers.tiny import DRAWN_WORDS, tiny_model, write_tiny_bert

CHECKED = Path(__file__).parents[3] / "assets" / "galleries" / "checked_words.json"


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> SEPSModel:
    return tiny_model(write_tiny_bert(tmp_path_factory.mktemp("bert"), DRAWN_WORDS))


def cases(*pairs: tuple[float, bool]) -> Cases:
    return Cases(np.array([cosine for cosine, _ in pairs]), np.array([missing for _, missing in pairs]))


STEPS = cases((0.1, True), (0.2, True), (0.3, False), (0.4, True), (0.5, False))


@pytest.mark.parametrize(("precision", "threshold"), [(1.0, 0.3), (0.75, 0.5), (0.6, 0.9), (0.76, 0.3)])
def test_the_threshold_is_the_greatest_that_is_right_often_enough(precision: float, threshold: float) -> None:
    assert precise_threshold([STEPS], 0.9, precision) == threshold
    assert best_words(STEPS, threshold).right >= precision  # type: ignore[operator]


def test_it_must_be_right_in_every_set_and_no_greater_than_asked() -> None:
    strict = cases((0.15, True), (0.25, False))
    assert precise_threshold([STEPS, strict], 0.9, 1.0) == 0.25
    assert precise_threshold([STEPS], 0.2, 1.0) == 0.2


def test_no_threshold_tells_too_few_or_nothing_right() -> None:
    assert precise_threshold([cases((0.1, False), (0.2, True))], 0.9, 0.95) is None
    rare = cases((0.1, True), (0.2, False), *[(0.3, True)] * 30)
    assert precise_threshold([rare], 0.25, 1.0) is None  # one of 31 missing words
    none = best_words(STEPS, None)
    assert (none.below, none.right, none.recall) == (0, None, 0)


def test_figures_count_what_lies_below() -> None:
    figures = best_words(STEPS, 0.45)
    assert (figures.words, figures.missing, figures.below, figures.right, figures.recall) == (5, 3, 4, 0.75, 1.0)


def test_words_are_those_of_the_best_image_and_of_the_best_other_one(model: SEPSModel) -> None:
    photos = [Image.new("RGB", (56, 56), colour) for colour in ("red", "blue", "green")]
    captions = ["a red disc", "a blue square", "a bar"]
    embeddings = model.encode_photos(photos)
    scores = compute_scores(model, embeddings, captions)
    expected = []
    for number, caption in enumerate(captions):
        order = scores[:, number].argsort(descending=True).tolist()
        best = [order[0], next(image for image in order if image != number)]
        records = [model.explain(photos[image], caption) for image in best]
        words = [
            unmatched_words(record, UnmatchedRule(2.0)) for record in records
        ]  # every content word lies below that
        for pair in zip(*words, strict=True):
            for image, record, word in zip(best, records, pair, strict=True):
                expected.append((best_cosine(record, word), image != number))
    cases = split_cases(model, embeddings, captions, lambda word, image: word in captions[image], is_content)
    np.testing.assert_allclose(cases.cosines, [cosine for cosine, _ in expected], atol=1e-5)
    assert cases.missing.tolist() == [missing for _, missing in expected]


def facts(folder: Path, **changes: Any) -> Path:
    """A file of facts about one red picture."""
    Image.new("RGB", (56, 56), "red").save(folder / "red.png")
    values = {"images": {"red": "red.png"}, "captions": ["a red bar"], "shows": {"red": ["red"], "bar": []}} | changes
    file = folder / "checked.json"
    file.write_text(json.dumps(values))
    return file


def test_checked_facts_tell_what_is_missing(model: SEPSModel, tmp_path: Path) -> None:
    checked = read_checked(facts(tmp_path))
    embeddings = model.encode_photos([Image.open(file) for file in checked.images.values()])
    assert check_cases(model, embeddings, checked, is_content).missing.tolist() == [False, True]
    unchecked = read_checked(facts(tmp_path, shows={"red": ["red"]}))
    with pytest.raises(ValueError, match="Nothing was checked of the word 'bar'"):
        check_cases(model, embeddings, unchecked, is_content)


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"captions": "a red bar"}, 'checked.json needs "images", "captions" and "shows"'),
        ({"shows": {"red": ["blue"]}}, "checked.json has no image 'blue' under \"images\""),
        ({"images": {"red": "nowhere.png"}}, "nowhere.png does not exist"),
        (
            {"images": {"red": "package:absent_package/red.png"}},
            "package:absent_package/red.png needs the package",
        ),
    ],
    ids=str,
)
def test_facts_that_cannot_be_used_are_told(tmp_path: Path, changes: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=re.escape(message)):
        read_checked(facts(tmp_path, **changes))


def test_the_facts_that_ship_are_of_the_examples_and_complete() -> None:
    checked = read_checked(CHECKED)
    assert checked.images == {example.name: example.path() for example in load_examples()}
    words = {word.text for text in checked.captions for word in caption_words(text.split()) if is_content(word.text)}
    assert words == checked.shows.keys()
    shown = sum(len(names) for names in checked.shows.values())
    assert shown >= 100 and sum(not names for names in checked.shows.values()) >= 30

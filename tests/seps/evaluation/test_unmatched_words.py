"""The threshold of words that found nothing: precise on best images, and no greater than other images' words allow."""

from __future__ import annotations

import json
import re
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from seps.data import PhraseBoxes, SentencePhrases, Split, read_split
from seps.evaluation import unmatched_words as program
from seps.evaluation.best_words import read_checked
from seps.evaluation.harness import main
from seps.evaluation.unmatched_words import (
    CONTENT,
    FUNCTION,
    MODIFIERS,
    NOUNS,
    OUTSIDE,
    SPECIAL,
    best_cosines,
    classify_words,
    measure_unmatched_words,
    sentence_kinds,
)
from seps.explanation.caption_words import is_content
from seps.models.model import SEPSModel
from seps.models.unmatched_words import FILE_NAME, UnmatchedRule, read_rule, unmatched_words
from tests.helpers.drawn_data import write_split
from tests.helpers.tiny import DRAWN_WORDS, tiny_model, write_tiny_bert


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> SEPSModel:
    return tiny_model(write_tiny_bert(tmp_path_factory.mktemp("bert"), DRAWN_WORDS))


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_split(tmp_path_factory.mktemp("data"), images=5)


@pytest.fixture(scope="module")
def split(folder: Path) -> Split:
    return read_split(folder, "dev")


def words_of(model: SEPSModel, split: Split, matching: bool) -> list[float]:
    """Each content word's best cosine with its own or the other image, from explanations one by one."""
    from seps.data import open_image
    from seps.models.unmatched_words import best_cosine

    k, count, cosines = split.captions_per_image, len(split.image_files), []
    for number, caption in enumerate(split.captions):
        image = number // k if matching else (number // k + count // 2) % count
        others = " ".join(split.captions[image * k : (image + 1) * k]).split()
        record = model.explain(open_image(split.image_files[image]), caption)
        for word in unmatched_words(record, UnmatchedRule(2.0)):  # every content word lies below that
            if matching or word.text.rstrip("s") not in {other.rstrip("s") for other in others}:
                cosines.append(best_cosine(record, word))
    return cosines


def test_the_threshold_is_the_quantile_of_other_images_words(model: SEPSModel, split: Split) -> None:
    result = measure_unmatched_words(model, split, quantile=0.8, name="tiny", precision=0.01)  # which any threshold has
    right, others = words_of(model, split, True), words_of(model, split, False)
    assert (result.model, result.images, result.captions) == ("tiny", 5, 25)
    assert result.threshold == pytest.approx(np.quantile(others, 0.8), abs=1e-3)
    content = result.classes[CONTENT]
    assert (content.words, content.others) == (len(right), len(others))
    assert content.below == pytest.approx(np.mean(np.array(right) < np.quantile(others, 0.8)), abs=0.02)
    assert content.others_below == pytest.approx(0.8, abs=0.05)
    assert content.median == pytest.approx(np.median(right), abs=1e-3)
    assert set(result.classes) == {CONTENT, FUNCTION, SPECIAL}
    assert result.classes[SPECIAL].words == 50
    assert f"threshold {result.threshold:.4f}: right in 1 of 100 cases" in result.table()
    assert f"said of {result.best.below:,} of {result.best.words:,} content words" in result.table()


def test_nouns_alone_have_a_threshold_of_their_own(model: SEPSModel, split: Split) -> None:
    box = ((0.0, 0.0, 1.0, 1.0),)
    entities = [
        [
            SentencePhrases(caption, (PhraseBoxes(" ".join(caption.split()[:3]), 0, "other", box),))
            for caption in split.captions[start : start + 5]
        ]
        for start in range(0, 25, 5)
    ]
    result = measure_unmatched_words(model, split, entities, nouns=True, precision=0.01)
    content = measure_unmatched_words(model, split, entities, precision=0.01)
    assert (result.marks, content.marks, content.words) == (NOUNS, CONTENT, None)
    assert result.words == ("bar", "disc", "square")
    assert result.threshold == pytest.approx(result.others_threshold, abs=1e-4)
    assert result.others_threshold == result.classes[NOUNS].own_threshold
    assert result.best.words < content.best.words
    with pytest.raises(ValueError, match="split dev has no nouns that belong only to another image"):
        measure_unmatched_words(model, split, nouns=True)


def test_a_matched_caption_has_the_cosines_of_its_explanation(model: SEPSModel, split: Split) -> None:
    from seps.data import open_image

    images = model.encode_photos([open_image(file) for file in split.image_files[:2]])
    model.train()
    rows = best_cosines(model, images, split.captions[:3])
    assert model.cross_net.training
    model.eval()
    for caption, cosines in zip(split.captions[:3], rows, strict=True):
        for place in (0, 1):
            record = model.explain(open_image(split.image_files[place]), caption)
            np.testing.assert_allclose(cosines[place], record.sparse_alignment.cosines.max(axis=0), atol=1e-5)


def test_words_have_their_classes() -> None:
    labels = ("[CLS]", "a", "dog", "##s", ".", "red", "runs", "[UNK]", "[SEP]")
    best = np.arange(9) / 10
    kinds = {2: NOUNS, 3: NOUNS, 5: MODIFIERS}
    labelled = list(classify_words(labels, best, kinds, frozenset()))
    assert sorted(labelled) == sorted(
        [
            (SPECIAL, 0.0),
            (SPECIAL, 0.8),
            (FUNCTION, 0.1),
            *[(kind, pytest.approx(0.3)) for kind in (CONTENT, NOUNS)],
            *[(kind, 0.5) for kind in (CONTENT, MODIFIERS)],
            *[(kind, pytest.approx(0.6)) for kind in (CONTENT, OUTSIDE)],
        ],
        key=lambda entry: (entry[0], getattr(entry[1], "expected", entry[1])),
    )
    left_out = list(classify_words(labels, best, None, frozenset({"dog", "red"})))
    assert left_out == [(SPECIAL, 0.0), (SPECIAL, 0.8), (FUNCTION, 0.1), (CONTENT, pytest.approx(0.6))]
    assert [is_content(word) for word in ("dog", "With", ".", "##s", "2", "t-shirt")] == [True, *[False] * 4, True]


def test_the_last_word_of_a_phrase_is_its_noun(model: SEPSModel) -> None:
    phrases = (PhraseBoxes("the red disc", 1, "other", ((0.0, 0.0, 1.0, 1.0),)),)
    (kinds,) = sentence_kinds(model, [SentencePhrases("on the red disc is blue", phrases)]).values()
    assert kinds == {2: MODIFIERS, 3: MODIFIERS, 4: NOUNS}


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"quantile": 1.0}, "quantile is 1.0"),
        ({"precision": 0}, "precision is 0, but it must lie above 0 and be at most 1"),
        ({"entities": [[]]}, "entities has 1 images, but split dev has 5"),
    ],
    ids=str,
)
def test_what_cannot_be_measured_is_told(model: SEPSModel, split: Split, options: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=re.escape(message)):
        measure_unmatched_words(model, split, **options)


def test_the_program_writes_what_the_app_reads(
    model: SEPSModel, folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("seps.evaluation.cli.load_model", lambda name: model)
    file = tmp_path / FILE_NAME
    words = [
        "--measure",
        "unmatched_words",
        "--model",
        "tiny",
        "--data",
        str(folder),
        "--split",
        "dev",
        "--device",
        "cpu",
        "--json",
        str(file),
    ]
    main([*words, "--precision", "0.01"])
    facts = json.loads(file.read_text())
    assert f"threshold {facts['threshold']:.4f}" in capsys.readouterr().out
    assert read_rule(tmp_path) == UnmatchedRule(facts["threshold"])
    assert facts["classes"][CONTENT]["others_below"] == pytest.approx(0.95, abs=0.05)


def test_a_model_without_a_measurement_has_no_threshold(tmp_path: Path) -> None:
    assert read_rule(tmp_path) is read_rule(None) is None
    (tmp_path / FILE_NAME).write_text('{"threshold": null}')
    assert read_rule(tmp_path) is None
    (tmp_path / FILE_NAME).write_text('{"threshold": 7}')
    with pytest.raises(ValueError, match=r"found-words\.json has no threshold from -1 to 1"):
        read_rule(tmp_path)


def test_a_record_is_read_word_by_word() -> None:
    cosines = np.array([[0.9, 0.1, 0.2, 0.6, 0.9], [0.9, 0.1, 0.1, 0.1, 0.9]])
    alignment = SimpleNamespace(words=("[CLS]", "dog", "snow", "##y", "[SEP]"), cosines=cosines)
    record: Any = SimpleNamespace(sparse_alignment=alignment)
    assert [word.text for word in unmatched_words(record, UnmatchedRule(0.5))] == ["dog"]
    assert unmatched_words(record, UnmatchedRule(0.5, frozenset({"snowy"}))) == []


def test_without_a_threshold_that_is_right_often_enough_nothing_is_said(
    model: SEPSModel, split: Split, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(program, "precise_threshold", lambda *_: None)
    result = measure_unmatched_words(model, split)
    assert result.threshold is None and result.best.below == 0
    assert result.classes[CONTENT].others_below == pytest.approx(0.95, abs=0.05)  # as with a threshold
    assert "nothing is said of words" in result.table()


def test_checked_facts_bound_the_threshold(model: SEPSModel, split: Split, tmp_path: Path) -> None:
    names = {file.name: str(file.resolve()) for file in split.image_files}
    facts = {"images": names, "captions": ["a red disc"], "shows": {"red": list(names), "disc": list(names)}}
    (tmp_path / "checked.json").write_text(json.dumps(facts))
    result = measure_unmatched_words(model, split, checked=read_checked(tmp_path / "checked.json"), precision=0.01)
    assert result.threshold is None  # every checked word is there
    assert result.checked is not None and (result.checked.words, result.checked.missing) == (2, 0)

"""Typed captions: every odd one is read, or refused in one sentence."""

from __future__ import annotations

import re

import pytest

from demo.service.captions import MAX_CHARACTERS, MAX_TYPED, read_caption, read_typed
from demo.service.retrieval import RetrievalService


@pytest.mark.parametrize(
    ("text", "read"),
    [
        ("  a dog \n runs  ", "a dog runs"),
        ("<b>a dog</b> & $x$ [SEP]", "<b>a dog</b> & $x$ [SEP]"),
        ("a d\0g", "a d g"),
    ],
)
def test_white_space_goes_and_markup_stays(service: RetrievalService, text: str, read: str) -> None:
    reading = read_caption(service.model, text)
    assert (reading.text, reading.note) == (read, "")


FULL_WIDTH = "".join(chr(0xFEE0 + ord(letter)) if letter > " " else letter for letter in "AN ORANGE FLOWER")


@pytest.mark.parametrize("text", [FULL_WIDTH, "an orange \ufb02ower", "\U0001d41a\U0001d427 orange flower"])
def test_letters_of_another_style_are_read_without_a_note(service: RetrievalService, text: str) -> None:
    reading = read_caption(service.model, text)
    assert reading.note == ""
    assert service.model.words(reading.text) == service.model.words("an orange flower")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (None, "The caption is empty"),
        (" \n\t", "The caption is empty"),
        ("a " * 5000, "The caption has 9,999 characters"),
        ("🐶🐱", 'The model knows none of the words in "🐶🐱"'),
        ("𓀀 𓀁", 'The model knows none of the words in "𓀀 𓀁"'),
    ],
    ids=["none", "blanks", "long", "emoji", "hieroglyphs"],
)
def test_what_cannot_be_read_is_refused(service: RetrievalService, text: str | None, message: str) -> None:
    with pytest.raises(ValueError, match=re.escape(message)) as caught:
        read_caption(service.model, text)
    assert "\n" not in str(caught.value)


def test_a_note_says_what_the_model_does_not_read(service: RetrievalService) -> None:
    long = " ".join(["dog"] * 40)
    assert read_caption(service.model, long).note == "The model reads the first 28 of 40 word pieces of the caption."
    assert len(service.model.words(long)) == 30  # with [CLS] and [SEP]
    assert read_caption(service.model, long, dense=True).note == ""
    assert "does not know 1 of 3 word pieces" in read_caption(service.model, "a dog 🐶").note


def test_typed_captions_come_one_a_line(service: RetrievalService) -> None:
    assert read_typed(service.model, "a dog\n\n  a cat \n") == ["a dog", "a cat"]
    assert read_typed(service.model, None) == []
    with pytest.raises(ValueError, match='Line 3: The model knows none of the words in "🐶"'):
        read_typed(service.model, "a dog\n\n🐶")
    with pytest.raises(ValueError, match="There are 201 captions"):
        read_typed(service.model, "a dog\n" * (MAX_TYPED + 1))
    assert MAX_CHARACTERS == 2000

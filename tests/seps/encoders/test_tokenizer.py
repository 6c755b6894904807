import shutil
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
import torch
from transformers import AutoTokenizer

from seps.encoders import Tokenizer
from seps.encoders.config import TextConfig
from seps.encoders.sources import MINILM_PACKAGE, package_folder
from tests.helpers.models.tiny import WORDS, tiny_model

SENTENCES = (
    "A snowboarder's dog, wearing a café-coloured coat, jumps over 2.5 metres!",
    "  two   children   ",
    "你好 Straße naïve ÅNGSTRÖM",
    "",
)


@pytest.fixture(scope="module")
def tokenizer() -> Tokenizer:
    return Tokenizer.from_config(TextConfig("bert-base-uncased", "none"))


def test_the_packages_vocabulary_is_that_of_bert_base(tokenizer: Tokenizer) -> None:
    known = {"[PAD]": 0, "[UNK]": 100, "[CLS]": 101, "[SEP]": 102, "[MASK]": 103, "the": 1996, "hello": 7592}
    vocabulary = tokenizer.tokenizer.get_vocab()
    assert len(vocabulary) == 30522
    assert {word: vocabulary[word] for word in known} == known
    assert (tokenizer.pad_id, tokenizer.cls_id, tokenizer.sep_id, tokenizer.mask_id) == (0, 101, 102, 103)


def test_ids_are_those_of_transformers(tokenizer: Tokenizer) -> None:
    reference = AutoTokenizer.from_pretrained(package_folder(MINILM_PACKAGE), local_files_only=True)
    for sentence in SENTENCES:
        ids = reference(sentence, truncation=False, padding=False)["input_ids"]
        assert tokenizer.encode(sentence, 200) == tokenizer.encode(sentence, len(ids)) == ids
        assert tokenizer.labels(ids) == reference.convert_ids_to_tokens(ids)


def test_letters_of_another_style_are_letters(tokenizer: Tokenizer) -> None:
    bold = "".join(chr(0x1D41A + ord(c) - 97) if c.isalpha() else c for c in "an orange flower")
    for plain, styled in (
        ("an orange flower", bold),  # mathematical letters
        ("an office", "an o\ufb03ce"),  # a ligature of three
        ("an orange flower", "an\u00a0orange\u2009flower"),
    ):
        assert tokenizer.words(styled) == tokenizer.words(plain)


def test_long_captions_are_cut_before_sep(tokenizer: Tokenizer) -> None:
    caption = "dog " * 500
    whole = tokenizer.encode(caption, 1000)
    assert len(whole) == 502
    for limit in (2, 30):
        ids = tokenizer.encode(caption, limit)
        assert len(ids) == limit
        assert ids == [*whole[: limit - 1], tokenizer.sep_id]
    with pytest.raises(ValueError, match="max_tokens is 1"):
        tokenizer.encode(caption, 1)


def test_special_tokens_typed_in_a_caption_are_ordinary_words(tokenizer: Tokenizer) -> None:
    ids = tokenizer.encode("a [SEP] dog [MASK]", 30)
    assert ids.count(tokenizer.sep_id) == 1
    assert tokenizer.mask_id not in ids
    assert tokenizer.labels(ids)[1:6] == ["a", "[", "sep", "]", "dog"]


def test_what_does_not_fit() -> None:
    no_mask: Any = SimpleNamespace(is_fast=True, cls_token_id=1, sep_token_id=2, mask_token_id=None, pad_token_id=0)
    with pytest.raises(ValueError, match="SimpleNamespace has no mask token"):
        Tokenizer(no_mask)
    no_mask.is_fast = False
    with pytest.raises(ValueError, match="SimpleNamespace has no fast version"):
        Tokenizer(no_mask)


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("config.json", b"[]", "config.json holds a JSON list"),
        ("special_tokens_map.json", b"", r"special_tokens_map\.json .*it is empty"),
        ("tokenizer.json", b'{"a": "\xe9"}', r"tokenizer\.json .*byte 7 is not UTF-8"),
        ("vocab.txt", b"caf\xe9", r"bert/vocab\.txt cannot be read as text in UTF-8"),
        ("vocab.txt", b"a\ndog", r"holds no tokenizer that transformers can read: .*Missing \[UNK\]"),
    ],
)
def test_files_that_describe_no_tokenizer_are_named(
    bert: Path, tmp_path: Path, name: str, content: bytes, message: str
) -> None:
    folder = Path(shutil.copytree(bert, tmp_path / "bert"))
    (folder / name).write_bytes(content)
    with pytest.raises(ValueError, match=message):
        Tokenizer.from_config(TextConfig(f"folder:{folder}", "none"))


def test_decoding_gives_the_words_back(tokenizer: Tokenizer) -> None:
    ids = tokenizer.encode("Two dogs, and a skateboarding kangaroo", 40)
    padded = tokenizer.pad([ids, ids[:3]])[0]
    expected = "two dogs, and a skateboarding kangaroo"
    assert tokenizer.decode(ids) == tokenizer.decode(torch.tensor(ids)) == expected
    assert tokenizer.decode(padded[1]) == "two dogs"


def test_a_vocabulary_beyond_the_encoder_s_is_refused(bert: Path, tmp_path: Path) -> None:
    folder = Path(shutil.copytree(bert, tmp_path / "bert"))
    (folder / "vocab.txt").write_text("\n".join([*WORDS, "cat"]))
    assert Tokenizer.from_config(TextConfig(f"folder:{folder}", "none")).size == 14
    with pytest.raises(ValueError, match="bert has 14 words"):
        tiny_model(folder)

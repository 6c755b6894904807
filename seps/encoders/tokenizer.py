"""Tokenizer: captions to ids from [CLS] to [SEP], word by word."""

from __future__ import annotations

import unicodedata
from collections.abc import Sequence
from itertools import accumulate, chain, pairwise
from typing import Any

import torch
from torch import Tensor
from torch.nn.utils.rnn import pad_sequence
from transformers import AutoTokenizer, PreTrainedTokenizerFast

from seps.common.checks import check_text
from seps.encoders.config import TextConfig
from seps.encoders.sources import MINILM_PACKAGE, find_folder, package_folder
from seps.encoders.weights import BERT_BASE, TOKENIZER_FILES, check_described

UNKNOWN = "\u9f98"  # a word that hardly any vocabulary has


class Tokenizer:
    """Wrapper of a transformers fast tokenizer with [CLS], [SEP], [MASK] and [PAD]; ValueError without these."""

    def __init__(self, tokenizer: PreTrainedTokenizerFast) -> None:
        if not getattr(tokenizer, "is_fast", False):
            raise ValueError(f"{type(tokenizer).__name__} has no fast version, which is needed for words.")
        special = {name: getattr(tokenizer, f"{name}_token_id") for name in ("cls", "sep", "mask", "pad")}
        absent = [name for name, number in special.items() if number is None]
        if absent:
            raise ValueError(
                f"{type(tokenizer).__name__} has no {absent[0]} token, but [CLS], [SEP], [MASK] and [PAD] are needed."
            )
        self.cls_id, self.sep_id = int(special["cls"]), int(special["sep"])
        self.mask_id, self.pad_id = int(special["mask"]), int(special["pad"])
        self.unk_id = self.pad_id if tokenizer.unk_token_id is None else int(tokenizer.unk_token_id)
        self.tokenizer = tokenizer
        self._backend = tokenizer.backend_tokenizer
        self._backend.no_truncation()
        self._backend.no_padding()
        self._backend.encode_special_tokens = True  # "[SEP]" typed in a caption is three words like any other
        vocabulary = tokenizer.get_vocab()
        self.size = 1 + max(vocabulary.values())
        barred = set(tokenizer.all_special_ids)
        self.ordinary_ids: list[int] = sorted(
            number for token, number in vocabulary.items() if number not in barred and not token.startswith("[unused")
        )

    @classmethod
    def from_config(cls, config: TextConfig) -> Tokenizer:
        """Return the tokenizer of an encoder; BERT-base and MiniLM share the installed vocabulary."""
        source = config.encoder
        if source in BERT_BASE:
            try:
                package_folder(MINILM_PACKAGE)
                source = f"package:{MINILM_PACKAGE}"
            except ValueError:
                pass  # then from the hub
        folder = find_folder(source, ("config.json", *TOKENIZER_FILES))
        try:
            tokenizer: Any = AutoTokenizer.from_pretrained(folder, use_fast=True, local_files_only=True)
            tokenizer(UNKNOWN)  # a vocabulary without [UNK] would fail at the first such word
        except Exception as error:  # transformers and tokenizers raise whatever a file's content leads them to
            check_described(folder)
            raise ValueError(f"{folder} holds no tokenizer that transformers can read: {error}") from error
        return cls(tokenizer)

    def words(self, caption: str) -> list[list[int]]:
        """Return the word pieces of each basic word, without special tokens; letters are normalised by `folded`."""
        check_text("caption", caption)
        encoding = self._backend.encode(folded(caption), add_special_tokens=False)
        words: list[list[int]] = []
        last: int | None = None
        for piece, word in zip(encoding.ids, encoding.word_ids, strict=True):
            if word != last or word is None:
                words.append([])
            words[-1].append(piece)
            last = word
        return words

    def encode(self, caption: str, max_tokens: int) -> list[int]:
        """Encode a caption as ids from [CLS] to [SEP], 2 to `max_tokens`; the rest is cut before [SEP]."""
        if max_tokens < 2:
            raise ValueError(f"max_tokens is {max_tokens}, but [CLS] and [SEP] already need 2.")
        pieces = [piece for word in self.words(caption) for piece in word]
        return [self.cls_id, *pieces[: max_tokens - 2], self.sep_id]

    def pad(self, captions: Sequence[Sequence[int]]) -> tuple[Tensor, Tensor]:
        """Pad captions of ids to (B, L) int64 with [PAD]; return them with lengths (B,) int64."""
        lengths = torch.tensor([len(caption) for caption in captions], dtype=torch.int64)
        return pad_sequence([torch.tensor(c) for c in captions], batch_first=True, padding_value=self.pad_id), lengths

    def decode(self, ids: Sequence[int] | Tensor) -> str:
        """Decode ids (L,) without special tokens; in lower case if the vocabulary has only that."""
        return str(self.tokenizer.decode(torch.as_tensor(ids).tolist(), skip_special_tokens=True))

    def labels(self, ids: Sequence[int]) -> list[str]:
        """Return the text of each id: "[CLS]", "dog", "##s"."""
        return list(self.tokenizer.convert_ids_to_tokens(list(ids)))


def folded(text: str) -> str:
    """Normalise full-width letters, ligatures and mathematical letters to ordinary ones (Unicode's NFKC)."""
    return unicodedata.normalize("NFKC", text)


def word_tokens(tokenizer: Tokenizer, sentence: str) -> list[range] | None:
    """Return the positions of each word's tokens in the encoded sentence, or None if words share tokens."""
    pieces = [list(chain(*tokenizer.words(word))) for word in sentence.split()]
    if list(chain(*pieces)) != list(chain(*tokenizer.words(sentence))):
        return None
    return [range(first, last) for first, last in pairwise(accumulate(map(len, pieces), initial=1))]


def first_pieces(sentence: str, tokenizer: Tokenizer) -> list[int]:
    """Return the position of each word's first token, with [CLS] at 0; words are split at spaces."""
    places = word_tokens(tokenizer, sentence)
    if places is not None:
        return [place.start for place in places if len(place)]
    words = tokenizer.words(sentence)  # as the tokenizer splits them
    return list(accumulate(map(len, words), initial=1))[:-1]

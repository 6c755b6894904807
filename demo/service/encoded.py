"""Encoded captions, for reuse in ranking and explanation."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from torch import Tensor
from torch.nn.utils.rnn import pad_sequence

from seps import CaptionIndex, ScoringEngine, SEPSModel
from seps.models.known_captions import with_vectors


@dataclass(frozen=True, eq=False)
class EncodedCaption:
    """A caption, with an optional dense caption.

    Attributes:
        text, dense: as read by `read_caption`; None without a dense caption.
        words: (L_s, C), of the caption; dense_words: (L_d, C), of the dense caption; both on the model's device.
    """

    text: str
    dense: str | None
    words: Tensor
    dense_words: Tensor | None

    @property
    def alone(self) -> EncodedCaption:
        """The caption without its dense caption."""
        return replace(self, dense=None, dense_words=None)


def encode_caption(model: SEPSModel, text: str, dense: str | None = None) -> EncodedCaption:
    """Encode a validated caption and an optional dense caption, in the calling thread."""
    dense_words = encode_texts(model, [dense], dense=True)[0] if dense else None
    return EncodedCaption(text, dense or None, encode_texts(model, [text])[0], dense_words)


def encode_texts(model: SEPSModel, texts: Sequence[str], dense: bool = False) -> list[Tensor]:
    """Encode texts in one batch, each as words (L, C) without padding; `dense` as for `SEPSModel.encode_captions`."""
    words, lengths = model.encode_captions(texts, dense)  # (T, L, C) and (T,)
    return [row[:length].clone() for row, length in zip(words, lengths.tolist(), strict=True)]  # a row holds no others


def encode_with_vectors(model: SEPSModel, texts: Sequence[str]) -> list[tuple[Tensor, Tensor]]:
    """Encode captions in one batch, each as words (L, C) without padding and the vector (D_t,) for comparison with
    the training captions."""
    words, lengths, vectors = with_vectors(model, texts)  # (T, L, C), (T,) and (T, D_t)
    return [
        (row[:length].clone(), vector) for row, length, vector in zip(words, lengths.tolist(), vectors, strict=True)
    ]


def index_captions(engine: ScoringEngine, captions: Sequence[EncodedCaption]) -> CaptionIndex:
    """Index captions for the engine; all or none must have a dense caption."""
    sparse = [caption.words for caption in captions]
    dense = [caption.dense_words for caption in captions if caption.dense_words is not None]
    rest = padded(dense) if dense else ()
    return engine.encode_captions(*padded(sparse), *rest)


def padded(texts: Sequence[Tensor]) -> tuple[Tensor, list[int]]:
    """Pad the words (L, C) of T texts to (T, L, C) with zeros; also return the lengths."""
    return pad_sequence(list(texts), batch_first=True), [len(words) for words in texts]

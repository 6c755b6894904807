"""Encoding of captions, for reuse in ranking and explanation, and explanation of an image and a caption with the
model's network or another one."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import torch
from torch import Tensor
from torch.nn.utils.rnn import pad_sequence

from seps import CaptionIndex, CrossSparseAggrNet, Explanation, ImageIndex, ScoringEngine, SEPSModel, explain
from seps.common.checks import Mask
from seps.encoders.classes import PatchClasses


def explain_pair(
    model: SEPSModel,
    image: Tensor | ImageIndex,
    caption: EncodedCaption,
    net: CrossSparseAggrNet | None = None,
    generator: torch.Generator | None = None,
    mask: Mask | None = None,
    dense_mask: Mask | None = None,
    seen: PatchClasses | None = None,
) -> Explanation:
    """Explain an image and a caption, by default with the model's network and decisions. `image`: patches (N[+1], C),
    or an index of one image, which is not encoded again; `mask`, `dense_mask`: (N,) bool; `seen`: by the image
    backbone's classifier, for a model with class vectors."""
    features = image.features() if isinstance(image, ImageIndex) else image.to(model.device)
    record = explain(
        model.cross_net if net is None else net,
        features,
        caption.words,
        caption.dense_words,
        words=model.words(caption.text),
        dense_words=model.words(caption.dense, dense=True) if caption.dense else None,
        grid=model.grid,
        generator=generator,
        mask=mask,
        dense_mask=dense_mask,
    )
    patches = features if isinstance(features, Tensor) else features.patches[0]
    return model.with_classes(record, seen, patches, caption.words)


@dataclass(frozen=True, eq=False)
class EncodedCaption:
    """A caption as read, with a dense caption or None."""

    text: str
    dense: str | None
    words: Tensor  # (L_s, C), on the model's device
    dense_words: Tensor | None  # (L_d, C)

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


def index_captions(engine: ScoringEngine, captions: Sequence[EncodedCaption]) -> CaptionIndex:
    """Index captions for the engine; all or none must have a dense caption."""
    sparse = [caption.words for caption in captions]
    dense = [caption.dense_words for caption in captions if caption.dense_words is not None]
    padded: list[Any] = [
        part
        for texts in (sparse, dense)
        if texts
        for part in (pad_sequence(texts, batch_first=True), [len(words) for words in texts])  # (T, L, C), (T,)
    ]
    return engine.encode_captions(*padded)

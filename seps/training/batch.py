"""What a training step sees of a batch."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from torch import Tensor

from seps.training.decision import PhraseRegions
from seps.training.phrases import PhraseBox


@dataclass(frozen=True)
class StepBatch:
    """What a step sees. With cached features, images and captions are features; without, pixels and token ids.

    Attributes:
        images: (B, 3, S, S) or (B, N[+1], D_v).
        captions: (B, L) or (B, L, D_t); lengths: (B,).
        dense_captions: (B, L_d) or (B, 1, D_t), the dense captions' mean words; dense_lengths: (B,).
        img_ids: (B,), the image of each caption.
        cached: which of the two.
        phrases: (image of the batch, caption of the batch, phrase) each, ordered by image.
        pooled: pooled features of images, (P, 1, D_v) or with context (P, 2, D_v): mean patch, smaller view; mean words
            of captions (P, D_t); image numbers (P,). Or None.
        pretraining: no network yet: captions need not be one an image.
        classes: features of class prototypes (Q, 1, D_v) or with context (Q, 2, D_v), words of their captions
            (Q, L, D_t) and their lengths (Q,), and the classes' numbers (Q,); or None.
        named: (B, N) bool, the patches that any caption of the image names, or None.
        regions: phrases as captions of their own, their words as features, with their regions; or None.
        rows: (B_t,), with pixels, or where parts of a backbone learn along, the place of each caption's image in the
            batch.
    """

    images: Tensor
    captions: Tensor
    lengths: Tensor
    dense_captions: Tensor | None
    dense_lengths: Tensor | None
    img_ids: Tensor
    cached: bool
    phrases: Sequence[tuple[int, int, PhraseBox]] = ()
    pooled: tuple[Tensor, Tensor, Tensor] | None = None
    pretraining: bool = False
    rows: Tensor | None = None
    classes: tuple[Tensor, Tensor, Tensor, Tensor] | None = None
    named: Tensor | None = None
    regions: PhraseRegions | None = None

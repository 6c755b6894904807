"""A batch as a training step receives it."""

from collections.abc import Sequence
from dataclasses import dataclass

from torch import Tensor

from seps.training.batches.phrases import PhraseBox, PhraseRegions


@dataclass(frozen=True)
class StepBatch:
    """A batch of cached features (`cached`), or of pixels and token ids.

    Attributes:
        images: (B, N[+1], D_v), or pixels (B, 3, S, S).
        captions: (B, L, D_t), or token ids (B, L); lengths: (B,).
        dense_captions: mean words (B, 1, D_t), or token ids (B, L_d); dense_lengths: (B,).
        img_ids: (B,), the image of each caption.
        phrases: (image of the batch, caption of the batch, phrase) each, ordered by image.
        pooled: image features (P, 1, D_v), or with context (P, 2, D_v): mean patch, smaller view; mean words of
            captions (P, D_t); image numbers (P,). Or None.
        pretraining: the network is not trained yet; an image may have several captions.
        named: (B, N) bool, patches that any caption of the image names, or None.
        regions: phrases used as captions, with their regions, or None.
        rows: (B_t,), row of each caption's image in the batch; with pixels, or if parts of a backbone are trained.
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
    named: Tensor | None = None
    regions: PhraseRegions | None = None

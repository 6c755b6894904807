"""A batch as a training step receives it, and its embeddings: of patches, of words, and pooled."""

from collections.abc import Sequence
from dataclasses import dataclass

import torch
import torch.nn.functional as F
from torch import Tensor

from seps.common.precision import in_bfloat16
from seps.models.model import SEPSModel
from seps.training.batches.phrases import PhraseBox, PhraseRegions

Pooled = tuple[Tensor, Tensor, Tensor]  # of images and captions, both (P, C), and the images' numbers (P,)


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


class BatchEmbedder:
    """Embeds a batch with a model's encoders; with `bf16_backbones` these run in bfloat16 on a CPU."""

    def __init__(self, model: SEPSModel, bf16_backbones: bool) -> None:
        self.model = model
        self.bf16_backbones = bf16_backbones

    def images(self, batch: StepBatch) -> Tensor:
        """Embed images, pixels or features: (B, N[+1], C)."""
        encoder = self.model.img_enc
        with self.precision(batch):
            return (encoder.project(batch.images) if batch.cached else encoder(batch.images)).float()

    def captions(self, batch: StepBatch, captions: Tensor, lengths: Tensor) -> Tensor:
        """Embed captions, token ids or features: (B, L, C)."""
        encoder = self.model.txt_enc
        with self.precision(batch):
            return (encoder.project(captions, lengths) if batch.cached else encoder(captions, lengths)).float()

    def directions(self, batch: StepBatch) -> Tensor | None:
        """Embed the phrases of `batch.regions` and pool their words: (P, C) of unit length; None of a batch without."""
        if batch.regions is None:
            return None
        return pool(self.captions(batch, batch.regions.words, batch.regions.lengths), batch.regions.lengths)

    def precision(self, batch: StepBatch) -> torch.autocast:
        """Choose the backbones' precision on a CPU; on a GPU the whole step's decides."""
        learns_along = self.model.img_enc.tail is not None or self.model.txt_enc.tail is not None
        return in_bfloat16(self.bf16_backbones and (learns_along or not batch.cached))

    def pooled(self, batch: StepBatch, images: Tensor, captions: Tensor) -> Pooled:
        """Embed the images and captions of the pooled loss."""
        if batch.pooled is not None:
            image_features, caption_features, img_ids = batch.pooled
            return *self.pool_features(image_features, caption_features), img_ids
        patches = images[:, -self.model.img_enc.num_patches :]
        return pool(patches)[batch.rows], pool(captions, batch.lengths), batch.img_ids

    def pool_features(self, image_features: Tensor, caption_features: Tensor) -> tuple[Tensor, Tensor]:
        """Embed features as `StepBatch.pooled` has them and pool them, both (P, C)."""
        captions = self.model.txt_enc.project(caption_features[:, None], torch.ones(len(caption_features)))
        return pool(self.model.img_enc.project(image_features)), pool(captions)


def pool(embeddings: Tensor, lengths: Tensor | None = None) -> Tensor:
    """Compute the unit mean of patches or words: (B, n, C) to (B, C); padding beyond `lengths` (B,) left out."""
    if lengths is None:
        return F.normalize(embeddings.mean(dim=1), dim=-1)
    within = torch.arange(embeddings.shape[1], device=embeddings.device) < lengths.to(embeddings.device)[:, None]
    return F.normalize((embeddings * within[..., None]).sum(dim=1), dim=-1)

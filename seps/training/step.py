"""One training step: a batch to its losses."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import torch
from torch import Tensor, nn

from seps.losses import SEPSLoss
from seps.model import SEPSModel
from seps.pairwise import pairwise_similarity
from seps.training.objective import PHRASE_SCALE, grounding_loss, infonce_loss, pool
from seps.training.phrases import PhraseBox
from seps.training.settings import TrainSettings

MOST_SCALE = 100.0  # of InfoNCE, as in CLIP


@dataclass(frozen=True)
class StepBatch:
    """What a step sees. With cached features, images and captions are features; without, pixels and token ids.

    Attributes:
        images: (B, 3, S, S) or (B, N[+1], D_v).
        captions: (B, L) or (B, L, D_t); lengths: (B,).
        long_captions: (B, L_d) or (B, 1, D_t), the dense captions' mean words; long_lengths: (B,).
        img_ids: (B,), the image of each caption.
        cached: which of the two.
        phrases: (image of the batch, caption of the batch, phrase) each, ordered by image.
        pooled: pooled features of images, (P, 1, D_v) or with context (P, 2, D_v): mean patch, smaller view; mean words
            of captions (P, D_t); image numbers (P,). Or None.
        warmup: heads alone: captions need not be one an image.
    """

    images: Tensor
    captions: Tensor
    lengths: Tensor
    long_captions: Tensor | None
    long_lengths: Tensor | None
    img_ids: Tensor
    cached: bool
    phrases: Sequence[tuple[int, int, PhraseBox]] = ()
    pooled: tuple[Tensor, Tensor, Tensor] | None = None
    warmup: bool = False


class TrainingStep(nn.Module):
    """A model with its objective; the forward pass gives the losses of a batch by name.

    Args:
        model: what is trained.
        settings: which losses, and their weights.
    """

    def __init__(self, model: SEPSModel, settings: TrainSettings) -> None:
        super().__init__()
        self.model = model
        self.settings = settings
        self.log_scale = nn.Parameter(torch.tensor(math.log(1.0 / settings.temperature)))
        network = model.cross_net
        self.sampled = network.use_gumbel_softmax
        self.seps_loss = SEPSLoss(settings.margin, network.sparse_ratio, settings.ratio_weight)

    def forward(self, batch: StepBatch) -> dict[str, Tensor]:
        """Losses by name, scalars: "loss", their sum, which has the gradient; "align", "ratio", "kept" (the share of
        patches kept), "pooled", "grounding", those that the settings and the batch have.

        Raises:
            ValueError: embeddings that the network refuses, NaN among them.
        """
        images, captions = self.embed_images(batch), self.embed_captions(batch, batch.captions, batch.lengths)
        losses: dict[str, Tensor] = {}
        total = images.new_zeros(())
        if not batch.warmup:
            losses |= self.match(batch, images, captions)
            total = losses["align"] + (self.seps_loss.ratio_weight * losses["ratio"] if self.sampled else 0.0)
        if batch.pooled is not None:
            losses["pooled"] = self.pooled_loss(*batch.pooled)
            total = total + self.settings.pooled_weight * losses["pooled"]
        if batch.phrases:
            patches = images[:, -self.model.img_enc.num_patches :]
            losses["grounding"] = grounding_loss(patches, captions, batch.phrases)
            total = total + self.settings.grounding_weight * losses["grounding"]
        return {"loss": total} | losses

    def match(self, batch: StepBatch, images: Tensor, captions: Tensor) -> dict[str, Tensor]:
        """The ranking loss, the ratio loss and the kept share of the network's pass."""
        dense = None
        if batch.long_captions is not None and batch.long_lengths is not None:
            dense = self.embed_captions(batch, batch.long_captions, batch.long_lengths)
        similarity, masks = pairwise_similarity(
            self.model.cross_net, images, captions, batch.lengths, dense, batch.long_lengths
        )
        _, align, ratio = self.seps_loss(similarity, masks, batch.img_ids)
        if self.settings.loss == "infonce":
            align = infonce_loss(similarity * self.log_scale.exp().clamp(max=MOST_SCALE) / 2, batch.img_ids)
        kept = (masks if isinstance(masks, Tensor) else torch.stack(masks)).detach().mean()
        return {"align": align, "ratio": ratio, "kept": kept}

    def embed_images(self, batch: StepBatch) -> Tensor:
        """(B, N[+1], C)."""
        encoder = self.model.img_enc
        return encoder.project(batch.images) if batch.cached else encoder(batch.images)

    def embed_captions(self, batch: StepBatch, captions: Tensor, lengths: Tensor) -> Tensor:
        """(B, L, C)."""
        encoder = self.model.txt_enc
        return encoder.project(captions, lengths) if batch.cached else encoder(captions, lengths)

    def pooled_loss(self, image_features: Tensor, caption_features: Tensor, img_ids: Tensor) -> Tensor:
        """InfoNCE of pooled embeddings: mean patch and mean word, which a head maps as it maps one patch or word."""
        images = pool(self.model.img_enc.project(image_features))  # (P, C)
        captions = pool(self.model.txt_enc.project(caption_features[:, None], torch.ones(len(caption_features))))
        return infonce_loss(images @ captions.T * PHRASE_SCALE, img_ids)

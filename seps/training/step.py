"""One training step: a batch to its losses."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import torch
from torch import Tensor, nn

from seps.method.losses import ScoreMask, SEPSLoss
from seps.models.model import SEPSModel
from seps.precision import in_bfloat16
from seps.training.decision import PhraseRegions, blind_loss, decision_loss
from seps.training.gathering import joined, joined_captions, joined_embeddings
from seps.training.maps import map_loss
from seps.training.objective import grounding_loss, infonce_loss, pool, pooled_loss, word_loss
from seps.training.pairwise import pairwise_similarity
from seps.training.phrases import PhraseBox
from seps.training.settings import TrainSettings
from seps.training.significance import significance_loss

MAX_SCALE = 100.0  # of InfoNCE, as in CLIP


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


class TrainingStep(nn.Module):
    """A model with its objective; the forward pass gives the losses of a batch by name.

    Args:
        model: what is trained.
        settings: which losses, and their weights.

    Attributes:
        align_factor: what the ranking loss's weight is multiplied with now, in [0, 1].
    """

    def __init__(self, model: SEPSModel, settings: TrainSettings) -> None:
        super().__init__()
        self.model = model
        self.settings = settings
        self.log_scale = nn.Parameter(torch.tensor(math.log(1.0 / settings.temperature)))
        network = model.cross_net
        self.sampled = self.can_sample = network.use_gumbel_softmax
        self.align_factor = 1.0
        self.seps_loss = SEPSLoss(
            settings.margin,
            settings.target_ratio or network.sparse_ratio,
            settings.ratio_weight,
            lambda_sparse=settings.lambda_sparse,
            lambda_dense=settings.lambda_dense,
        )

    def set_sampling(self, drawn: bool) -> None:
        """Choose whether a network with Gumbel-Softmax draws its decisions from now on or takes the top k."""
        self.sampled = self.model.cross_net.use_gumbel_softmax = self.can_sample and drawn

    def forward(self, batch: StepBatch) -> dict[str, Tensor]:
        """Compute the losses by name, scalars: "loss", their sum, which has the gradient; "align", "ratio", "kept" (the
        share of patches kept, mean over branches), "pooled", "grounding", "words", "maps", "significance",
        "decision", "blind", those that the settings and the batch have.

        Raises:
            ValueError: embeddings that the network refuses, NaN among them.
        """
        images, captions = self.embed_images(batch), self.embed_captions(batch, batch.captions, batch.lengths)
        losses: dict[str, Tensor] = {}
        total = images.new_zeros(())
        if self.settings.align_weight and not batch.pretraining:
            losses |= self.match(batch, images, captions)
            total = self.align_factor * self.settings.align_weight * losses["align"]
            total = total + (self.seps_loss.ratio_weight * losses["ratio"] if self.sampled else 0.0)
        pooled = self.with_classes(batch, self.pooled(batch, images, captions))
        if pooled is not None:
            pooled_images, pooled_captions, pooled_ids = pooled
            losses["pooled"] = pooled_loss(
                joined_embeddings(pooled_images), joined_embeddings(pooled_captions), joined(pooled_ids)
            )
            total = total + self.settings.pooled_weight * losses["pooled"]
        patches, network = images[:, -self.model.img_enc.num_patches :], self.model.cross_net
        if batch.phrases:
            losses["grounding"] = grounding_loss(patches, captions, batch.phrases)
            total = total + self.settings.grounding_weight * losses["grounding"]
        if batch.phrases and self.settings.word_weight:
            losses["words"] = word_loss(patches, captions, batch.phrases)
            total = total + self.settings.word_weight * losses["words"]
        if batch.phrases and self.settings.map_weight and not batch.pretraining and batch.dense_captions is None:
            fixed = self.settings.significance_weight + self.settings.decision_weight > 0
            losses["maps"] = map_loss(network, images, captions, batch.lengths, batch.phrases, fixed)
            total = total + self.settings.map_weight * losses["maps"]
        predictors = (network.sparse_net_cap, network.sparse_net_long)
        if batch.named is not None and not batch.pretraining:
            losses["significance"] = significance_loss(predictors, patches, batch.named)
            total = total + self.settings.significance_weight * losses["significance"]
        if batch.regions is not None and not batch.pretraining:
            words = self.embed_captions(batch, batch.regions.words, batch.regions.lengths)
            directions = pool(words, batch.regions.lengths)  # (P, C)
            branches = [decision_loss(branch, patches, directions, batch.regions) for branch in predictors]
            losses["decision"] = torch.stack(branches).mean()
            total = total + self.settings.decision_weight * losses["decision"]
        if self.settings.blind_weight and not batch.pretraining:
            losses["blind"] = torch.stack([blind_loss(branch, patches) for branch in predictors]).mean()
            total = total + self.settings.blind_weight * losses["blind"]
        return {"loss": total} | losses

    def match(self, batch: StepBatch, images: Tensor, captions: Tensor) -> dict[str, Tensor]:
        """Compute the ranking loss, the ratio loss and the kept share of the network's pass over all processes' images
        and captions."""
        dense = dense_lengths = None
        if batch.dense_captions is not None and batch.dense_lengths is not None:
            dense = self.embed_captions(batch, batch.dense_captions, batch.dense_lengths)
            dense, dense_lengths = joined_captions(dense, batch.dense_lengths)
        words, lengths = joined_captions(captions, batch.lengths)
        img_ids = joined(batch.img_ids)
        similarity, masks = pairwise_similarity(
            self.model.cross_net, joined_embeddings(images), words, lengths, dense, dense_lengths
        )
        _, align, ratio = self.seps_loss(similarity, masks, img_ids)
        if self.settings.loss == "infonce":
            align = infonce_loss(similarity * self.log_scale.exp().clamp(max=MAX_SCALE) / 2, img_ids)
        return {"align": align, "ratio": ratio, "kept": kept_ratio(masks, 1 if dense is None else 2)}

    def embed_images(self, batch: StepBatch) -> Tensor:
        """Embed images, pixels or features: (B, N[+1], C)."""
        encoder = self.model.img_enc
        with self.precision(batch):
            return (encoder.project(batch.images) if batch.cached else encoder(batch.images)).float()

    def embed_captions(self, batch: StepBatch, captions: Tensor, lengths: Tensor) -> Tensor:
        """Embed captions, token ids or features: (B, L, C)."""
        encoder = self.model.txt_enc
        with self.precision(batch):
            return (encoder.project(captions, lengths) if batch.cached else encoder(captions, lengths)).float()

    def precision(self, batch: StepBatch) -> torch.autocast:
        """Choose the backbones' precision on a CPU; on a GPU the whole step's decides."""
        learns_along = self.model.img_enc.tail is not None or self.model.txt_enc.tail is not None
        enabled = self.settings.bf16_backbones and (learns_along or not batch.cached)
        return in_bfloat16(enabled)

    def pooled(self, batch: StepBatch, images: Tensor, captions: Tensor) -> tuple[Tensor, Tensor, Tensor] | None:
        """Return pooled embeddings of images and captions, both (P, C), and the images' numbers (P,), for InfoNCE.

        With cached features they are those that the batch brings, mean patch and mean word, which a head maps as it
        maps one patch or word; with pixels, or where parts of a backbone learn along, those of the batch's own images
        and captions.
        """
        if batch.pooled is not None:
            image_features, caption_features, img_ids = batch.pooled
            return *self.pooled_features(image_features, caption_features), img_ids
        if batch.rows is None or not self.settings.pooled_weight:
            return None
        patches = images[:, -self.model.img_enc.num_patches :]
        return pool(patches)[batch.rows], pool(captions, batch.lengths), batch.img_ids

    def with_classes(
        self, batch: StepBatch, pooled: tuple[Tensor, Tensor, Tensor] | None
    ) -> tuple[Tensor, Tensor, Tensor] | None:
        """Add the batch's class prototypes and their captions to what `pooled` returned, under numbers below 0."""
        if pooled is None or batch.classes is None:
            return pooled
        images, captions, img_ids = pooled
        features, words, lengths, numbers = batch.classes
        named = pool(self.model.txt_enc.project(words, lengths), lengths)  # (Q, C)
        return (
            torch.cat([images, pool(self.model.img_enc.head(features))]),
            torch.cat([captions, named]),
            torch.cat([img_ids, -1 - numbers]),
        )

    def pooled_features(self, image_features: Tensor, caption_features: Tensor) -> tuple[Tensor, Tensor]:
        """Embed features as `StepBatch.pooled` has them and pool them, both (P, C)."""
        captions = self.model.txt_enc.project(caption_features[:, None], torch.ones(len(caption_features)))
        return pool(self.model.img_enc.project(image_features)), pool(captions)


def kept_ratio(masks: ScoreMask, branches: int) -> Tensor:
    """Compute the share of patches kept, mean over branches: a scalar in [0, 1], without gradient.

    Args:
        masks: as `pairwise_similarity` returns them; the released variant's one tensor has all branches added.
        branches: how many these are, 2 with dense captions.
    """
    if isinstance(masks, Tensor):
        return masks.detach().mean() / branches
    return torch.stack([mask.detach() for mask in masks]).mean()

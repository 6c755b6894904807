"""One training step: a batch to its losses."""

from __future__ import annotations

import math

import torch
from torch import Tensor, nn

from seps.method.losses import SEPSLoss
from seps.models.model import SEPSModel
from seps.training.batch import StepBatch
from seps.training.decision import blind_loss, decision_loss
from seps.training.embedding import BatchEmbedder, pool
from seps.training.gathering import joined, joined_embeddings
from seps.training.maps import map_loss
from seps.training.objective import grounding_loss, pooled_loss, word_loss
from seps.training.ranking import ranking_losses
from seps.training.settings import TrainSettings
from seps.training.significance import significance_loss


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
        self.embedder = BatchEmbedder(model, settings.bf16_backbones)
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
        embed, network = self.embedder, self.model.cross_net
        images, captions = embed.images(batch), embed.captions(batch, batch.captions, batch.lengths)
        losses: dict[str, Tensor] = {}
        total = images.new_zeros(())
        if self.settings.align_weight and not batch.pretraining:
            dense = None
            if batch.dense_captions is not None and batch.dense_lengths is not None:
                dense = (embed.captions(batch, batch.dense_captions, batch.dense_lengths), batch.dense_lengths)
            log_scale = self.log_scale if self.settings.loss == "infonce" else None
            sparse = (captions, batch.lengths)
            losses |= ranking_losses(network, self.seps_loss, images, sparse, dense, batch.img_ids, log_scale)
            total = self.align_factor * self.settings.align_weight * losses["align"]
            total = total + (self.seps_loss.ratio_weight * losses["ratio"] if self.sampled else 0.0)
        if batch.pooled is not None or (batch.rows is not None and self.settings.pooled_weight):
            pooled_images, pooled_captions, pooled_ids = embed.pooled(batch, images, captions)
            losses["pooled"] = pooled_loss(
                joined_embeddings(pooled_images), joined_embeddings(pooled_captions), joined(pooled_ids)
            )
            total = total + self.settings.pooled_weight * losses["pooled"]
        patches = images[:, -self.model.img_enc.num_patches :]
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
            words = embed.captions(batch, batch.regions.words, batch.regions.lengths)
            directions = pool(words, batch.regions.lengths)  # (P, C)
            branches = [decision_loss(branch, patches, directions, batch.regions) for branch in predictors]
            losses["decision"] = torch.stack(branches).mean()
            total = total + self.settings.decision_weight * losses["decision"]
        if self.settings.blind_weight and not batch.pretraining:
            losses["blind"] = torch.stack([blind_loss(branch, patches) for branch in predictors]).mean()
            total = total + self.settings.blind_weight * losses["blind"]
        return {"loss": total} | losses

"""One training step: a batch to its losses."""

from __future__ import annotations

import math

import torch
from torch import Tensor, nn

from seps.method.losses import SEPSLoss
from seps.models.model import SEPSModel
from seps.training.batch import StepBatch
from seps.training.decision import blind_loss, decision_loss
from seps.training.embedding import BatchEmbedder
from seps.training.gathering import gather_embeddings, joined
from seps.training.maps import map_loss
from seps.training.objective import grounding_loss, pooled_loss, word_loss
from seps.training.ranking import ranking_losses
from seps.training.selecting import BatchSelections, batch_selections
from seps.training.settings import TrainSettings
from seps.training.significance import significance_loss


class TrainingStep(nn.Module):
    """A model with its losses; the forward pass returns the losses of a batch by name.

    Attributes:
        align_factor: current factor of the ranking loss, in [0, 1].
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
            network.sparse_ratio,
            settings.ratio_weight,
            lambda_sparse=settings.lambda_sparse,
            lambda_dense=settings.lambda_dense,
        )

    def set_sampling(self, sampled: bool) -> None:
        """Choose whether a network with Gumbel-Softmax samples its decisions from now on or takes the top k."""
        self.sampled = self.model.cross_net.use_gumbel_softmax = self.can_sample and sampled

    def forward(self, batch: StepBatch) -> dict[str, Tensor]:
        """Return the losses as scalars by name; "loss" is their weighted sum.

        Those that settings and batch have: "align", "ratio", "kept" (share of patches kept, mean over branches),
        "pooled", "grounding", "words", "maps", "significance", "decision" and "blind".

        Raises:
            ValueError: embeddings that are not finite.
        """
        embed, network, settings = self.embedder, self.model.cross_net, self.settings
        images, captions = embed.images(batch), embed.captions(batch, batch.captions, batch.lengths)
        losses: dict[str, Tensor] = {}
        if settings.align_weight and not batch.pretraining:
            dense = embed.dense_captions(batch)
            log_scale = self.log_scale if settings.loss == "infonce" else None
            sparse = (captions, batch.lengths)
            losses |= ranking_losses(network, self.seps_loss, images, sparse, dense, batch.img_ids, log_scale)
        pooled = None
        if batch.pooled is not None or (batch.rows is not None and settings.pooled_weight):
            pooled = embed.pooled(batch, images, captions)
        order = torch.randperm(len(batch.phrases)) if batch.phrases else None
        directions = None if batch.pretraining else embed.directions(batch)  # (P, C)
        patches = images[:, -self.model.img_enc.num_patches :]
        if pooled is not None:
            pooled_images, pooled_captions, pooled_ids = pooled
            losses["pooled"] = pooled_loss(
                gather_embeddings(pooled_images), gather_embeddings(pooled_captions), joined(pooled_ids)
            )
        if order is not None:
            losses["grounding"] = grounding_loss(patches, captions, batch.phrases, order)
            if settings.word_weight:
                losses["words"] = word_loss(patches, captions, batch.phrases)
        selections = batch_selections(network, batch, images, patches, captions, directions, settings)
        losses |= selection_losses(selections, captions, batch)
        total = images.new_zeros(())
        for name, weight in self.weights().items():
            if name in losses:
                total = total + weight * losses[name]
        return {"loss": total} | losses

    def weights(self) -> dict[str, float]:
        """Return the current weight of each loss, in the order of summation; "ratio" only with sampled decisions."""
        settings = self.settings
        ratio = {"ratio": self.seps_loss.ratio_weight} if self.sampled else {}
        return (
            {"align": self.align_factor * settings.align_weight}
            | ratio
            | {
                "pooled": settings.pooled_weight,
                "grounding": settings.grounding_weight,
                "words": settings.word_weight,
                "maps": settings.map_weight,
                "significance": settings.significance_weight,
                "decision": settings.decision_weight,
                "blind": settings.blind_weight,
            }
        )


def selection_losses(selections: BatchSelections, captions: Tensor, batch: StepBatch) -> dict[str, Tensor]:
    """Compute the losses on the selection that the batch has: "maps", "significance", "decision", "blind"."""
    losses: dict[str, Tensor] = {}
    if selections.maps is not None:
        losses["maps"] = map_loss(selections.maps, captions, batch.phrases)
    if selections.s_p is not None:
        losses["significance"] = significance_loss(*selections.s_p)
    if selections.margins is not None and batch.regions is not None:
        regions = batch.regions
        losses["decision"] = torch.stack([decision_loss(margin, regions) for margin in selections.margins]).mean()
    if selections.blind is not None:
        losses["blind"] = torch.stack([blind_loss(scores, selections.beta) for scores in selections.blind]).mean()
    return losses

"""One training step: a batch to its losses."""

import math

import torch
from torch import Tensor, nn

from seps.method.losses import SEPSLoss
from seps.models.model import SEPSModel
from seps.training.batches.batch import StepBatch
from seps.training.batches.embedding import BatchEmbedder
from seps.training.losses.gathering import gather_embeddings, joined
from seps.training.losses.objective import grounding_loss, pooled_loss, word_loss
from seps.training.losses.ranking import ranking_losses
from seps.training.losses.selecting import selection_losses
from seps.training.settings import TrainSettings


class TrainingStep(nn.Module):
    """A model with its losses; the forward pass returns the losses of a batch by name."""

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
        """Return the losses as scalars by name; "loss" is their weighted sum."""
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
        losses |= selection_losses(network, batch, images, patches, captions, directions, settings)
        total = images.new_zeros(())
        for name, weight in self.weights().items():
            if name in losses:
                total = total + weight * losses[name]
        return {"loss": total} | losses

    def weights(self) -> dict[str, float]:
        """Return the current weight of each loss, in the order of summation; "ratio" only with sampled decisions."""
        settings = self.settings
        ratio = {"ratio": self.seps_loss.ratio_weight} if self.sampled else {}
        weights = {"align": self.align_factor * settings.align_weight} | ratio
        weights |= {"pooled": settings.pooled_weight, "grounding": settings.grounding_weight}
        weights |= {"words": settings.word_weight, "maps": settings.map_weight}
        weights |= {"significance": settings.significance_weight, "decision": settings.decision_weight}
        return weights | {"blind": settings.blind_weight}

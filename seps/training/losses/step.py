"""One training step: a batch to its losses."""

import math

import torch
from torch import Tensor, nn

from seps.method.losses import ScoreMask, SEPSLoss
from seps.models.model import SEPSModel
from seps.training.batches.batch import BatchEmbedder, StepBatch
from seps.training.losses.gathering import gather_captions, gather_embeddings, joined
from seps.training.losses.objective import grounding_loss, infonce_loss, pooled_loss, word_loss
from seps.training.losses.pairwise import pairwise_similarity
from seps.training.losses.selecting import selection_losses
from seps.training.settings import TrainSettings

MAX_SCALE = 100.0  # of InfoNCE, as in CLIP


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
            losses |= self.ranking_losses(batch, images, captions)
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

    def ranking_losses(self, batch: StepBatch, images: Tensor, captions: Tensor) -> dict[str, Tensor]:
        """Compute the scalars "align" and "ratio" over all processes, and "kept", the share of patches kept."""
        dense, dense_lengths = batch.dense_captions, batch.dense_lengths
        if dense is not None and dense_lengths is not None:
            dense = self.embedder.captions(batch, dense, dense_lengths)  # (B, L_d, C)
        words, lengths = gather_captions(captions, batch.lengths)
        if dense is not None and dense_lengths is not None:
            dense, dense_lengths = gather_captions(dense, dense_lengths)
        img_ids, images = joined(batch.img_ids), gather_embeddings(images)
        similarity, masks = pairwise_similarity(self.model.cross_net, images, words, lengths, dense, dense_lengths)
        _, align, ratio = self.seps_loss(similarity, masks, img_ids)
        if self.settings.loss == "infonce":
            align = infonce_loss(similarity * self.log_scale.exp().clamp(max=MAX_SCALE) / 2, img_ids)
        return {"align": align, "ratio": ratio, "kept": kept_ratio(masks, 1 if dense is None else 2)}

    def weights(self) -> dict[str, float]:
        """Return the current weight of each loss, in the order of summation; "ratio" only with sampled decisions."""
        settings = self.settings
        ratio = {"ratio": self.seps_loss.ratio_weight} if self.sampled else {}
        weights = {"align": self.align_factor * settings.align_weight} | ratio
        keys = ("pooled", "grounding", "word", "map", "significance", "decision", "blind")
        names = {"word": "words", "map": "maps"}
        return weights | {names.get(key, key): getattr(settings, f"{key}_weight") for key in keys}


def kept_ratio(masks: ScoreMask, branches: int) -> Tensor:
    """Return the share of patches kept, mean over branches, which the released variant's only mask sums."""
    if isinstance(masks, Tensor):
        return masks.detach().mean() / branches
    return torch.stack([mask.detach() for mask in masks]).mean()

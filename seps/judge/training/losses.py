"""The losses of a judge in training."""

import torch.nn.functional as F
from torch import Tensor, nn

from seps.judge.encoders import PictureFeatures
from seps.judge.judge import Judge
from seps.judge.training.settings import JudgeSettings


class JudgeLoss(nn.Module):
    """A judge in training, with its losses."""

    def __init__(self, judge: Judge, settings: JudgeSettings) -> None:
        super().__init__()
        self.judge = judge
        self.settings = settings

    def forward(
        self, pictures: PictureFeatures, text: Tensor, rated: Tensor, spoilt: tuple[Tensor, Tensor] | None
    ) -> Tensor:
        """Return the loss of B pictures with prompts (B, d), rated (B, 2), and of spoilt copies, see below."""
        settings = self.settings
        quality, consistency = self.judge.network(*pictures, text)
        loss = settings.quality_weight * F.mse_loss(quality.final, rated[:, 0])
        loss = loss + settings.consistency_weight * F.mse_loss(consistency.final, rated[:, 1])
        if spoilt is not None:
            loss = loss + settings.spoilt_weight * self.compute_spoilt_loss(*spoilt)
        return loss

    def compute_spoilt_loss(self, features: Tensor, strengths: Tensor) -> Tensor:
        """Return by how much base and score of a copy exceed the milder copy's, minus a margin.

        Args:
            features: (m, 3, Q) of m pictures, each with two copies; strengths: (m, 3), rising from 0.
        """
        corrected = self.judge.network.quality(features.flatten(0, 1))
        loss = features.new_zeros(())
        for scores in (corrected.base.view_as(strengths), corrected.final.view_as(strengths)):  # (m, 3)
            drop = scores[:, :-1] - scores[:, 1:]  # (m, 2)
            margin = self.settings.spoilt_margin * strengths.diff(dim=1)  # (m, 2)
            loss = loss + F.relu(margin - drop).mean()
        return loss

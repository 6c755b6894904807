"""The formulas: the encoders' scores, and a correction of at most a fixed amount.

quality      q = clamp(q_base + scale_q tanh(MLP(img)), 0, 1),            q_base = sigmoid(Linear(img))
consistency  c = clamp(c_base + scale_c tanh(Fusion([img, txt, cos])), 0, 1),
             c_base = clamp(a (cos + 1) / 2 + b, 0, 1)
"""

from typing import NamedTuple

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from seps.encoders.heads import Standardize
from seps.judge.config import JudgeConfig

PROJECTED_DEVIATION = 0.1  # of weights at the start, so that the projected quality weighs as much as image and text
GAIN = 2.0  # at the start: a quality of 1 or 0 takes the correction to tanh(1), three quarters of its scale


class Corrected(NamedTuple):
    """Scores of B pictures in parts, each (B,): final = clamp(base + correction, 0, 1)."""

    base: Tensor
    correction: Tensor
    final: Tensor


class Predictions(NamedTuple):
    """Both scores of n pictures, each part (n,)."""

    quality: Corrected
    consistency: Corrected


def corrected(base: Tensor, bounded: Tensor, scale: float) -> Corrected:
    """Add a correction to a base: bounded (B,) is in [-1, 1] and counts at most `scale`."""
    correction = scale * bounded
    return Corrected(base, correction, (base + correction).clamp(0.0, 1.0))


def direct(score: Tensor) -> Corrected:
    """Return a score (B,) without parts."""
    return Corrected(score, torch.zeros_like(score), score)


class QualityHead(nn.Module):
    """Quality of a picture, independent of the prompt, from embeddings of `width` channels."""

    def __init__(self, width: int, config: JudgeConfig) -> None:
        super().__init__()
        self.config = config
        self.standardize = Standardize(width)
        self.base = nn.Linear(width, 1)
        self.mlp: nn.Sequential | None = None
        if config.residual:
            self.mlp = nn.Sequential(
                nn.Linear(width, config.hidden), nn.GELU(), nn.Dropout(config.dropout), nn.Linear(config.hidden, 1)
            )

    def embed(self, features: Tensor) -> Tensor:
        """Return the unit global embedding (B, width) of features (B, width)."""
        return F.normalize(self.standardize(features), dim=-1)

    def logit(self, image: Tensor) -> Tensor:
        """Return the base before its sigmoid, (B,), of unit embeddings (B, width)."""
        return self.base(image).squeeze(-1)

    def forward(self, features: Tensor) -> Corrected:
        """Score features (B, width), the mean patch where the encoder pools by mean."""
        return self.score(self.embed(features))

    def score(self, image: Tensor) -> Corrected:
        """Score unit embeddings (B, width), as `embed` gives them."""
        if self.training:
            image = F.dropout(image, self.config.input_dropout)
        base = torch.sigmoid(self.logit(image))  # (B,)
        if self.mlp is None:
            return direct(base)
        bounded = torch.tanh(self.mlp(image).squeeze(-1))  # (B,)
        return corrected(base, bounded, self.config.scale_q)

    def attributions(self, patches: Tensor) -> Tensor:
        """Return each patch's part of the base's logit, (N,), which sum to it, of features (N, width)."""
        local = self.standardize(patches)  # (N, width)
        norm = local.mean(dim=0).norm().clamp(min=1e-12)
        weight, bias = self.base.weight[0], self.base.bias[0]
        return (local @ weight / norm + bias) / len(patches)  # (N,)


class ConsistencyHead(nn.Module):
    """Consistency of a picture with its prompt, both of `width` channels."""

    def __init__(self, width: int, quality_width: int, config: JudgeConfig) -> None:
        super().__init__()
        self.config = config
        self.a = nn.Parameter(torch.ones(())) if config.residual else None
        self.b = nn.Parameter(torch.zeros(())) if config.residual else None
        inputs = (3 if config.fusion_product else 2) * width + 1
        self.project = nn.Linear(quality_width, config.fusion_quality) if config.fusion_quality else None
        if self.project is not None:
            nn.init.normal_(self.project.weight, std=PROJECTED_DEVIATION)
        self.gain = nn.Parameter(torch.tensor(GAIN)) if config.fusion_score else None
        inputs += config.fusion_quality
        first, second = config.fusion_hidden
        self.fusion = nn.Sequential(
            nn.LayerNorm(inputs),
            nn.Dropout(config.fusion_input_dropout),
            nn.Linear(inputs, first),
            nn.GELU(),
            nn.Dropout(config.fusion_dropout),
            nn.Linear(first, second),
            nn.GELU(),
            nn.Linear(second, 1),
        )

    def forward(self, image: Tensor, text: Tensor, quality: Tensor, score: Tensor) -> Corrected:
        """Score pairs of unit embeddings (B, d), with quality embeddings (B, Q) and scores (B,) if configured."""
        cos = (image * text).sum(dim=-1, keepdim=True)  # (B, 1)
        parts = [image, text, cos]
        if self.config.fusion_product:
            parts.append(image * text * image.shape[-1] ** 0.5)
        if self.project is not None:
            parts.append(self.project(quality))
        fused = self.fusion(torch.cat(parts, dim=-1)).squeeze(-1)  # (B,)
        if self.gain is not None:
            fused = fused + self.gain * (score.detach() - 0.5)
        cos = cos.squeeze(-1)
        if self.a is None or self.b is None:
            score = torch.sigmoid(fused)
            return direct(score if self.config.branches == "one" else (score + torch.sigmoid(5 * cos)) / 2)
        base = (self.a * (cos + 1) / 2 + self.b).clamp(0.0, 1.0)
        return corrected(base, torch.tanh(fused), self.config.scale_c)


class JudgeNetwork(nn.Module):
    """Both heads on the embeddings that encoders give; `width` is d, of image and prompt."""

    def __init__(self, quality_width: int, width: int, config: JudgeConfig) -> None:
        super().__init__()
        self.quality = QualityHead(quality_width, config)
        self.consistency = ConsistencyHead(width, quality_width, config)

    def forward(self, features: Tensor, image: Tensor, text: Tensor) -> Predictions:
        """Score features (B, quality_width), before standardisation, and unit embeddings (B, d) of image and text."""
        embedded = self.quality.embed(features)  # (B, quality_width)
        quality = self.quality.score(embedded)
        return Predictions(quality, self.consistency(image, text, embedded, quality.final))

"""Class vectors: what a backbone's own classifier sees at each patch, in the space of captions.

An ImageNet classifier on the original backbone's map gives p(i, k) of class k at patch i, and p(k) of the whole image.
t(k) is the unit mean word of "a photo of a NAME", less the mean over classes; a class vector is the sum of p t over the
most probable classes.

    patch = patch + mean length * (local_weight * class vector of the patch + image_weight * class vector of the image)
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from seps.encoders.config import VisionConfig
from seps.encoders.tails import vision_parts
from seps.encoders.weights import remove_head, whole_backbone

ALL = "all"  # of `ClassConfig.shared_until`: the image encoder's own backbone


class PatchClasses(NamedTuple):
    """The classifier's output: each patch's best class and its probability (B, N), and class vectors (B, N, C)."""

    best: Tensor
    probability: Tensor
    added: Tensor


class ClassMap(nn.Module):
    """The original backbone's last parts, its classifier, and a vector for each class."""

    vectors: Tensor

    def __init__(self, config: VisionConfig, embed_size: int) -> None:
        super().__init__()
        self.config = config.classes
        self.names = class_names(self.config.names)
        self.captions = [self.config.prompt.format(name) for name in self.names]
        whole = whole_backbone(config)
        self.classifier = linear_classifier(whole, config, len(self.names))
        self.norm: nn.Module = getattr(whole, "fc_norm", nn.Identity())
        whole = remove_head(whole)
        self.backbone: nn.Module | None = whole
        if self.config.shared_until == ALL:
            self.backbone = None
        elif self.config.shared_until:
            self.backbone = nn.Sequential(
                *vision_parts(whole, self.config.shared_until, "vision.classes.shared_until")[1]
            )
        self.register_buffer("vectors", torch.zeros(len(self.names), embed_size))
        self.channels = 4 * self.config.count
        self.requires_grad_(False)
        self.train(False)

    def train(self, mode: bool = True) -> ClassMap:
        """Keep every part as in evaluation: nothing here learns; `training` itself follows the mode."""
        super().train(False)
        self.training = mode
        return self

    @torch.no_grad()
    def set_vectors(self, captions: Tensor) -> None:
        """Take t from embeddings (K, C) of `captions`, each a mean word of any length."""
        unit = F.normalize(captions.float(), dim=-1)  # (K, C)
        self.vectors.copy_(F.normalize(unit - unit.mean(dim=0), dim=-1))

    @torch.no_grad()
    def packed(self, patches: Tensor) -> Tensor:
        """Return classes and probabilities of patches (B, N, D_v), then of the image, falling: (B, N, 4 count)."""
        features = patches.float()
        local = self.classifier(self.norm(features)).float()  # (B, N, K)
        image = self.classifier(self.norm(features.mean(dim=1, keepdim=True))).float()  # (B, 1, K)
        parts = []
        for logits in (local, image):
            best = logits.softmax(dim=-1).topk(self.config.count, dim=-1)
            parts.append(torch.cat([best.indices.float(), best.values], dim=-1).expand(-1, patches.shape[1], -1))
        return torch.cat(parts, dim=-1)

    def class_vectors(self, packed: Tensor) -> Tensor:
        """Compute local_weight * class vector of the patch + image_weight * class vector of the image: (B, N, C)."""
        local, image = packed.split(2 * self.config.count, dim=-1)
        whole = self._vectors(image[:, :1])  # (B, 1, C), the same for every patch
        return self.config.local_weight * self._vectors(local) + self.config.image_weight * whole

    def forward(self, embedded: Tensor, packed: Tensor) -> Tensor:
        """Add class vectors of `packed` (B, N, 4 count) to patches (B, N, C); some training images keep only these."""
        added = self.added(embedded, packed)
        if self.training and self.config.dropout > 0:
            embedded = embedded * (torch.rand(len(embedded), 1, 1, device=embedded.device) >= self.config.dropout)
        return embedded + added

    def added(self, embedded: Tensor, packed: Tensor) -> Tensor:
        """Compute what `forward` adds to patches (B, N, C), with (B, N, 4 count) from `packed`: (B, N, C)."""
        length = embedded.detach().norm(dim=-1, keepdim=True).mean(dim=1, keepdim=True)  # (B, 1, 1)
        return length * self.class_vectors(packed).to(embedded.dtype)

    def _vectors(self, packed: Tensor) -> Tensor:
        """Compute class vectors (B, n, C), of length 1 at most, from (B, n, 2 count) classes and probabilities."""
        classes, probabilities = packed.split(self.config.count, dim=-1)
        vectors = self.vectors[classes.long()]  # (B, n, count, C)
        return (probabilities.to(vectors.dtype).unsqueeze(-2) @ vectors).squeeze(-2)


def class_names(source: str) -> list[str]:
    """Return the first synonym of each class of "imagenet-1k" and the like, in a classifier's order."""
    from timm.data import ImageNetInfo  # here, since timm takes two seconds to import

    known = ImageNetInfo(source)
    return [known.index_to_description(i).split(",")[0].strip() for i in range(known.num_classes())]


def linear_classifier(model: nn.Module, config: VisionConfig, count: int) -> nn.Linear:
    """Return a timm model's classifier of `count` classes; ValueError for another classifier."""
    classifier = model.get_classifier()  # type: ignore[operator]
    if not isinstance(classifier, nn.Linear) or classifier.in_features != model.num_features:
        raise ValueError(f"{config.encoder} has no linear classifier, which vision.classes needs: leave them out.")
    if classifier.out_features != count:
        raise ValueError(
            f"The classifier of {config.encoder} has {classifier.out_features} classes, but vision.classes.names is "
            f"{config.classes.names!r}, which has {count}: take weights with these classes, or leave "
            "vision.classes out."
        )
    return classifier


def mean_words(words: Tensor, lengths: Sequence[int] | Tensor) -> Tensor:
    """Compute each caption's mean word: (K, L, C), zero at the padding, to (K, C)."""
    return words.sum(dim=1) / torch.as_tensor(lengths, device=words.device)[:, None]

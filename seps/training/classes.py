"""What a backbone's classifier knows beyond the training images: its classes as further pairs.

The row of a linear classifier tells in which direction of feature space a class lies. Read as a linear discriminant
analysis reads it, the class's mean feature is the images' mean plus their covariance times the row: a prototype, whose
caption is the class's name. Where the backbone has learnt on, so that the rows no longer fit its features, the
covariance of these with the logits of the backbone as it was takes that product's place.
"""

from __future__ import annotations

from dataclasses import dataclass

import torch
from timm.data import ImageNetInfo
from torch import Tensor

from seps.data.labelled import class_caption
from seps.encoders.weights import classifier_weights
from seps.models.model import SEPSModel

CLASSES = 1000  # of ImageNet, in whose order classifiers list them


@dataclass(frozen=True)
class ClassPairs:
    """Class prototypes with captions.

    Attributes:
        images: (K, 1, D_v), or with context (K, 2, D_v), as `StepBatch.pooled` has images.
        captions: (K, L, D_t), words as the text encoder's `features`; lengths: (K,).
    """

    images: Tensor
    captions: Tensor
    lengths: Tensor

    def sampled(self, count: int, generator: torch.Generator) -> tuple[Tensor, Tensor, Tensor, Tensor]:
        """Draw `count` classes at most: their images, captions, lengths and numbers."""
        numbers = torch.randperm(len(self.images), generator=generator)[:count]
        lengths = self.lengths[numbers]
        return self.images[numbers], self.captions[numbers, : int(lengths.max())], lengths, numbers


def class_captions() -> dict[int, str]:
    """Return a caption for each class of ImageNet-1k, by the first of its names that timm lists; none for the few
    classes that share it with another."""
    known = ImageNetInfo("imagenet-1k")
    names = [known.index_to_description(i).split(",")[0].strip() for i in range(CLASSES)]
    return {number: class_caption(name) for number, name in enumerate(names) if names.count(name) == 1}


def prototypes(rows: Tensor, known: Tensor, features: Tensor) -> Tensor:
    """Tell where classes lie in feature space.

    Args:
        rows: (K, D), a linear classifier's weights.
        known: (n, D), features of n images, at least 2, as the classifier was trained to read them.
        features: (n, D), of the same images in the space asked for: `known`, or those of a backbone that has learnt on.

    Returns:
        (K, D): the features' mean plus their covariance with each class's logit, the differences scaled so that the
        mean square of their lengths is that of the features'.
    """
    mean = features.mean(dim=0)
    deviations = features - mean
    logits = (known - known.mean(dim=0)) @ (rows - rows.mean(dim=0)).T  # (n, K)
    differences = logits.T @ deviations / len(features)  # (K, D)
    target, actual = (rows_of.square().sum(dim=1).mean() for rows_of in (deviations, differences))
    return mean + differences * (target / actual.clamp_min(torch.finfo(actual.dtype).tiny)).sqrt()


@torch.no_grad()
def class_pairs(model: SEPSModel, features: Tensor, known: Tensor | None = None) -> ClassPairs:
    """Make pairs of the classes that a model's image encoder was trained to tell apart.

    Args:
        model: whose text encoder reads the captions.
        features: of training images, (n, 1, D_v), or with context (n, 2, D_v): mean patch, smaller view.
        known: the same images' as the classifier's own backbone gives them, where the model's has learnt on; None where
            it is that one.

    Raises:
        ValueError: weights without a classifier of ImageNet's classes.
    """
    rows = classifier_weights(model.config.vision)
    if len(rows) != CLASSES:
        raise ValueError(
            f"training.class_names needs a classifier of ImageNet's {CLASSES} classes, but that of "
            f"{model.config.vision.encoder} has {len(rows)}: set it to 0."
        )
    captions = class_captions()
    known = features if known is None else known
    views = features.mean(dim=0)  # (1 or 2, D_v)
    chosen = list(captions)
    if known is features:  # of the smaller view other means, and the same differences from them
        images = (prototypes(rows, known[:, 0], features[:, 0])[chosen] - views[0])[:, None] + views  # (K, .., D_v)
    else:
        spaces = [prototypes(rows, known[:, 0], features[:, view])[chosen] for view in range(features.shape[1])]
        images = torch.stack(spaces, dim=1)  # (K, 1 or 2, D_v)
    limit = model.config.text.max_words
    ids, lengths = model.tokenizer.pad([model.tokenizer.encode(text, limit) for text in captions.values()])
    words = torch.cat(
        [
            model.txt_enc.eval().features(chunk.to(model.device), count).cpu()
            for chunk, count in zip(ids.split(100), lengths.split(100), strict=True)
        ]
    )
    return ClassPairs(images, words, lengths)

"""Explanation of an image and a caption with the model's network or another one."""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor

from demo.service.encoded import EncodedCaption
from seps import CrossSparseAggrNet, Explanation, ImageIndex, SEPSModel, explain
from seps.checks import Mask
from seps.encoders.classes import PatchClasses
from seps.explanation.forward_pass import explain_encoded


def explain_pair(
    model: SEPSModel,
    patches: Tensor,
    caption: EncodedCaption,
    net: CrossSparseAggrNet | None = None,
    generator: torch.Generator | None = None,
    mask: Mask | None = None,
    dense_mask: Mask | None = None,
    seen: PatchClasses | None = None,
) -> Explanation:
    """Explain an image's patches and a caption, in the calling thread.

    Args:
        model: encoder of both; patches: (N[+1], C), of the image.
        net: the network; by default the model's.
        generator: random source of a drawn decision.
        mask, dense_mask: (N,) bool, forced decisions of the caption's branch and of the dense one.
        seen: what the image backbone's classifier saw, for a model with class vectors.
    """
    record = explain(
        model.cross_net if net is None else net,
        patches.to(model.device),
        caption.words,
        caption.dense_words,
        **labels_of(model, caption),
        generator=generator,
        mask=mask,
        dense_mask=dense_mask,
    )
    return model.with_classes(record, seen, patches.to(model.device), caption.words)


def explain_indexed(
    model: SEPSModel,
    image: ImageIndex,
    caption: EncodedCaption,
    mask: Mask | None = None,
    seen: PatchClasses | None = None,
) -> Explanation:
    """Explain an image from an index of one image, without encoding it again; otherwise as `explain_pair`."""
    features = image.features()
    record = explain_encoded(
        model.cross_net, features, caption.words, caption.dense_words, **labels_of(model, caption), mask=mask
    )
    return model.with_classes(record, seen, features.patches[0], caption.words)


def labels_of(model: SEPSModel, caption: EncodedCaption) -> dict[str, Any]:
    """Return the labels of a caption's words, of its dense caption's, and the grid, as arguments of `explain`."""
    return {
        "words": model.words(caption.text),
        "dense_words": model.words(caption.dense, dense=True) if caption.dense else None,
        "grid": model.grid,
    }

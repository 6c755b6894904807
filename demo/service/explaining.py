"""How a pair of an image and a caption is explained, by the model's own network or by one of other settings."""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor

from demo.service.encoded import EncodedCaption
from seps import CrossSparseAggrNet, Explanation, ImageIndex, SEPSModel, explain
from seps.checks import Mask
from seps.explanation.forward_pass import explain_encoded


def explain_pair(
    model: SEPSModel,
    patches: Tensor,
    caption: EncodedCaption,
    net: CrossSparseAggrNet | None = None,
    generator: torch.Generator | None = None,
    mask: Mask | None = None,
    dense_mask: Mask | None = None,
) -> Explanation:
    """Explain an image's patches and a caption, in the calling thread.

    Args:
        model: encoded both; patches: (N[+1], C), of the image.
        net: what runs; the model's own network where left out.
        generator: of the noise of a drawn decision.
        mask, dense_mask: (N,) bool, decisions forced from outside, of the caption's branch and of the dense one.
    """
    return explain(
        model.cross_net if net is None else net,
        patches.to(model.device),
        caption.words,
        caption.dense_words,
        **labels_of(model, caption),
        generator=generator,
        mask=mask,
        dense_mask=dense_mask,
    )


def explain_indexed(
    model: SEPSModel, image: ImageIndex, caption: EncodedCaption, mask: Mask | None = None
) -> Explanation:
    """Explain an image that was indexed alone, which is not encoded again; the rest as in `explain_pair`."""
    return explain_encoded(
        model.cross_net,
        image.features(),
        caption.words,
        caption.dense_words,
        **labels_of(model, caption),
        mask=mask,
    )


def labels_of(model: SEPSModel, caption: EncodedCaption) -> dict[str, Any]:
    """Return the labels of a caption's words and of its dense one's, and the grid, as `explain` takes them."""
    return {
        "words": model.words(caption.text),
        "dense_words": model.words(caption.dense, dense=True) if caption.dense else None,
        "grid": model.grid,
    }

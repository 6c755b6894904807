"""How a pair of an image and a caption is explained, by the model's own network or by one of other settings."""

from __future__ import annotations

import torch
from torch import Tensor

from seps import CrossSparseAggrNet, Explanation, SEPSModel, explain
from seps.checks import Mask


def explain_pair(
    model: SEPSModel,
    patches: Tensor,
    caption: str,
    dense: str | None = None,
    net: CrossSparseAggrNet | None = None,
    generator: torch.Generator | None = None,
    mask: Mask | None = None,
    dense_mask: Mask | None = None,
) -> Explanation:
    """Explain an encoded image and a caption, in the calling thread.

    Args:
        model: encodes the captions; patches: (N[+1], C), of the image, as this model encodes it.
        caption, dense: as read by `read_caption`; an empty dense caption is none.
        net: what runs; the model's own network where left out.
        generator: of the noise of a drawn decision.
        mask, dense_mask: (N,) bool, decisions forced from outside, of the caption's branch and of the dense one.
    """
    words = model.encode_captions([caption])[0][0]  # (L_s, C)
    dense_words = model.encode_captions([dense], dense=True)[0][0] if dense else None  # (L_d, C)
    return explain(
        model.cross_net if net is None else net,
        patches.to(model.device),
        words,
        dense_words,
        words=model.words(caption),
        dense_words=model.words(dense, dense=True) if dense else None,
        grid=model.grid,
        generator=generator,
        mask=mask,
        dense_mask=dense_mask,
    )

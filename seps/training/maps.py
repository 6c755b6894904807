"""The phrase loss on word maps: what an explanation shows of a phrase's words lies inside the phrase's boxes."""

from __future__ import annotations

from collections.abc import Sequence

import torch
import torch.nn.functional as F
from torch import Tensor

from seps.training.phrases import PhraseBox

TOKEN_SCALE = 80.0  # factor of a word's cosines before the softmax: nearly a maximum
MIN_INSIDE = 0.02  # bounds the loss, and its gradient, where a map has nothing inside
PEAK_POWER = 4.0  # exponent of a map's weights, so that mainly its heaviest patches count
TINY = 1e-12  # against division by zero, where the extra token took all of a map


def map_loss(maps: tuple[Tensor, Tensor], captions: Tensor, phrases: Sequence[tuple[int, int, PhraseBox]]) -> Tensor:
    """Compute the share of each phrase's word maps outside its boxes, for captions with their own images.

    A word's map is the mean of the tokens' weights over patches, weighted by the softmax of its cosines with the
    tokens, so that words learn which token to match, tokens which patches to merge, and s^p which patches to keep
    (straight-through gradient, see `seps.training.selecting.compute_learning_mask`). The extra token counts as outside.

    Args:
        maps: weights over patches (B, M, N) and tokens (B, M, C), from `seps.training.selecting.token_maps`.
        captions: (B, L, C), image i with caption i.
        phrases: (image of the batch, caption of the batch, phrase) each.

    Returns:
        Scalar: -log of the share inside, averaged for the map and the map to the power of `PEAK_POWER`, over all words
            of a phrase (a phrase's map is the mean of its words'), and over phrases with patches outside their boxes; 0
            without any.
    """
    token_weights, tokens = maps
    partly = [(caption, phrase) for _, caption, phrase in phrases if phrase.partial]
    if not partly:
        return captions.new_zeros(())
    cosines = F.normalize(captions, dim=-1) @ tokens.transpose(1, 2)  # (B, L, M)
    met = (cosines * TOKEN_SCALE).softmax(dim=-1)  # (B, L, M)
    # (B, L, N), rows sum to 1 less what [CLS] and the extra token took
    word_maps = met[..., :-1] @ token_weights[:, :-1]
    losses = []
    for caption, phrase in partly:
        shown = word_maps[caption, phrase.first : phrase.last]  # (words, N)
        box = phrase.inside.to(shown.device)  # (N,)
        heights = shown**PEAK_POWER  # (words, N)
        for weights in (shown, heights / heights.sum(dim=-1, keepdim=True).clamp_min(TINY)):
            losses.append(-(weights[:, box].sum(dim=-1) + MIN_INSIDE).log().mean() / 2)
    return torch.stack(losses).sum() / len(partly)

"""The phrase loss on word maps: what an explanation shows of a phrase's words lies inside the phrase's boxes."""

from __future__ import annotations

from collections.abc import Sequence

import torch
import torch.nn.functional as F
from torch import Tensor

from seps.training.phrases import PhraseBox

TOKEN_SCALE = 80.0  # what a word's cosines are multiplied with before the softmax: nearly the best token alone
MIN_INSIDE = 0.02  # bounds the loss, and its gradient, where a map has nothing inside
PEAK_POWER = 4.0  # what raises a map's weights until its heaviest patches alone count
TINY = 1e-12  # against division by zero, where the extra token took all of a map


def map_loss(maps: tuple[Tensor, Tensor], captions: Tensor, phrases: Sequence[tuple[int, int, PhraseBox]]) -> Tensor:
    """Compute how much of the maps of each phrase's words lies outside its boxes, for captions with their own images.

    A word's map is the weights over patches of the token that it meets, see `seps.explanation.record`; here of all
    tokens, by the softmax of its cosines with them, so that words learn which token to meet, tokens which patches to
    merge, and s^p which patches to keep (a straight-through gradient, see `seps.training.selecting.learning_mask`).
    What words meet in the extra token counts as outside: what a phrase names is to be kept.

    Args:
        maps: of each image by its own caption, its tokens' weights over patches (B, M, N) and the tokens (B, M, C),
            from `seps.training.selecting.token_maps`.
        captions: (B, L, C), image i with caption i.
        phrases: (image of the batch, caption of the batch, phrase) each.

    Returns:
        Scalar: -log of the part inside, of the word's map and of its heaviest patches alone (the map to the power of
        `PEAK_POWER`): mean of the two, over a phrase's words and over the phrases whose boxes leave a patch out; 0
        without any. Each word is to point, articles and colours too, since a phrase's map is the mean of its words'.
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

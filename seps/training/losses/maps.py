"""The phrase loss on word maps: what an explanation shows of a phrase's words lies inside the phrase's boxes."""

from collections.abc import Sequence

import torch
import torch.nn.functional as F
from torch import Tensor

from seps.training.batches.phrases import PhraseBox

TOKEN_SCALE = 80.0  # factor of a word's cosines before the softmax: nearly a maximum
MIN_INSIDE = 0.02  # bounds the loss, and its gradient, where a map has nothing inside
PEAK_POWER = 4.0  # exponent of a map's weights, so that mainly its heaviest patches count
TINY = 1e-12  # against division by zero, where the extra token took all of a map


def map_loss(maps: tuple[Tensor, Tensor], captions: Tensor, phrases: Sequence[tuple[int, int, PhraseBox]]) -> Tensor:
    """Compute -log of the share of phrases' word maps inside their boxes, for captions with their own images."""
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

"""The phrase loss on word maps: what an explanation shows of a phrase's words lies inside the phrase's boxes."""

from __future__ import annotations

from collections.abc import Sequence

import torch
import torch.nn.functional as F
from torch import Tensor

from seps.checks import Lengths
from seps.method.network import CrossSparseAggrNet
from seps.method.selection import Selection, caption_directions, text_attention
from seps.method.softmax import masked_softmax
from seps.training.phrases import PhraseBox

TOKEN_SCALE = 80.0  # what a word's cosines are multiplied with before the softmax: nearly the best token alone
MIN_INSIDE = 0.02  # bounds the loss, and its gradient, where a map has nothing inside
PEAK_POWER = 4.0  # what raises a map's weights until its heaviest patches alone count
TINY = 1e-12  # against division by zero, where the extra token took all of a map
SOFTNESS = 0.1  # of the top k's gradient, in units of the score


def map_loss(
    net: CrossSparseAggrNet,
    images: Tensor,
    captions: Tensor,
    lengths: Lengths,
    phrases: Sequence[tuple[int, int, PhraseBox]],
    fixed_decisions: bool = False,
) -> Tensor:
    """Compute how much of the maps of each phrase's words lies outside its boxes, for captions with their own images.

    A word's map is the weights over patches of the token that it meets, see `seps.explanation.record`; here of all
    tokens, by the softmax of its cosines with them, so that words learn which token to meet, tokens which patches to
    merge, and s^p which patches to keep (a straight-through gradient, see `learning_mask`). What words meet in the
    extra token counts as outside: what a phrase names is to be kept.

    Args:
        net: the network; decisions are the top k, or drawn where it trains with Gumbel-Softmax.
        images: (B, N[+1], C); captions: (B, L, C), image i with caption i; lengths: (B,).
        phrases: (image of the batch, caption of the batch, phrase) each.
        fixed_decisions: let no gradient through decision mask and extra token, so that s^p does not learn.

    Returns:
        Scalar: -log of the part inside, of the word's map and of its heaviest patches alone (the map to the power of
        `PEAK_POWER`): mean of the two, over a phrase's words and over the phrases whose boxes leave a patch out. Each
        word is to point, articles and colours too, since a phrase's map is the mean of its words'.
    """
    partly = [(caption, phrase) for _, caption, phrase in phrases if not bool(phrase.inside.all())]
    if not partly:
        return images.new_zeros(())
    directions = caption_directions(captions, [int(length) for length in lengths])  # (B, C)
    token_weights, tokens = token_maps(net, images, directions, fixed_decisions)
    cosines = F.normalize(captions, dim=-1) @ tokens.transpose(1, 2)  # (B, L, M)
    met = (cosines * TOKEN_SCALE).softmax(dim=-1)  # (B, L, M)
    maps = met[..., :-1] @ token_weights[:, :-1]  # (B, L, N), rows sum to 1 less what [CLS] and the extra token took
    losses = []
    for caption, phrase in partly:
        shown = maps[caption, phrase.first : phrase.last]  # (words, N)
        box = phrase.inside.to(shown.device)  # (N,)
        heights = shown**PEAK_POWER  # (words, N)
        for weights in (shown, heights / heights.sum(dim=-1, keepdim=True).clamp_min(TINY)):
            losses.append(-(weights[:, box].sum(dim=-1) + MIN_INSIDE).log().mean() / 2)
    return torch.stack(losses).sum() / len(partly)


def token_maps(
    net: CrossSparseAggrNet, images: Tensor, directions: Tensor, fixed_decisions: bool = False
) -> tuple[Tensor, Tensor]:
    """Build the tokens that each image's own caption makes of it.

    Args:
        images: (B, N[+1], C); directions: (B, C) from `caption_directions`.
        fixed_decisions: as in `map_loss`.

    Returns:
        Maps (B, M, N), each token's weights over patches, summing to 1 ([CLS], and an extra token that nothing was
        dropped into: 0); tokens (B, M, C) of unit length. Order: [CLS] if any, aggregated tokens, extra token.
    """
    image = net.encode_images(images)
    s_st = text_attention(image.unit, directions[..., None]).squeeze(-1)  # (B, N)
    drawn = net.training and net.use_gumbel_softmax
    selection, _ = net.select(image.s_p, image.s_im, s_st, None, drawn)
    mask = selection.mask if drawn or fixed_decisions else learning_mask(selection)
    dropped = selection.extra_weights.to(image.patches.dtype)[:, None]  # (B, 1, N)
    if fixed_decisions:
        mask, dropped = mask.detach(), dropped.detach()
    merged = masked_softmax(image.logits[0], mask[:, None])  # (B, N_c, N), equation (4)
    weights = torch.cat([merged, dropped.to(merged.dtype)], dim=1)  # (B, N_c + 1, N)
    tokens = weights @ image.patches  # (B, N_c + 1, C)
    if image.cls is not None:
        weights = torch.cat([torch.zeros_like(weights[:, :1]), weights], dim=1)  # (B, M, N)
        tokens = torch.cat([image.cls, tokens], dim=1)  # (B, M, C)
    return weights, F.normalize(tokens, dim=-1)


def learning_mask(selection: Selection) -> Tensor:
    """Return the top k's mask (B, N), with a straight-through gradient that a drawn mask has of its own: that of a
    sigmoid of how far each score is from the lowest kept one."""
    lowest = selection.score.detach().masked_fill(selection.mask == 0, torch.inf).amin(dim=-1, keepdim=True)  # (B, 1)
    soft = ((selection.score - lowest) / SOFTNESS).sigmoid()  # (B, N)
    return selection.mask + (soft - soft.detach())

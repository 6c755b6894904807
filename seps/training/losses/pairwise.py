"""The training pass: every image of a batch against every caption at once, with gradients."""

import math

import torch
import torch.nn.functional as F
from torch import Tensor

from seps.common.checks import Lengths
from seps.method.aggregation import DualTokenAggregation
from seps.method.network import CrossSparseAggrNet
from seps.method.selection import caption_directions, text_attention

LOWEST_LOGIT = -60.0  # below the highest; keeps a row of weights from vanishing in float32
LOWEST_SUM = math.exp(-40.0)  # of a token's kept weights; below it the lowest logit would change them by over 1e-6


def pairwise_similarity(
    net: CrossSparseAggrNet,
    img_embs: Tensor,
    cap_embs: Tensor,
    cap_lens: Lengths,
    dense_cap_embs: Tensor | None = None,
    dense_cap_lens: Lengths | None = None,
    generator: torch.Generator | None = None,
) -> tuple[Tensor, Tensor | tuple[Tensor, ...]]:
    """Score every image against every caption, as `forward` in training mode: (B_v, B_t), and masks (B_t, B_v, N)."""
    if not net.use_paper_version:
        was_training = net.training
        similarity, masks = net.train()(img_embs, cap_embs, cap_lens, dense_cap_embs, dense_cap_lens, generator)
        net.train(was_training)
        return similarity, masks
    lengths, dense_lengths = net.check(img_embs, cap_embs, cap_lens, dense_cap_embs, dense_cap_lens)
    image = net.encode_images(img_embs)
    s_st = text_attention(image.unit, caption_directions(cap_embs, lengths).T).transpose(1, 2)  # (B_v, B_t, N)
    s_dt = None
    if dense_cap_embs is not None and dense_lengths is not None:
        directions = caption_directions(dense_cap_embs, dense_lengths).T
        s_dt = text_attention(image.unit, directions).transpose(1, 2)  # (B_v, B_t, N)
    s_p = tuple(None if score is None else score[:, None] for score in image.s_p)  # (B_v, 1, N)
    sparse, dense = net.select(
        (s_p[0], s_p[1]), image.s_im[:, None], s_st, s_dt, net.training and net.use_gumbel_softmax, generator
    )
    dual = isinstance(net.aggr_net, DualTokenAggregation)
    branches = [sparse] if dense is None or not dual else [sparse, dense]
    # One row of exponentials for each aggregated token, shared by all captions; each (B_v, N_c, N).
    logits = image.logits[: len(branches)]
    powers = [exponentials(each) for each in logits]
    extra = torch.stack([branch.extra_weights for branch in branches]).mean(dim=0)  # (B_v, B_t, N)
    words, device = F.normalize(cap_embs, dim=-1), cap_embs.device  # (B_t, L, C)
    padding = (
        torch.arange(words.shape[1], device=device) >= torch.as_tensor(lengths, device=device)[:, None]
    )  # (B_t, L)
    rows = []
    for i, patches in enumerate(image.patches):  # (N, C)
        merged = merge(
            patches, [each[i] for each in logits], [each[i] for each in powers], [each.mask[i] for each in branches]
        )
        tokens = torch.cat([merged, (extra[i].to(patches.dtype) @ patches)[:, None]], dim=1)  # (B_t, N_c + 1, C)
        if image.cls is not None:
            tokens = torch.cat([image.cls[i].expand(len(tokens), -1, -1), tokens], dim=1)  # (B_t, M, C)
        rows.append(align(net, F.normalize(tokens, dim=-1), words, padding, lengths))
    # as `forward` returns the masks, captions first: (B_t, B_v, N)
    return torch.stack(rows), tuple(branch.mask.transpose(0, 1).to(cap_embs.dtype) for branch in branches)


def exponentials(logits: Tensor) -> Tensor:
    """Compute exp of the aggregation logits (B_v, N_c, N), the highest of each row at 1."""
    return (logits - logits.detach().amax(dim=-1, keepdim=True)).clamp(min=LOWEST_LOGIT).exp()


def merge(patches: Tensor, logits: list[Tensor], powers: list[Tensor], masks: list[Tensor]) -> Tensor:
    """Aggregate the patches (N, C) of one image for every caption: (B_t, N_c, C). Equation (4)."""
    merged = []
    for row, power, mask in zip(logits, powers, masks, strict=True):
        kept = mask.to(power.dtype)  # (B_t, N)
        sums = kept @ power.T  # (B_t, N_c)
        tokens = ((power * kept[:, None]) @ patches) / sums[..., None]  # (B_t, N_c, C)
        at, token = (sums < LOWEST_SUM).nonzero(as_tuple=True)  # all kept patches are far below the highest
        weights = row[token].masked_fill(kept[at] == 0, -math.inf).softmax(dim=-1)  # (n, N)
        merged.append(tokens.index_put((at, token), weights @ patches))
    return torch.stack(merged).sum(dim=0)  # (B_t, N_c, C), equation (4)


def align(net: CrossSparseAggrNet, tokens: Tensor, words: Tensor, padding: Tensor, lengths: list[int]) -> Tensor:
    """Compute the similarity of one image's unit tokens (B_t, M, C) with every caption, (B_t,). Equation (5)."""
    cosines = (tokens @ words.transpose(1, 2)).float()  # (B_t, M, L)
    best_of_token = cosines.masked_fill(padding[:, None], -math.inf).amax(dim=2)  # (B_t, M)
    best_of_word = cosines.amax(dim=1)  # (B_t, L)
    count = torch.as_tensor(lengths, device=cosines.device, dtype=cosines.dtype)  # (B_t,)
    word_to_patch = best_of_word.masked_fill(padding, 0.0).sum(dim=1) / count
    relevance = net.hrpa.relevance(best_of_token) + net.hrpa.relevance(best_of_word.masked_fill(padding, -math.inf))
    return best_of_token.mean(dim=1) + word_to_patch + relevance

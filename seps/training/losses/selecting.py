"""The losses on selection: a batch's images, scored by their captions and phrases, with gradients.

Each loss has a separate pass: a shared pass would add its gradients up in another order, and a recipe would no
longer give the same weights to the last digit.
"""

from collections.abc import Sequence

import torch
import torch.nn.functional as F
from torch import Tensor

from seps.method.network import CrossSparseAggrNet
from seps.method.selection import TokenSparse, caption_directions, count_kept, text_attention
from seps.method.softmax import masked_softmax
from seps.training.batches.batch import StepBatch
from seps.training.batches.phrases import PhraseBox, PhraseRegions
from seps.training.settings import TrainSettings

MASK_SOFTNESS = 0.1  # of the top k's gradient, in units of the score
KEPT_SOFTNESS = 0.05  # of a kept patch in the loss on the decision, in units of the score
MIN_KEPT = 1e-3  # bounds the logarithms where a region is all kept or all dropped
MIN_PROBABILITY = 1e-4  # bounds the logarithms where s^p is all but 0 or 1
TOKEN_SCALE = 80.0  # factor of a word's cosines before the softmax over tokens: nearly a maximum
MIN_INSIDE = 0.02  # bounds the loss on word maps, and its gradient, where a map has nothing inside
PEAK_POWER = 4.0  # exponent of a map's weights, so that mainly its heaviest patches count
TINY = 1e-12  # against division by zero, where the extra token took all of a map


def selection_losses(
    network: CrossSparseAggrNet,
    batch: StepBatch,
    images: Tensor,
    patches: Tensor,
    captions: Tensor,
    directions: Tensor | None,
    settings: TrainSettings,
) -> dict[str, Tensor]:
    """Compute the losses on the selection that settings and batch have: "maps", "significance", "decision", "blind"."""
    if batch.pretraining:
        return {}
    branches = (network.sparse_net_cap, network.sparse_net_long)
    losses: dict[str, Tensor] = {}
    if batch.named is not None:
        losses["significance"] = significance_loss(branches, patches, batch.named)
    if batch.regions is not None and directions is not None:
        each = [decision_loss(branch, patches, directions, batch.regions) for branch in branches]
        losses["decision"] = torch.stack(each).mean()
    if settings.blind_weight:
        losses["blind"] = torch.stack([blind_loss(branch, patches) for branch in branches]).mean()
    if settings.map_weight and batch.phrases and batch.dense_captions is None:
        fixed = settings.significance_weight + settings.decision_weight > 0
        losses = {"maps": map_loss(network, images, captions, batch.lengths.tolist(), batch.phrases, fixed)} | losses
    return losses


def map_loss(
    net: CrossSparseAggrNet,
    images: Tensor,
    captions: Tensor,
    lengths: list[int],
    phrases: Sequence[tuple[int, int, PhraseBox]],
    fixed_decisions: bool = False,
) -> Tensor:
    """Compute -log of the share of phrases' word maps inside their boxes, for captions with their own images."""
    partly = [(caption, phrase) for _, caption, phrase in phrases if phrase.partial]
    if not partly:
        return captions.new_zeros(())
    token_weights, tokens = token_maps(net, images, captions, lengths, fixed_decisions)
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


def token_maps(
    net: CrossSparseAggrNet, images: Tensor, captions: Tensor, lengths: list[int], fixed_decisions: bool = False
) -> tuple[Tensor, Tensor]:
    """Build the tokens of each image for its own caption: weights (B, M, N), and tokens (B, M, C), [CLS] first.

    The gradient of a top-k mask is a sigmoid's, of the distance to the lowest kept score; none with `fixed_decisions`.
    """
    image = net.encode_images(images)
    s_st = text_attention(image.unit, caption_directions(captions, lengths)[..., None]).squeeze(-1)  # (B, N)
    sampled = net.training and net.use_gumbel_softmax
    selection, _ = net.select(image.s_p, image.s_im, s_st, None, sampled)
    mask = selection.mask  # (B, N)
    if not sampled and not fixed_decisions:
        lowest = selection.score.detach().masked_fill(mask == 0, torch.inf).amin(dim=-1, keepdim=True)  # (B, 1)
        soft = ((selection.score - lowest) / MASK_SOFTNESS).sigmoid()  # (B, N)
        mask = mask + (soft - soft.detach())
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


def significance_loss(branches: tuple[TokenSparse, ...], patches: Tensor, named: Tensor) -> Tensor:
    """Compute the binary cross-entropy of s^p, equation (1), and the named patches (B, N), for images with both kinds.

    Both classes weigh the same in an image. No gradient reaches the patches (B, N, C).
    """
    partly = named.any(dim=1) & ~named.all(dim=1)  # (B,)
    patches, named = patches.detach()[partly], named[partly]  # (B', N, C), (B', N)
    s_p = [known_s_p(branch, patches) for branch in branches]
    if not len(named):
        return s_p[0].new_zeros((), dtype=torch.float32)
    losses = []
    for probability in s_p:
        probability = probability.clamp(MIN_PROBABILITY, 1 - MIN_PROBABILITY)
        inside = -(probability.log() * named).sum(dim=1) / named.sum(dim=1)  # (B',)
        outside = -((1 - probability).log() * ~named).sum(dim=1) / (~named).sum(dim=1)  # (B',)
        losses.append((inside + outside).mean() / 2)
    return torch.stack(losses).mean().float()


def decision_loss(branch: TokenSparse, patches: Tensor, directions: Tensor, regions: PhraseRegions) -> Tensor:
    """Compute -log of the kept share of the own region plus -log of the dropped share of others, means over phrases.

    The mask is the top k of equation (3), softened to a sigmoid of the scores minus the lowest kept one.
    """
    score = phrase_scores(branch, patches, directions, regions.rows)  # (P, N)
    n = score.shape[-1]
    lowest = score.kthvalue(n - count_kept(n, branch.sparse_ratio) + 1, dim=-1, keepdim=True).values  # (P, 1)
    kept = ((score - lowest) / KEPT_SOFTNESS).sigmoid()  # (P, N)
    losses = []
    for region, right in ((regions.positive, kept), (regions.other, 1 - kept)):
        present = region.any(dim=1)  # (P,)
        if bool(present.any()):
            fraction = (right * region)[present].sum(dim=1) / region[present].sum(dim=1)
            losses.append(-fraction.clamp_min(MIN_KEPT).log().mean())
    return torch.stack(losses).sum().float() if losses else score.new_zeros((), dtype=torch.float32)


def blind_loss(branch: TokenSparse, patches: Tensor) -> Tensor:
    """Compute the spread over patches (B, N, C) of equation (3) without the caption, divided by beta, mean over images.

    That score is (1 - 2 beta) s^p + 2 beta s^im.
    """
    s_im = mean_attention(patches, F.normalize(patches, dim=-1))  # (B, N)
    scores = branch.combine(known_s_p(branch, patches), {"s_im": s_im.double()})[1]  # (B, N)
    spread = scores.var(dim=-1, correction=0).clamp_min(1e-8).sqrt()  # (B,)
    return (spread.mean() / branch.coefficients["s_st"]).float()


def phrase_scores(branch: TokenSparse, patches: Tensor, directions: Tensor, rows: Tensor) -> Tensor:
    """Compute the significance scores of equation (3) with gradients through the attentions: (P, N)."""
    unit = F.normalize(patches, dim=-1)  # (B, N, C)
    s_im = mean_attention(patches, unit)  # (B, N)
    s_st = (unit[rows] @ directions[..., None]).squeeze(-1)  # (P, N), equation (2)
    s_p = known_s_p(branch, patches)  # (B, N)
    return branch.combine(s_p[rows], {"s_im": s_im[rows].double(), "s_st": s_st.double()})[1]


def mean_attention(patches: Tensor, unit: Tensor) -> Tensor:
    """Compute s^im of equation (2) with its gradient, (B, N), of patches (B, N, C) and the same at unit length."""
    return (unit @ F.normalize(patches.mean(dim=1), dim=-1)[..., None]).squeeze(-1)


def known_s_p(branch: TokenSparse, patches: Tensor) -> Tensor:
    """Compute s^p of equation (1): (B, N, C) to (B, N); ValueError for the released variant."""
    s_p = branch.predict(patches)
    if s_p is None:
        raise ValueError(
            "The released variant has no s^p: set use_paper_version to true, or significance_weight, decision_weight "
            "and blind_weight to 0."
        )
    return s_p

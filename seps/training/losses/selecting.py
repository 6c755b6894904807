"""The losses on selection: a batch's images, scored by their captions and phrases, with gradients.

Each loss has a separate pass: a shared pass would add its gradients up in another order, and a recipe would no
longer give the same weights to the last digit.
"""

import torch
import torch.nn.functional as F
from torch import Tensor

from seps.method.network import CrossSparseAggrNet, ImageFeatures
from seps.method.selection import Selection, TokenSparse, caption_directions, count_kept, text_attention
from seps.method.softmax import masked_softmax
from seps.training.batches.batch import StepBatch
from seps.training.losses.decision import blind_loss, decision_loss
from seps.training.losses.maps import map_loss
from seps.training.losses.significance import significance_loss
from seps.training.settings import TrainSettings

SOFTNESS = 0.1  # of the top k's gradient, in units of the score


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
        losses["significance"] = significance_loss(*named_s_p(branches, patches, batch.named))
    if batch.regions is not None and directions is not None:
        regions = batch.regions
        margins = [score_margins(branch, patches, directions, regions.rows) for branch in branches]
        losses["decision"] = torch.stack([decision_loss(margin, regions) for margin in margins]).mean()
    if settings.blind_weight:
        beta = network.sparse_net_cap.coefficients["s_st"]
        blind = [blind_scores(branch, patches) for branch in branches]
        losses["blind"] = torch.stack([blind_loss(scores, beta) for scores in blind]).mean()
    if settings.map_weight and batch.phrases and batch.dense_captions is None:
        maps = (captions.new_zeros(0), captions.new_zeros(0))  # where no phrase leaves a patch out
        if any(phrase.partial for _, _, phrase in batch.phrases):
            image = network.encode_images(images)
            caption_direction = caption_directions(captions, batch.lengths.tolist())[..., None]  # (B, C, 1)
            s_st = text_attention(image.unit, caption_direction).squeeze(-1)  # (B, N)
            maps = token_maps(network, image, s_st, settings.significance_weight + settings.decision_weight > 0)
        losses = {"maps": map_loss(maps, captions, batch.phrases)} | losses
    return losses


def token_maps(
    net: CrossSparseAggrNet, image: ImageFeatures, s_st: Tensor, fixed_decisions: bool = False
) -> tuple[Tensor, Tensor]:
    """Build the tokens of each image for its own caption: weights (B, M, N), and tokens (B, M, C), [CLS] first."""
    sampled = net.training and net.use_gumbel_softmax
    selection, _ = net.select(image.s_p, image.s_im, s_st, None, sampled)
    mask = selection.mask if sampled or fixed_decisions else compute_learning_mask(selection)
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


def compute_learning_mask(selection: Selection) -> Tensor:
    """Return the top-k mask (B, N); the gradient is a sigmoid's, of the distance to the lowest kept score."""
    lowest = selection.score.detach().masked_fill(selection.mask == 0, torch.inf).amin(dim=-1, keepdim=True)  # (B, 1)
    soft = ((selection.score - lowest) / SOFTNESS).sigmoid()  # (B, N)
    return selection.mask + (soft - soft.detach())


def named_s_p(branches: tuple[TokenSparse, ...], patches: Tensor, named: Tensor) -> tuple[tuple[Tensor, ...], Tensor]:
    """Compute s^p of equation (1) for images with named patches, without a gradient to the embeddings."""
    partly = named.any(dim=1) & ~named.all(dim=1)  # (B,)
    patches = patches.detach()[partly]  # (B', N, C)
    return tuple(known_s_p(branch, patches, "significance_weight") for branch in branches), named[partly]


def score_margins(branch: TokenSparse, patches: Tensor, directions: Tensor, rows: Tensor) -> Tensor:
    """Return each patch's score, equation (3), minus the lowest kept one: (P, N), negative for dropped patches."""
    score = phrase_scores(branch, patches, directions, rows)  # (P, N)
    n = score.shape[-1]
    lowest = score.kthvalue(n - count_kept(n, branch.sparse_ratio) + 1, dim=-1, keepdim=True).values  # (P, 1)
    return score - lowest


def phrase_scores(branch: TokenSparse, patches: Tensor, directions: Tensor, rows: Tensor) -> Tensor:
    """Compute the significance scores of equation (3) with gradients through the attentions: (P, N)."""
    unit = F.normalize(patches, dim=-1)  # (B, N, C)
    s_im = mean_attention(patches, unit)  # (B, N)
    s_st = (unit[rows] @ directions[..., None]).squeeze(-1)  # (P, N), equation (2)
    s_p = known_s_p(branch, patches)  # (B, N)
    return branch.combine(s_p[rows], {"s_im": s_im[rows].double(), "s_st": s_st.double()})[1]


def blind_scores(branch: TokenSparse, patches: Tensor) -> Tensor:
    """Compute (1 - 2 beta) s^p + 2 beta s^im, equation (3) without the caption: (B, N, C) to (B, N)."""
    s_im = mean_attention(patches, F.normalize(patches, dim=-1))  # (B, N)
    return branch.combine(known_s_p(branch, patches), {"s_im": s_im.double()})[1]


def mean_attention(patches: Tensor, unit: Tensor) -> Tensor:
    """Compute s^im of equation (2) with its gradient, (B, N), of patches (B, N, C) and the same at unit length."""
    return (unit @ F.normalize(patches.mean(dim=1), dim=-1)[..., None]).squeeze(-1)


def known_s_p(branch: TokenSparse, patches: Tensor, weight: str = "decision_weight and blind_weight") -> Tensor:
    """Compute s^p of equation (1): (B, N, C) to (B, N); ValueError, which names `weight`, for the released variant."""
    s_p = branch.predict(patches)
    if s_p is None:
        raise ValueError(f"The released variant has no s^p: set use_paper_version to true, or {weight} to 0.")
    return s_p

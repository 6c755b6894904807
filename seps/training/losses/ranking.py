"""The ranking loss of a batch, over the images and captions of all processes, with the ratio loss of its masks."""

import torch
from torch import Tensor

from seps.method.losses import ScoreMask, SEPSLoss
from seps.method.network import CrossSparseAggrNet
from seps.training.losses.gathering import gather_captions, gather_embeddings, joined
from seps.training.losses.objective import infonce_loss
from seps.training.losses.pairwise import pairwise_similarity

MAX_SCALE = 100.0  # of InfoNCE, as in CLIP
Captions = tuple[Tensor, Tensor]  # embeddings (B, L, C) and lengths (B,)


def ranking_losses(
    network: CrossSparseAggrNet,
    seps_loss: SEPSLoss,
    images: Tensor,
    captions: Captions,
    dense_captions: Captions | None,
    img_ids: Tensor,
    log_scale: Tensor | None,
) -> dict[str, Tensor]:
    """Compute the scalars "align" and "ratio", and "kept", the share of patches kept."""
    words, lengths = gather_captions(*captions)
    dense, dense_lengths = (None, None) if dense_captions is None else gather_captions(*dense_captions)
    img_ids = joined(img_ids)
    similarity, masks = pairwise_similarity(network, gather_embeddings(images), words, lengths, dense, dense_lengths)
    _, align, ratio = seps_loss(similarity, masks, img_ids)
    if log_scale is not None:
        align = infonce_loss(similarity * log_scale.exp().clamp(max=MAX_SCALE) / 2, img_ids)
    return {"align": align, "ratio": ratio, "kept": kept_ratio(masks, 1 if dense is None else 2)}


def kept_ratio(masks: ScoreMask, branches: int) -> Tensor:
    """Return the share of patches kept, mean over branches, which the released variant's only mask sums."""
    if isinstance(masks, Tensor):
        return masks.detach().mean() / branches
    return torch.stack([mask.detach() for mask in masks]).mean()

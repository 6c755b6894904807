"""[CLS] handling and normalisation: what comes before selection and after aggregation."""

from __future__ import annotations

import torch
import torch.nn.functional as F
from torch import Tensor

from seps.common.checks import check_patch_count


def split_cls(img_embs: Tensor, num_patches: int) -> tuple[Tensor | None, Tensor]:
    """Split image tokens into the [CLS] token, if present, and the patches.

    Args:
        img_embs: (B_v, N+1, C) with [CLS] first, or (B_v, N, C) without.
        num_patches: N, the patch count the model was built for.

    Returns:
        [CLS] (B_v, 1, C) or None, and the patches (B_v, N, C), row by row of the grid.

    Raises:
        ValueError: the token count is neither N nor N+1.
    """
    if check_patch_count("img_embs", img_embs.shape[1], num_patches):
        return img_embs[:, :1], img_embs[:, 1:]
    return None, img_embs


def join_tokens(cls: Tensor | None, aggregated: Tensor, extra: Tensor) -> Tensor:
    """Put the tokens that meet the words in their order: [CLS], aggregated tokens, extra token.

    Args:
        cls: (B_v, 1, C) or None.
        aggregated: (B_v, N_c, C).
        extra: (B_v, 1, C).

    Returns:
        (B_v, M, C) of unit length, M = N_c + 1, one more with a [CLS]. A zero token stays zero.
    """
    parts = [aggregated, extra] if cls is None else [cls, aggregated, extra]
    return F.normalize(torch.cat(parts, dim=1), dim=-1)  # (B_v, M, C)

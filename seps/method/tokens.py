"""[CLS] handling and normalisation: what comes before selection and after aggregation."""

import torch
import torch.nn.functional as F
from torch import Tensor

from seps.common.checks import check_patch_count


def split_cls(img_embs: Tensor, num_patches: int) -> tuple[Tensor | None, Tensor]:
    """Split (B_v, N+1, C) with [CLS] first, or (B_v, N, C), into [CLS] (B_v, 1, C) or None and patches (B_v, N, C).

    N is `num_patches`; ValueError for a token count that is neither N nor N+1.
    """
    if check_patch_count("img_embs", img_embs.shape[1], num_patches):
        return img_embs[:, :1], img_embs[:, 1:]
    return None, img_embs


def join_tokens(cls: Tensor | None, aggregated: Tensor, extra: Tensor) -> Tensor:
    """Put the tokens that meet the words in their order: [CLS], aggregated tokens, extra token.

    From (B_v, 1, C) or None, (B_v, N_c, C) and (B_v, 1, C): (B_v, M, C) of unit length, M = N_c + 1, one more with a
    [CLS]. A zero token stays zero.
    """
    parts = [aggregated, extra] if cls is None else [cls, aggregated, extra]
    return F.normalize(torch.cat(parts, dim=1), dim=-1)  # (B_v, M, C)

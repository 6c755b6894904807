"""Losses: ranking by margin, and the ratio constraint. Equations (6) and (7), section 3.3."""

from collections.abc import Sequence

import torch
from torch import Tensor, nn

from seps.common.checks import check_ratio

ScoreMask = Tensor | Sequence[Tensor]


def same_image(batch: int, img_ids: Tensor | Sequence[int] | None, device: torch.device) -> Tensor:
    """Mark which pairs are no negatives: (B, B) bool, the diagonal and pairs of the same image.

    Raises:
        ValueError: not one image id a pair.
    """
    if img_ids is None:
        return torch.eye(batch, dtype=torch.bool, device=device)
    ids = torch.as_tensor(img_ids, device=device)
    if ids.shape != (batch,):
        raise ValueError(f"img_ids has shape {tuple(ids.shape)}, but similarity has {batch} pairs.")
    return ids[:, None] == ids[None, :]


def align_loss(
    similarity: Tensor,
    margin: float = 0.2,
    max_violation: bool = False,
    img_ids: Tensor | Sequence[int] | None = None,
) -> Tensor:
    """Compute L_align, the triplet loss in both directions. Equation (6).

    Args:
        similarity: (B, B); entry (i, j) is S(image i, caption j), the diagonal holds the true pairs.
        margin: alpha, by how much a true pair must beat a negative.
        max_violation: only the hardest negative of each row and column counts.
        img_ids: (B,), the image of each caption; captions of one image are never each other's negatives.

    Returns:
        Scalar, summed over the batch.

    Raises:
        ValueError: a matrix that is not square, image ids of another length.
    """
    if similarity.ndim != 2 or similarity.shape[0] != similarity.shape[1]:
        raise ValueError(
            f"similarity has shape {tuple(similarity.shape)}, but training needs as many images as captions: (B, B)."
        )
    positive = similarity.diagonal()  # (B,)
    excluded = same_image(len(similarity), img_ids, similarity.device)  # (B, B)
    # [alpha - S(I, T) + S(I, T^)]+ along rows, [alpha - S(I, T) + S(I^, T)]+ along columns
    captions = (margin - positive[:, None] + similarity).clamp(min=0).masked_fill(excluded, 0)  # (B, B)
    images = (margin - positive[None, :] + similarity).clamp(min=0).masked_fill(excluded, 0)  # (B, B)
    if max_violation:
        return captions.amax(dim=1).sum() + images.amax(dim=0).sum()  # equation (6), hardest negatives
    return captions.sum() + images.sum()  # equation (6)


def ratio_loss(
    score_mask: ScoreMask,
    target_ratio: float = 0.5,
    lambda_sparse: float = 1.0,
    lambda_dense: float = 1.0,
) -> Tensor:
    """Compute L_ratio, how far the kept share is from its target. Equation (7).

    Args:
        score_mask: the paper variant's (D_s, D_d) or (D_s,), each of any shape, weighed by the lambdas;
            or the released variant's one tensor: its mean (both branches added, about 2 rho with dense
            captions) is used directly. Under hard top-k decisions this is a constant without gradient.
        target_ratio: rho, in (0, 1].
        lambda_sparse, lambda_dense: weights of the paper variant's branches.

    Returns:
        Scalar: lambda_sparse (mean D_s - rho)^2 + lambda_dense (mean D_d - rho)^2; of one tensor D, (mean D - rho)^2.

    Raises:
        ValueError: a tuple of neither one mask nor two.
    """
    if isinstance(score_mask, Tensor):
        return (kept_ratio(score_mask) - target_ratio) ** 2
    if len(score_mask) not in (1, 2):
        raise ValueError(f"score_mask has {len(score_mask)} masks, but 1 or 2 are needed: (D_s,) or (D_s, D_d).")
    weights = (lambda_sparse, lambda_dense)[: len(score_mask)]
    losses = [weight * (kept_ratio(mask) - target_ratio) ** 2 for weight, mask in zip(weights, score_mask, strict=True)]
    return torch.stack(losses).sum()  # equation (7)


def kept_ratio(mask: Tensor) -> Tensor:
    """Take the mean of a decision mask of any shape: a scalar, in [0, 1]; bool and whole numbers count as 0 and 1."""
    return (mask if mask.is_floating_point() else mask.float()).mean()


class SEPSLoss(nn.Module):
    """L = L_align + ratio_weight * L_ratio. Equations (6) and (7).

    From the released code, where `opt` is its options and `sims` and `score_mask` come from the network:

    | released code | here |
    |---|---|
    | `ContrastiveLoss(opt, margin, max_violation)` | `SEPSLoss(margin, max_violation=max_violation)` |
    | `opt.sparse_ratio`, `opt.ratio_weight` | `SEPSLoss(target_ratio=..., ratio_weight=...)` |
    | `align = criterion(im, s, img_ids, sims)` | `total, align, ratio = criterion(sims, score_mask, img_ids)` |
    | `ratio = (score_mask.mean() - opt.sparse_ratio) ** 2` | in the call above |
    | `loss = warmup_alpha * align + opt.ratio_weight * ratio` | the same; `total` where `warmup_alpha` is 1 |
    | `criterion.max_violation_on()`, `..._off()` | `criterion.set_max_violation(True)`, `(False)` |

    `im` and `s`, the embeddings, are not passed: the loss needs only their similarity.

    Args:
        margin: alpha of equation (6).
        target_ratio: rho of equation (7), in (0, 1].
        ratio_weight: weight of L_ratio in the total.
        max_violation: count only the hardest negatives; `set_max_violation` switches it later.
        lambda_sparse, lambda_dense: weights of the branches in equation (7).

    Raises:
        ValueError: a target ratio outside (0, 1].
    """

    def __init__(
        self,
        margin: float = 0.2,
        target_ratio: float = 0.5,
        ratio_weight: float = 2.0,
        max_violation: bool = False,
        lambda_sparse: float = 1.0,
        lambda_dense: float = 1.0,
    ) -> None:
        super().__init__()
        check_ratio("target_ratio", target_ratio)
        self.margin = margin
        self.target_ratio = target_ratio
        self.ratio_weight = ratio_weight
        self.max_violation = max_violation
        self.lambda_sparse = lambda_sparse
        self.lambda_dense = lambda_dense

    def set_max_violation(self, max_violation: bool = True) -> None:
        """Switch hardest-negative mining on or off."""
        self.max_violation = max_violation

    def forward(
        self,
        similarity_matrix: Tensor,
        score_mask: ScoreMask,
        img_ids: Tensor | Sequence[int] | None = None,
    ) -> tuple[Tensor, Tensor, Tensor]:
        """Return (total, align, ratio), three scalars.

        Args:
            similarity_matrix: (B, B), what `align_loss` calls `similarity`; img_ids: as there.
            score_mask: as in `ratio_loss`.
        """
        align = align_loss(similarity_matrix, self.margin, self.max_violation, img_ids)
        ratio = ratio_loss(score_mask, self.target_ratio, self.lambda_sparse, self.lambda_dense)
        return align + self.ratio_weight * ratio, align, ratio

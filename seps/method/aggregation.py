"""Aggregation: kept patches become N_c tokens. Equation (4), section 3.2.2.

The logits depend only on the image and are computed once; a caption only says, through its
decision mask, over which patches the softmax runs.
"""

import torch
from torch import Tensor, nn

from seps.common.checks import check_whole
from seps.common.elsewhere import names_elsewhere
from seps.method.softmax import masked_softmax


def count_aggregated(num_patches: int, sparse_ratio: float, aggr_ratio: float) -> int:
    """Count the aggregated tokens: N_c = int(N * aggr_ratio * sparse_ratio); 0 for a small grid, where [CLS] and extra
    token remain."""
    return int(num_patches * aggr_ratio * sparse_ratio)


def weight_network(dim: int, num_tokens: int, dim_ratio: float) -> nn.Sequential:
    """Build the MLP of equation (4): (..., C) to (..., N_c); ValueError where a size is no whole number."""
    dim, num_tokens = check_whole("dim", dim), check_whole("num_tokens", num_tokens, least=0)
    hidden = max(1, int(dim * dim_ratio))
    return nn.Sequential(nn.LayerNorm(dim), nn.Linear(dim, hidden), nn.GELU(), nn.Linear(hidden, num_tokens))


class TokenAggregation(nn.Module):
    """One weight network for every branch: the released code, and the paper variant without dual aggregation.

    Args:
        dim: C.
        num_tokens: N_c.
        dim_ratio: hidden size of the weight network as a share of C.

    Attributes:
        weight: the weight network; scale: (1, 1, 1), what its logits are multiplied by, learned from 1 on.
    """

    @names_elsewhere(keeped_patches="num_tokens")
    def __init__(self, dim: int = 512, num_tokens: int = 39, dim_ratio: float = 0.2) -> None:
        super().__init__()
        self.weight = weight_network(dim, num_tokens, dim_ratio)
        self.scale = nn.Parameter(torch.ones(1, 1, 1))

    def logits(self, patches: Tensor) -> Tensor:
        """Map patches (B_v, N, C) to logits (B_v, N_c, N), for either branch."""
        return self.weight(patches).transpose(1, 2) * self.scale  # (B_v, N_c, N)

    @names_elsewhere(x="the first argument of `aggregate`", keep_policy="the second argument of `aggregate`")
    def forward(
        self, patches: Tensor, logits: Tensor | None = None, mask: Tensor | None = None
    ) -> tuple[Tensor, Tensor]:
        """Aggregate the kept patches: v_j = sum_i W_ji v_i. Equation (4), one branch.

        Args:
            patches: (B_v, N, C).
            logits: (B_v, N_c, N) from `logits`.
            mask: (B_v, N), the decision mask.

        Returns:
            Tokens (B_v, N_c, C) and aggregation weights (B_v, N_c, N), zero on dropped patches,
            each row summing to 1.

        Raises:
            TypeError: called as the released code's TokenAggregation(x, keep_policy) is.
        """
        if logits is None or mask is None:
            raise TypeError(
                "TokenAggregation(x, keep_policy) is TokenAggregation.aggregate(x, keep_policy) here: called as a "
                "whole it takes patches, logits and mask, and gives weights too."
            )
        weights = masked_softmax(logits, mask.unsqueeze(1))  # (B_v, N_c, N)
        return weights @ patches, weights  # (B_v, N_c, C), equation (4)

    def aggregate(self, tokens: Tensor, keep_policy: Tensor | None = None) -> Tensor:
        """Aggregate as the released code's `TokenAggregation(x, keep_policy)` does, for code that calls it so.

        Args:
            tokens: (B_v, N, C), all patches or those kept; keep_policy: (B_v, N), a decision mask; None keeps all.

        Returns:
            Tokens (B_v, N_c, C).
        """
        mask = tokens.new_ones(tokens.shape[:2]) if keep_policy is None else keep_policy
        return self.forward(tokens, self.logits(tokens), mask)[0]


class DualTokenAggregation(nn.Module):
    """A weight network for each branch, their tokens added: v_j = sum_i Ws_ji v_i + sum_i Wd_ji v_i. Equation (4).

    Args: as `TokenAggregation`.

    Attributes:
        weight_sparse, weight_dense: the weight networks; scale: (1, 1, 1), what both ones' logits are multiplied by,
            learned from 1 on.
    """

    @names_elsewhere(keeped_patches="num_tokens")
    def __init__(self, dim: int = 512, num_tokens: int = 39, dim_ratio: float = 0.2) -> None:
        super().__init__()
        self.weight_sparse = weight_network(dim, num_tokens, dim_ratio)
        self.weight_dense = weight_network(dim, num_tokens, dim_ratio)
        self.scale = nn.Parameter(torch.ones(1, 1, 1))

    def logits(self, patches: Tensor) -> tuple[Tensor, Tensor]:
        """Map patches (B_v, N, C) to logits (B_v, N_c, N) of the sparse and of the dense branch."""
        sparse = self.weight_sparse(patches).transpose(1, 2) * self.scale  # (B_v, N_c, N)
        dense = self.weight_dense(patches).transpose(1, 2) * self.scale  # (B_v, N_c, N)
        return sparse, dense

    def forward(
        self,
        patches: Tensor,
        logits: tuple[Tensor, Tensor],
        mask_sparse: Tensor,
        mask_dense: Tensor | None = None,
    ) -> tuple[Tensor, Tensor, Tensor | None]:
        """Aggregate both branches' kept patches.

        Args:
            patches: (B_v, N, C).
            logits: two (B_v, N_c, N) from `logits`.
            mask_sparse, mask_dense: (B_v, N), the decision masks; no dense caption, no dense mask.

        Returns:
            Tokens (B_v, N_c, C), and the aggregation weights (B_v, N_c, N) of the sparse and the dense
            branch, each row summing to 1; None for the dense ones without a dense mask.
        """
        weights_sparse = masked_softmax(logits[0], mask_sparse.unsqueeze(1))  # (B_v, N_c, N)
        if mask_dense is None:
            return weights_sparse @ patches, weights_sparse, None
        weights_dense = masked_softmax(logits[1], mask_dense.unsqueeze(1))  # (B_v, N_c, N)
        aggregated = (weights_sparse + weights_dense) @ patches  # (B_v, N_c, C), equation (4)
        return aggregated, weights_sparse, weights_dense

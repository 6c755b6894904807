"""Selection: which patches does a caption keep? Equations (1) to (3), section 3.2.1, and the decision.

Scores are computed in float64. The decision is a comparison, and two patches with scores that
differ in the eighth digit must not change places because a matrix product was blocked in
another way: so the module, the explanation and the scoring engine keep the same patches.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property, reduce

import numpy as np
import torch
import torch.nn.functional as F
from torch import Tensor, nn

from seps.common.checks import MAX_CHANNELS, check_positive, check_ratio, check_whole, is_number, shown
from seps.common.elsewhere import names_elsewhere
from seps.method.softmax import masked_softmax

EPS = 1e-8


def decision_dtype(device: torch.device) -> torch.dtype:
    """Return the precision of scores: float64, except on MPS, which has none."""
    return torch.float32 if device.type == "mps" else torch.float64


def normalise_patches(patches: Tensor) -> Tensor:
    """Scale patches (B_v, N, C) to unit length, in the precision of the decision, without gradient."""
    exact = patches.detach().to(decision_dtype(patches.device), copy=True)
    return exact.div_(exact.norm(dim=-1, keepdim=True).clamp_(min=1e-12))


def image_attention(patches: Tensor, unit: Tensor) -> Tensor:
    """Compute s^im: cosine of each patch with the mean patch of its image. Equation (2).

    From patches (B_v, N, C), and the same from `normalise_patches`: (B_v, N) in [-1, 1], without gradient.
    """
    mean = F.normalize(patches.detach().mean(dim=1, dtype=unit.dtype), dim=-1)  # (B_v, C)
    return (unit @ mean[..., None]).squeeze(-1)  # (B_v, N), equation (2)


def caption_direction(words: Tensor) -> Tensor:
    """Compute the unit mean of a caption's words, which its attention measures patches against. Equation (2).

    From words (L, C) without padding: (C,) of unit length, in the precision of the decision, without gradient.
    """
    return F.normalize(words.detach().to(decision_dtype(words.device)).mean(dim=0), dim=-1)


def caption_directions(embeddings: Tensor, lengths: Sequence[int]) -> Tensor:
    """Compute `caption_direction` of captions (B_t, L, C) with B_t lengths, up to the last digit: (B_t, C)."""
    count = torch.tensor(lengths, device=embeddings.device)[:, None]  # (B_t, 1)
    beyond = torch.arange(embeddings.shape[1], device=embeddings.device) >= count  # (B_t, L)
    words = embeddings.detach().masked_fill(beyond[..., None], 0.0)  # (B_t, L, C)
    return F.normalize(words.sum(dim=1, dtype=decision_dtype(words.device)) / count, dim=-1)


def text_attention(unit: Tensor, direction: Tensor) -> Tensor:
    """Compute s^st or s^dt: cosine of each patch with the sparse or the dense caption. Equation (2).

    From (B_v, N, C) of `normalise_patches` and (C,) of `caption_direction`: (B_v, N) in [-1, 1], without gradient.
    """
    return unit @ direction  # (B_v, N), equation (2)


def min_max(attention: Tensor) -> Tensor:
    """Stretch each image's attention over its patches, (..., N), to [0, 1]; a flat one becomes 0."""
    low, high = attention.aminmax(dim=-1, keepdim=True)  # (..., 1)
    return (attention - low) / (high - low + EPS)  # equation (2), the paper's Norm


def count_kept(num_patches: int, sparse_ratio: float) -> int:
    """Count the patches that are kept: N_keep = ceil(N * sparse_ratio), at least 1."""
    return max(1, math.ceil(num_patches * sparse_ratio))


def top_k_mask(score: Tensor, keep: int) -> Tensor:
    """Decide by the highest scores (..., N): True for the 1 to N `keep` highest; of equal scores, the earlier patch."""
    if torch.compiler.is_exporting():  # a graph takes the same way whatever the scores are
        return sort_top_k_mask(score, keep)
    n = score.shape[-1]
    threshold = nth_lowest(score, n - keep)  # (..., 1), the keep-th highest
    above, tied = score > threshold, score == threshold  # (..., N)
    free = keep - above.sum(dim=-1, keepdim=True)  # (..., 1), places for equal scores, taken by position
    return above | (tied & (tied.cumsum(dim=-1, dtype=torch.int32) <= free))


def sort_top_k_mask(score: Tensor, keep: int) -> Tensor:
    """Decide as `top_k_mask`, by sorting all scores (..., N): slower."""
    order = score.argsort(dim=-1, descending=True, stable=True)  # (..., N)
    return torch.zeros_like(score, dtype=torch.bool).scatter(-1, order[..., :keep], True)


def nth_lowest(score: Tensor, rank: int) -> Tensor:
    """Return the score (..., 1) that `rank` scores (0 to N - 1) of each row (..., N) go before, sorted from the
    lowest."""
    if score.device.type == "cpu" and score.dtype in (torch.float32, torch.float64):  # numpy takes half the time
        return torch.from_numpy(np.partition(score.detach().numpy(), rank)[..., rank : rank + 1])
    return score.kthvalue(rank + 1, dim=-1, keepdim=True).values


def gumbel_mask(keep_probability: Tensor, tau: float, generator: torch.Generator | None = None) -> Tensor:
    """Sample the decision: Gumbel-Softmax over (keep, drop), with a straight-through estimator.

    Each patch is kept with its own probability, so that the kept count is not fixed: `sparse_ratio` plays no
    part, and it is the ratio loss that holds the kept share near its target. Where a draw keeps nothing, the
    most probable patch is kept.

    Args:
        keep_probability: (B_v, N) in [0, 1].
        tau: temperature; it shapes the gradient, not the draw.
        generator: where the noise comes from; None takes torch's own (seed it with torch.manual_seed).

    Returns:
        (B_v, N) of exact 0 and 1, with the gradient of the soft decision.
    """
    p = keep_probability.clamp(EPS, 1 - EPS)
    uniform = torch.rand((2, *p.shape), generator=generator, device=p.device, dtype=p.dtype)
    keep_noise, drop_noise = -torch.log(-torch.log(uniform.clamp(1e-30, 1 - EPS)))  # two Gumbel draws a patch
    soft = torch.sigmoid((p.log() + keep_noise - (1 - p).log() - drop_noise) / tau)  # (B_v, N)
    hard = soft > 0.5
    none_kept = ~hard.any(dim=-1, keepdim=True)
    hard = hard | (none_kept & top_k_mask(p, 1))
    return hard.to(soft.dtype) + (soft - soft.detach())  # straight through


@dataclass(frozen=True)
class Selection:
    """Selection of one branch; every quantity in the original order of the patches.

    Attributes:
        parts: name to (B_v, N): `s_p` in (0, 1), `s_st`, `s_dt`, `s_im`, those that the variant has;
            the attentions are in [0, 1] in the paper variant and in [-1, 1] in the released one.
        score: (B_v, N), the significance score, equation (3): the parts times their coefficients.
        mask: (B_v, N), the decision mask D of exact 0 and 1; under Gumbel-Softmax it carries a gradient.
        forced: whether the mask was given from outside, whatever the score.
    """

    parts: dict[str, Tensor]
    score: Tensor
    mask: Tensor
    forced: bool = False

    @cached_property
    def extra_weights(self) -> Tensor:
        """(B_v, N), the extra token's weights: the softmax of the dropped patches' scores, zero on kept patches,
        summing to 1 (all zero where nothing is dropped)."""
        return masked_softmax(self.score, 1 - self.mask)


class TokenSparse(nn.Module):
    """Scores patches and decides which to keep. Equations (1) to (3).

    Paper: s = (1 - 2 beta) s^p + beta (s^st + s^dt + 2 s^im), each attention min-max normalised.
    Released code: s = s^im + s^st for the caption, s^im + s^dt for the dense caption, no s^p.

    Args:
        embed_dim: C.
        sparse_ratio: share of patches to keep, in (0, 1].
        use_paper_version: the paper's score; False gives the released code's.
        beta: weight of the attentions in equation (3), in [0, 0.5].
        gumbel_tau: temperature of a drawn decision.

    Raises:
        ValueError: a ratio outside (0, 1], beta outside [0, 0.5], a temperature not above 0, an embed_dim outside 1 to
            16,384.
    """

    def __init__(
        self,
        embed_dim: int = 512,
        sparse_ratio: float = 0.5,
        use_paper_version: bool = False,
        beta: float = 0.25,
        gumbel_tau: float = 1.0,
    ) -> None:
        super().__init__()
        embed_dim = check_whole("embed_dim", embed_dim, MAX_CHANNELS)
        check_ratio("sparse_ratio", sparse_ratio)
        check_positive("gumbel_tau", gumbel_tau)
        if not (is_number(beta) and 0.0 <= beta <= 0.5):
            raise ValueError(f"beta is {shown(beta)}, but it must be in [0, 0.5]: s^p weighs 1 - 2 beta.")
        self.sparse_ratio = sparse_ratio
        self.use_paper_version = use_paper_version
        self.gumbel_tau = gumbel_tau
        # Equation (3), and below it the released code's plain sum.
        self.coefficients = (
            {"s_p": 1 - 2 * beta, "s_st": beta, "s_dt": beta, "s_im": 2 * beta}
            if use_paper_version
            else {"s_st": 1.0, "s_dt": 1.0, "s_im": 1.0}
        )
        # The least and the greatest score that all parts together allow: what a keep probability is measured on.
        self.score_range = (0.0, sum(self.coefficients.values())) if use_paper_version else (-2.0, 2.0)
        if use_paper_version:
            hidden = max(1, embed_dim // 4)
            self.score_predictor = nn.Sequential(
                nn.Linear(embed_dim, hidden), nn.GELU(), nn.Linear(hidden, 1), nn.Sigmoid()
            )

    def predict(self, patches: Tensor) -> Tensor | None:
        """Compute s^p = sigmoid(MLP(v)), equation (1): (B_v, N, C) to (B_v, N) in (0, 1); None in the released
        variant."""
        if not self.use_paper_version:
            return None
        hidden = patches.to(decision_dtype(patches.device))  # (B_v, N, C)
        for layer in self.score_predictor:
            if isinstance(layer, nn.Linear):  # the same parameters, at the precision of the decision
                hidden = F.linear(hidden, layer.weight.to(hidden.dtype), layer.bias.to(hidden.dtype))
            else:
                hidden = layer(hidden)
        return hidden.squeeze(-1)  # (B_v, N), equation (1)

    def combine(self, s_p: Tensor | None, attentions: dict[str, Tensor]) -> tuple[dict[str, Tensor], Tensor]:
        """Add up equation (3): the parts as they enter the sum, and their sum.

        Args:
            s_p: (..., N) from `predict`.
            attentions: `s_im` with `s_st`, `s_dt` or both, each (..., N), as cosines.
        """
        parts = {name: min_max(a) if self.use_paper_version else a for name, a in attentions.items()}
        if s_p is not None:
            parts = {"s_p": s_p, **parts}
        score = reduce(torch.add, [self.coefficients[name] * part for name, part in parts.items()])  # equation (3)
        return parts, score  # (..., N)

    def decide(self, score: Tensor) -> Tensor:
        """Decide by the highest scores: the mask D (..., N) with 1 on the ceil(N * sparse_ratio) highest."""
        return top_k_mask(score, count_kept(score.shape[-1], self.sparse_ratio)).to(score.dtype)

    def sample(self, score: Tensor, generator: torch.Generator | None = None) -> Tensor:
        """Sample the decision (..., N), see `gumbel_mask`. The keep probability is the score's place in
        its range: the paper leaves open how a score that can pass 1 becomes a probability."""
        low, high = self.score_range
        return gumbel_mask((score - low) / (high - low), self.gumbel_tau, generator)

    @names_elsewhere(
        tokens="what `select_tokens` takes, TokenSparse(...).select_tokens(tokens, attention_x, attention_y),",
        attention_x="the second argument of `select_tokens`",
        attention_y="the third argument of `select_tokens`",
    )
    def forward(
        self,
        s_p: Tensor | None,
        attentions: dict[str, Tensor],
        sample: bool = False,
        generator: torch.Generator | None = None,
        mask: Tensor | None = None,
    ) -> Selection:
        """Score the patches and decide.

        Args:
            s_p, attentions: as in `combine`.
            sample: sample the decision instead of taking the top k.
            generator: where the draw's noise comes from; None takes torch's own.
            mask: bool, broadcastable to (..., N), a forced decision: the patches it holds True on are kept, as many as
                they are. The score then weighs the dropped patches of the extra token only.
        """
        if isinstance(attentions, Tensor):
            raise TypeError(
                "TokenSparse(tokens, attention_x, attention_y) is TokenSparse.select_tokens(tokens, attention_x, "
                "attention_y) here: called as a whole it takes s_p and a dict of attentions."
            )
        parts, score = self.combine(s_p, attentions)
        if mask is not None:
            return Selection(parts, score, mask.to(score).expand_as(score), forced=True)
        mask = self.sample(score, generator) if sample else self.decide(score)
        return Selection(parts, score, mask)

    def select_tokens(self, tokens: Tensor, attention_x: Tensor, attention_y: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        """Keep patches as the released code's `TokenSparse(tokens, attention_x, attention_y)` does, for code that calls
        it so.

        In the paper variant the score is equation (3) as `combine` adds it up, s^p of `tokens` among it.

        Args:
            tokens: (B_v, N, C); attention_x: (B_v, N), s^im as cosines; attention_y: (B_v, N), s^st or s^dt likewise.

        Returns:
            The kept patches (B_v, N_keep, C), the highest score first; the extra token (B_v, 1, C), the dropped ones
            weighted by the softmax of their scores; the decision mask (B_v, N) of 0 and 1.
        """
        _, score = self.combine(self.predict(tokens), {"s_im": attention_x, "s_st": attention_y})  # (B_v, N)
        selection = Selection({}, score, self.decide(score))
        keep = count_kept(score.shape[-1], self.sparse_ratio)
        order = score.argsort(dim=-1, descending=True, stable=True)[:, :keep]  # (B_v, N_keep)
        kept = tokens.gather(1, order[..., None].expand(-1, -1, tokens.shape[-1]))  # (B_v, N_keep, C)
        extra = selection.extra_weights.to(tokens.dtype)[:, None] @ tokens  # (B_v, 1, C)
        return kept, extra, selection.mask

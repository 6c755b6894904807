"""Smallest sets of patches that keep a photo's rank, and smallest changes that lose it. Greedy, one patch per step."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from seps.common.checks import Mask
from seps.explanation.mask_flips import MaskFlips
from seps.explanation.record import Booleans, read_only
from seps.method.network import CrossSparseAggrNet

Scores = Tensor | NDArray[Any] | Sequence[float]


@dataclass(frozen=True, eq=False)
class MinimalSet:
    """A decision and the photo's rank under it. All arrays are read-only.

    Attributes:
        dropped, added: (N,) bool, patches that only the original decision keeps, or only this one.
        count: number of kept patches (`smallest_set`) or of flipped decisions (`smallest_change`).
        rank: the photo's rank among all images, from 1; images of equal score do not come before it.
    """

    branch: str
    kept: Booleans
    dropped: Booleans
    added: Booleans
    count: int
    similarity: float
    rank: int
    rank_before: int


def smallest_set(
    model: CrossSparseAggrNet,
    img_embs: Tensor,
    cap_embs: Tensor,
    dense_cap_embs: Tensor | None = None,
    *,
    others: Scores,
    mask: Mask | None = None,
    dense_mask: Mask | None = None,
    branch: str = "sparse",
) -> MinimalSet:
    """Find few patches that keep the photo's rank with all others dropped.

    Starting from none, adds the patch that raises S(I, T) most until the photo has its rank. If that takes as many
    patches as the original decision keeps, the search starts from that decision. Then drops the patch that costs least
    while the rank holds. Greedy: a smaller set may exist unless the count is 1.
    """
    search = Search(MaskFlips(model, img_embs, cap_embs, dense_cap_embs, mask, dense_mask, branch), others)
    flips, kept = search.flips, torch.zeros_like(search.flips.kept)
    for _ in range(int(flips.kept.sum()) - 1):
        scores = flips.score_flips(kept)[0].masked_fill(kept, -torch.inf)  # (N,)
        best = scores.argmax()
        kept[best] = True
        if float(scores[best]) >= search.bar:
            break
    else:
        kept = flips.kept.clone()
    while int(kept.sum()) > 1:
        scores = flips.score_flips(kept)[0].masked_fill(~kept, -torch.inf)  # (N,)
        best = scores.argmax()
        if float(scores[best]) < search.bar:
            break
        kept[best] = False
    return search.minimal_set(kept, int(kept.sum()))


def smallest_change(
    model: CrossSparseAggrNet,
    img_embs: Tensor,
    cap_embs: Tensor,
    dense_cap_embs: Tensor | None = None,
    *,
    others: Scores,
    mask: Mask | None = None,
    dense_mask: Mask | None = None,
    branch: str = "sparse",
) -> MinimalSet | None:
    """Find few patches that, with their decisions flipped, make the photo lose its rank.

    Flips the decision that lowers S(I, T) most until the rank is lost, then restores those that are not needed.
    """
    search = Search(MaskFlips(model, img_embs, cap_embs, dense_cap_embs, mask, dense_mask, branch), others)
    if search.bar == -np.inf:
        return None
    flips, kept, lowest = search.flips, search.flips.kept.clone(), search.similarity
    while lowest >= search.bar:
        changed = kept != flips.kept  # (N,)
        scores = flips.score_flips(kept)[0].nan_to_num(nan=torch.inf).masked_fill(changed, torch.inf)  # (N,)
        best = scores.argmin()
        if float(scores[best]) >= lowest:
            return None
        lowest, kept[best] = float(scores[best]), ~kept[best]
    while int((changed := kept != flips.kept).sum()) > 1:
        scores = flips.score_flips(kept)[0].nan_to_num(nan=torch.inf).masked_fill(~changed, torch.inf)  # (N,)
        best = scores.argmin()
        if float(scores[best]) >= search.bar:
            break
        kept[best] = ~kept[best]
    return search.minimal_set(kept, int(changed.sum()))


class Search:
    """State of a search: the photo's score, the other scores, and the bar to stay above."""

    def __init__(self, flips: MaskFlips, others: Scores) -> None:
        self.flips = flips
        self.others = check_scores(others)
        self.similarity = flips.score(flips.kept)[0]
        self.rank = 1 + int((self.others > self.similarity).sum())
        behind = self.others[self.others <= self.similarity]
        self.bar = float(behind.max()) if len(behind) else -np.inf

    def minimal_set(self, kept: Tensor, count: int) -> MinimalSet:
        """Create the result for a decision, (N,) bool."""
        similarity = self.flips.score(kept)[0]
        return MinimalSet(
            branch=self.flips.branch,
            kept=read_only(kept),
            dropped=read_only(self.flips.kept & ~kept),
            added=read_only(kept & ~self.flips.kept),
            count=count,
            similarity=similarity,
            rank=1 + int((self.others > similarity).sum()),
            rank_before=self.rank,
        )


def check_scores(others: Scores) -> NDArray[np.float64]:
    """Return the other images' scores as (K,) float64; raise ValueError unless they are a list of finite numbers."""
    values = others.detach().cpu().numpy() if isinstance(others, Tensor) else np.asarray(others)
    if values.ndim != 1 or (values.size and not np.issubdtype(values.dtype, np.number)):
        raise ValueError(f"others has shape {values.shape} of {values.dtype}, but (K,) scores are needed.")
    if not np.isfinite(values.astype(np.float64)).all():
        raise ValueError("others holds NaN or infinite scores, but every other image needs one that is finite.")
    return values.astype(np.float64)

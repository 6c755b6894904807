"""How little keeps a photo at its rank, and how little lets it lose. Greedy, one patch a step.

The other images' scores for the caption are given and stay. The photo keeps its rank as long as no image comes before
it that did not: as long as S(I, T) is not below the bar, the highest of the scores that are not above it now.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from seps.checks import Mask
from seps.explanation.mask_flips import MaskFlips
from seps.explanation.record import Booleans, read_only
from seps.method.network import CrossSparseAggrNet

Scores = Tensor | NDArray[Any] | Sequence[float]


@dataclass(frozen=True, eq=False)
class MinimalSet:
    """A decision, and how the photo ranks under it. All arrays are read-only.

    Attributes:
        branch: "sparse" or "dense", whose decision it is; the other branch's stayed.
        kept: (N,) bool, the decision.
        dropped, added: (N,) bool, where it differs from the decision as it is: kept there, dropped there.
        count: of `smallest_set` how many patches are kept, of `smallest_change` how many decisions were flipped.
        similarity: S(I, T) under the decision.
        rank: the photo's among all images, 1 is first; images of equal score do not come before it.
        rank_before: the rank under the decision as it is.
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
    """Find few patches that keep the photo at its rank, all others dropped.

    Beginning with none, the patch is kept that raises S(I, T) most, until the photo has its rank. Where that takes as
    many patches as the decision keeps, the search begins with the decision as it is. Then patches are dropped, the one
    that costs least first, as long as the rank holds. Greedy: a smaller set may exist unless the count is 1.

    Args:
        model, img_embs, cap_embs, dense_cap_embs, mask, dense_mask, branch: as in `measure_effects`.
        others: (K,), the other images' S(I, T) for this caption, the photo's own not among them; may be empty.

    Raises:
        ValueError: as `measure_effects`; scores that are no list of finite numbers.
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
    """Find few patches whose decisions, flipped, let the photo fall behind its rank.

    The decision is flipped that lowers S(I, T) most, kept or dropped, until the photo loses its rank; then those
    are flipped back without which it loses all the same. Greedy: a smaller change may exist unless the count is 1.

    Args and errors: as `smallest_set`.

    Returns:
        None where no other image stands behind the photo, or where S(I, T) cannot be lowered far enough so.
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
    """The photo among the others: its score and the bar that it must not fall below.

    Args:
        flips: of the photo and the caption.
        others: (K,), the other images' scores.
    """

    def __init__(self, flips: MaskFlips, others: Scores) -> None:
        self.flips = flips
        self.others = check_scores(others)
        self.similarity = flips.score(flips.kept)[0]
        self.rank = 1 + int((self.others > self.similarity).sum())
        behind = self.others[self.others <= self.similarity]
        self.bar = float(behind.max()) if len(behind) else -np.inf

    def minimal_set(self, kept: Tensor, count: int) -> MinimalSet:
        """Write down a decision, (N,) bool."""
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
    """Return the other images' scores, (K,) float64; raise ValueError unless they are a list of finite numbers."""
    values = others.detach().cpu().numpy() if isinstance(others, Tensor) else np.asarray(others)
    if values.ndim != 1 or (values.size and not np.issubdtype(values.dtype, np.number)):
        raise ValueError(f"others has shape {values.shape} of {values.dtype}, but (K,) scores are needed.")
    if not np.isfinite(values.astype(np.float64)).all():
        raise ValueError("others holds NaN or infinite scores, but every other image needs one that is finite.")
    return values.astype(np.float64)

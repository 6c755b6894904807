"""Effects: what S(I, T), and each word's part of it, owes to the decision on each patch.

The decision mask keeps one patch less, or one more, and all else stays. What the patch shows is still in the picture:
dropped patches are merged into the extra token. `blanking` asks the other question, what S(I, T) owes to
the patch's content.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from torch import Tensor

from seps.checks import Mask
from seps.explanation.mask_flips import MaskFlips
from seps.explanation.record import Booleans, Floats, read_only
from seps.method.network import CrossSparseAggrNet


@dataclass(frozen=True, eq=False)
class Effects:
    """What each patch's decision does to S(I, T), in the units of S. All arrays are read-only; effects are float64.

    Attributes:
        branch: "sparse" or "dense", whose decision was flipped; the other branch's stayed.
        kept: (N,) bool, the decision as it is.
        similarity: S(I, T) under it.
        effects: (N,), S(I, T) minus S(I, T) with this patch's decision flipped. Of a kept patch: above 0 where
            dropping it would cost. Of a dropped one: above 0 where keeping it would cost. NaN of the only kept patch.
        word_effects: (L, N), the same for each word's part of the word-to-patch mean, see `Attribution.word_means`.
            Its part of the relevance value is left out: in that a word's place among the K best counts, and so do other
            words. The words are the caption's; of the dense branch of the released variant the dense caption's.
    """

    branch: str
    kept: Booleans
    similarity: float
    effects: Floats
    word_effects: Floats

    @property
    def worth(self) -> Floats:
        """(N,), S(I, T) with the patch kept minus S(I, T) with it dropped, all others as they are."""
        return np.where(self.kept, self.effects, -self.effects)

    @property
    def word_worth(self) -> Floats:
        """(L, N), the same for each word's part."""
        return np.where(self.kept, self.word_effects, -self.word_effects)


def measure_effects(
    model: CrossSparseAggrNet,
    img_embs: Tensor,
    cap_embs: Tensor,
    dense_cap_embs: Tensor | None = None,
    *,
    mask: Mask | None = None,
    dense_mask: Mask | None = None,
    branch: str = "sparse",
) -> Effects:
    """Measure what flipping each patch's decision does to S(I, T): N forced passes in one batch.

    Equal to `match` with each forced mask within 1e-6 times the size of S, in about the time of one pass.

    Args:
        model: either variant, in whatever mode.
        img_embs: (N[+1], C); cap_embs: (L_s, C); dense_cap_embs: (L_d, C), if any: as `explain` takes them.
        mask, dense_mask: (N,) bool, a decision forced from outside, whose patches are flipped; None takes the
            model's own.
        branch: "sparse" or "dense". The dense branch of the paper variant without dual aggregation merges nothing:
            its effects are 0, but for rounding.

    Raises:
        ValueError: as `explain`; a branch that is neither, or the dense one without a dense caption.
    """
    flips = MaskFlips(model, img_embs, cap_embs, dense_cap_embs, mask, dense_mask, branch)
    similarity, words = flips.score(flips.kept)
    flipped, flipped_words = flips.score_flips(flips.kept, with_words=True)
    assert flipped_words is not None
    return Effects(
        branch=branch,
        kept=read_only(flips.kept),
        similarity=similarity,
        effects=read_only(similarity - flipped.double().cpu()),
        word_effects=read_only((words[:, None] - flipped_words.T).double().cpu()),
    )

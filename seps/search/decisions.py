"""Which patches does a caption keep? The network's decisions, of many pairs at a time.

The network decides in float64. Here its own code runs in float32, which takes half the time and a quarter of the
memory. A pair whose last kept and first dropped patch are no further apart than float32 may confuse is decided again in
float64, so that the decisions are the network's.
"""

from __future__ import annotations

from functools import cached_property

import torch
from torch import Tensor

from seps.method.network import CrossSparseAggrNet
from seps.method.selection import EPS, Selection, decision_dtype, unit_patches
from seps.search.index import CaptionIndex, Captions, ImageIndex, take_rows

COSINE_ERROR = 1e-6  # of a cosine in float32: three times the largest of 6 million that were looked at
ROUNDING = 1e-6  # of the difference of two scores in float32, their parts given
SHORTEST, LONGEST = 1e-11, 1e15  # of patches that the network scales to unit length, and whose squares float32 holds
EXACT_BATCH_SIZE = 16  # pairs decided again at a time


class Decisions:
    """Decides for a block of V images which of N patches captions keep.

    Args:
        model: either variant.
        images: the block.
        masks: forced decisions of the sparse and the dense branch, (V, 1, N) bool each; None decides by the score.

    Attributes:
        patches: (V, N, C) float32.
        in_float32: whether float32 is tried first; not with patches shorter or longer than these.
    """

    def __init__(
        self, model: CrossSparseAggrNet, images: ImageIndex, masks: tuple[Tensor | None, Tensor | None] = (None, None)
    ) -> None:
        self.model, self.images, self.masks = model, images, masks
        self.patches = images.patches.float().contiguous()
        norms = images.norms.float()
        squared = bool(((norms > SHORTEST) & (norms < LONGEST)).all())
        self.in_float32 = squared and decision_dtype(self.patches.device) != torch.float32
        self.norms = norms[:, None]  # (V, 1, N)
        self.units: dict[int, Tensor] = {}

    @cached_property
    def unit(self) -> Tensor:
        """The patches at unit length in the precision of the decision, (V, N, C)."""
        return unit_patches(self.patches)

    def unit_of(self, image: int) -> Tensor:
        """One image's patches at unit length in the precision of the decision, (N, C); computed once."""
        if image not in self.units:
            self.units[image] = unit_patches(self.patches[image])
        return self.units[image]

    def select(self, captions: CaptionIndex) -> tuple[Selection, Selection | None]:
        """Select patches for both branches, every quantity (V, T, N)."""
        exact = self.images.s_p[0], self.images.s_p[1], self.images.s_im
        s_p, s_p_dense, s_im = (None if part is None else part[:, None] for part in exact)  # (V, 1, N)
        assert s_im is not None
        texts = (captions.sparse, captions.dense)
        if not self.in_float32:
            s_st, s_dt = (None if text is None else text.direction @ self.unit.transpose(1, 2) for text in texts)
            assert s_st is not None
            return self.model.select((s_p, s_p_dense), s_im, s_st, s_dt, masks=self.masks)
        s_st, s_dt = (None if text is None else self.attention(text) for text in texts)
        assert s_st is not None
        s_im = s_im.float()
        single = (None if s_p is None else s_p.float(), None if s_p_dense is None else s_p_dense.float())
        selections = self.model.select(single, s_im, s_st, s_dt, masks=self.masks)
        slack = self.slack(s_im, s_st, s_dt)
        unsure = torch.zeros(slack.shape, dtype=torch.bool, device=slack.device)  # (V, T)
        for selection in selections:
            if selection is not None and not selection.forced:
                unsure |= gap(selection) <= slack
        self.decide_again(unsure, captions, selections)
        return selections

    def forced(self, images: Tensor) -> tuple[Tensor | None, Tensor | None]:
        """The forced decisions of some images, (K, N) each."""
        sparse, dense = (None if mask is None else mask[images, 0] for mask in self.masks)
        return sparse, dense

    def attention(self, captions: Captions) -> Tensor:
        """Compute cosines of patches with caption directions in float32, equation (2): (V, T, N)."""
        direction = captions.direction.float()  # (T, C)
        if len(direction) == 1:  # one pass over the patches, each read once
            return (self.patches @ direction[0])[:, None] / self.norms
        return (direction @ self.patches.transpose(1, 2)).div_(self.norms)

    def slack(self, s_im: Tensor, s_st: Tensor, s_dt: Tensor | None) -> Tensor:
        """Bound by how much float32 may misjudge the difference of two patches' scores: (V, T).

        Stretched to [0, 1], each of two cosines is off by its own error over their range, and by the range's: 4 errors.
        """
        coefficients = self.model.sparse_net_cap.coefficients
        parts = [("s_im", s_im, torch.finfo(torch.float32).eps), ("s_st", s_st, COSINE_ERROR)]
        if s_dt is not None:
            parts.append(("s_dt", s_dt, COSINE_ERROR))
        total = torch.full(s_st.shape[:2], ROUNDING, device=s_st.device)
        for name, cosines, error in parts:
            if self.model.use_paper_version:
                low, high = cosines.aminmax(dim=-1)
                total += coefficients[name] * 4 * error / (high - low + EPS)
            else:
                total += coefficients[name] * 2 * error
        return total

    def decide_again(
        self, unsure: Tensor, captions: CaptionIndex, selections: tuple[Selection, Selection | None]
    ) -> None:
        """Put the float64 decisions and scores of the pairs that are unsure, (V, T) bool, into `selections`."""
        images = self.images
        for pairs in unsure.nonzero().split(EXACT_BATCH_SIZE) if bool(unsure.any()) else ():
            i, t = pairs.unbind(dim=1)  # (K,) each
            s_st, s_dt = (
                None if text is None else torch.stack([self.unit_of(a) @ text.direction[b] for a, b in pairs.tolist()])
                for text in (captions.sparse, captions.dense)
            )  # (K, N)
            assert s_st is not None
            s_p = (take_rows(images.s_p[0], i), take_rows(images.s_p[1], i))
            exact = self.model.select(s_p, images.s_im[i], s_st, s_dt, masks=self.forced(i))
            for rough, fine in zip(selections, exact, strict=True):
                if rough is not None and fine is not None and not rough.forced:
                    rough.mask[i, t] = fine.mask.float()
                    rough.score[i, t] = fine.score.float()


def gap(selection: Selection) -> Tensor:
    """How far the last kept patch's score is above the first dropped one's, (V, T); infinite where all are kept."""
    kept = selection.mask > 0
    last = selection.score.masked_fill(~kept, torch.inf).amin(dim=-1)
    first = selection.score.masked_fill(kept, -torch.inf).amax(dim=-1)
    return last - first

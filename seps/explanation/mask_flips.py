"""Exact scores under each of the N flipped decisions of one image and one caption, in one batch.

A token is t = sum_i w_i v_i, its weights w summing to 1 over its members: the kept patches for an aggregated token, the
dropped ones for the extra token. If patch i joins or leaves, the softmax weights of all others change by one factor, so
that

    t' = (1 - a) t + a v_i,   a = sigmoid(logit_i - logsumexp over members)   if it joins,
                              a = -w_i / (1 - w_i)                           if it leaves.

Products with words and the length of t' follow from those products, so N decisions cost little more than one. If a
patch with nearly all the weight leaves, digits are lost. Only a token's heaviest member can weigh more than half, so
each token is also summed directly without its heaviest member.
"""

import torch
import torch.nn.functional as F
from torch import Tensor

from seps.common.checks import Mask, check_choice
from seps.common.precision import exact_precision
from seps.explanation.attribution import attribute_word_mean
from seps.explanation.forward_pass import check_single
from seps.method.alignment import Alignment
from seps.method.network import CrossSparseAggrNet, Match
from seps.method.selection import Selection, decision_dtype
from seps.method.softmax import masked_softmax

BRANCHES = ("sparse", "dense")
SHORTEST = 1e-12  # a token shorter than this counts as zero, as in torch's normalize
MAX_ELEMENTS = 2**22  # numbers of patch-word matrices held at a time


class MaskFlips:
    """Scores of an image and a caption under decisions that differ in one patch. R = N_c + 1 rows, extra token last."""

    def __init__(
        self,
        model: CrossSparseAggrNet,
        img_embs: Tensor,
        cap_embs: Tensor,
        dense_cap_embs: Tensor | None = None,
        mask: Mask | None = None,
        dense_mask: Mask | None = None,
        branch: str = "sparse",
    ) -> None:
        check_single(model, img_embs, cap_embs, dense_cap_embs)
        check_choice("branch", branch, BRANCHES)
        if branch == "dense" and dense_cap_embs is None:
            raise ValueError("branch is 'dense', but there is no dense caption: pass dense_cap_embs.")
        self.model, self.branch = model, branch
        with torch.no_grad(), exact_precision(img_embs.device):
            image = model.encode_images(img_embs[None])
            match = model.match(image, cap_embs, dense_cap_embs, mask=mask, dense_mask=dense_mask)
            index = BRANCHES.index(branch)
            selections = [None if part is None else part.selection for part in (match.sparse, match.dense)]
            selection, other = selections[index], selections[1 - index]
            assert selection is not None
            self.kept = selection.mask[0] > 0.5  # the current decision
            exact = decision_dtype(img_embs.device)
            self.logits = torch.cat([image.logits[index][0].to(exact), selection.score.to(exact)])  # (R, N)
            self.patches = image.patches[0].to(exact)  # (N, C)
            words = dense_cap_embs if index == 1 and not model.use_paper_version else cap_embs
            assert words is not None
            self.words = F.normalize(words.to(exact), dim=-1)  # (L, C)
            self.cls: Tensor | None = None  # (1, L), cosines of the words and [CLS]
            if image.cls is not None:
                self.cls = F.normalize(image.cls[0].to(exact), dim=-1) @ self.words.T
            self.fixed = torch.zeros(len(self.logits), self.patches.shape[1]).to(self.patches)  # (R, C)
            merges_nothing = model.use_paper_version and not model.use_dual_aggr and index == 1
            if other is not None and (model.use_dual_aggr or merges_nothing):  # the other branch's tokens are added
                rows = torch.cat([image.logits[1 - index][0].to(exact), other.score.to(exact)])  # (R, N)
                self.fixed = masked_softmax(rows, members(other.mask[0] > 0.5, len(rows))) @ self.patches
            if merges_nothing:  # the paper's dense branch without dual aggregation: its decision changes nothing
                self.patches = torch.zeros_like(self.patches)
            self.met = self.patches @ self.words.T  # (N, L)
            self.lengths = self.patches.square().sum(dim=-1)  # (N,), squared
            self.other_similarity = other_similarity(match, selection)  # of S, what the flipped branch has no part in

    @torch.no_grad()
    def score(self, kept: Tensor) -> tuple[float, Tensor]:
        """Compute S(I, T) and the words' parts (L,) under one decision, with the arithmetic of `score_flips`."""
        tokens = masked_softmax(self.logits, members(kept, len(self.logits))) @ self.patches + self.fixed  # (R, C)
        cosines = tokens @ self.words.T / tokens.norm(dim=-1, keepdim=True).clamp(min=SHORTEST)  # (R, L)
        alignment = self._align(cosines[None])
        words = attribute_word_mean(alignment.matrix)[0]  # (L,)
        return float(alignment.similarity[0] + self.other_similarity), words

    @torch.no_grad()
    def score_flips(self, kept: Tensor, with_words: bool = False) -> tuple[Tensor, Tensor | None]:
        """Compute S(I, T) with each patch's decision flipped, (N,), and words' parts (N, L); NaN without patches."""
        inside = members(kept, len(self.logits))  # (R, N)
        weights = masked_softmax(self.logits, inside)  # (R, N)
        tokens = weights @ self.patches  # (R, C)
        total = self.logits.masked_fill(~inside, -torch.inf).logsumexp(dim=-1, keepdim=True)  # (R, 1)
        heaviest = weights.argmax(dim=-1, keepdim=True)  # (R, 1)
        is_heaviest = torch.zeros_like(inside).scatter(-1, heaviest, inside.gather(-1, heaviest))  # (R, N)
        leaving = -weights / (1 - weights.masked_fill(is_heaviest, 0.0))
        step = torch.where(inside, leaving, torch.sigmoid(self.logits - total))  # (R, N), a
        without = masked_softmax(self.logits, inside & ~is_heaviest) @ self.patches  # (R, C), their heaviest left
        # Dot products of the tokens, of the tokens without their heaviest member, and of the patches, with the fixed
        # directions and with each other, for the lengths of the sums.
        stay = 1 - step
        squared = stay**2 * dot(tokens, tokens) + 2 * stay * step * (tokens @ self.patches.T) + step**2 * self.lengths
        squared = torch.where(is_heaviest, dot(without, without), squared)  # (R, N)
        across = stay * dot(tokens, self.fixed) + step * (self.fixed @ self.patches.T)
        across = torch.where(is_heaviest, dot(without, self.fixed), across)  # (R, N)
        norms = (squared + 2 * across + dot(self.fixed, self.fixed)).clamp(min=0).sqrt().clamp(min=SHORTEST)
        products = [part @ self.words.T for part in (tokens, without, self.fixed)]  # (R, L) each
        scores, words = [], []
        batch_size = max(1, MAX_ELEMENTS // (len(self.logits) * len(self.words)))
        for rows in torch.arange(len(kept), device=kept.device).split(batch_size):
            joined = stay[:, rows, None] * products[0][:, None] + step[:, rows, None] * self.met[rows]  # (R, n, L)
            joined = torch.where(is_heaviest[:, rows, None], products[1][:, None], joined) + products[2][:, None]
            alignment = self._align((joined / norms[:, rows, None]).transpose(0, 1))  # (n, R, L)
            scores.append(alignment.similarity + self.other_similarity)
            if with_words:
                words.append(attribute_word_mean(alignment.matrix))
        only = kept & (kept.sum() == 1)  # (N,)
        similarities = torch.cat(scores).masked_fill(only, torch.nan)
        return similarities, torch.cat(words).masked_fill(only[:, None], torch.nan) if with_words else None

    def _align(self, cosines: Tensor) -> Alignment:
        """Align from (n, R, L), with the [CLS] token's row first."""
        if self.cls is not None:
            cosines = torch.cat([self.cls.expand(len(cosines), -1, -1), cosines], dim=1)  # (n, M, L)
        with exact_precision(cosines.device):
            return self.model.hrpa.align(cosines.to(self.model.dtype))


def members(kept: Tensor, rows: int) -> Tensor:
    """Mark the patches of each of R tokens, (R, N) bool: the kept ones, or for the extra token the dropped ones."""
    return torch.cat([kept.expand(rows - 1, -1), ~kept[None]])


def dot(left: Tensor, right: Tensor) -> Tensor:
    """Multiply rows with rows, (R, C) and (R, C): (R, 1)."""
    return (left * right).sum(dim=-1, keepdim=True)


def other_similarity(match: Match, selection: Selection) -> Tensor:
    """Return the contribution to S(I, T) of the alignment that does not use this selection, a 0-d tensor."""
    if len(match.alignments) == 1:
        return torch.zeros_like(match.similarity[0])
    return match.alignments[1 if selection is match.sparse.selection else 0].similarity[0]

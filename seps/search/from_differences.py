"""The second order of multiplication: captions of one image keep much the same patches.

The tokens of those that most captions keep are built once an image. A caption then adds and subtracts the patches in
which it differs; captions that differ in about as many are multiplied together. A token's weights need not sum to 1,
since its length divides out: they are scaled so that those of the usual patches do.
"""

from __future__ import annotations

from dataclasses import dataclass

import torch
import torch.nn.functional as F
from torch import Tensor

from seps.method.selection import Selection, masked_softmax
from seps.search.from_tokens import SHORTEST
from seps.search.parts import split
from seps.search.workspace import Workspace

CANCELLED = 0.03  # a token that weighs less than this fraction of what it was summed from is summed directly instead
HEAVIEST = 1e3  # so is a token that weighs this many times what the usual patches weigh
TOKEN_BATCH_SIZE = 24  # captions whose tokens a CPU builds at a time
HIGHEST_LOGIT = 14.0  # above the highest of the usual patches, where weights are cut: HEAVIEST even beside 500 others


@dataclass(frozen=True)
class UsualPatches:
    """What most of an image's captions keep, for V images.

    Attributes:
        mask: (V, 1, N), 1 on the usual patches, 0 on others.
        weights: (V, N, M), every patch's for each token, summing to 1 over the usual ones; 0 for the extra token.
        tokens: (V, M, C), the usual patches' tokens.
    """

    mask: Tensor
    weights: Tensor
    tokens: Tensor


@dataclass(frozen=True)
class Differences:
    """How captions' kept patches differ from those usually kept, by images V and captions T.

    Each image has an order of its own of the captions, by how many patches they differ in; the rest is in that order.

    Attributes:
        order: (V, T), which caption comes at each position.
        counts: for each image, in how many patches the caption at each position differs.
        where: (V, T, max), the patches, those that differ first.
        sign: (V, T, max), 1 where such a patch is kept, -1 where it is dropped, 0 where it does not differ.
        extra: (V, T, C), the extra tokens.
        shortest: (V, T, M), the length at which a token counts as zero, in the scale of its weights.
        lost: for each image and each part of its captions, tokens of which so much cancels out that digits would be
            lost: their indices (K,) among the part's P * M, and their weights over all patches (K, N).
    """

    order: Tensor
    counts: list[list[int]]
    where: Tensor
    sign: Tensor
    extra: Tensor
    shortest: Tensor
    lost: list[list[tuple[Tensor, Tensor]]]


class FromDifferences:
    """Multiplies tokens and words of a block of V images, whose usual patches are those of the first captions seen.

    Args:
        patches: (V, N, C) float32.
        logits: (V, N_c, N), of aggregation.
        workspace: holds what is gathered.
    """

    def __init__(self, patches: Tensor, logits: Tensor, workspace: Workspace) -> None:
        self.patches, self.logits, self.workspace = patches, logits, workspace
        self.usual: UsualPatches | None = None  # made when first used

    def compare(self, selection: Selection) -> Differences:
        """Find how each caption's kept patches differ from the usual ones; every quantity of selection (V, T, N)."""
        mask = selection.mask.float()  # (V, T, N)
        if self.usual is None:
            self.usual = usual_patches(mask, self.logits.float(), self.patches)
        order = (mask != self.usual.mask).sum(dim=2).argsort(dim=1)  # (V, T)
        mask, score = (part.gather(1, order[..., None].expand_as(mask)) for part in (mask, selection.score.float()))
        difference = mask - self.usual.mask  # (V, T, N) of -1, 0 and 1
        where, counts = nonzero_positions(difference)
        total = mask @ self.usual.weights  # (V, T, M), the sums of the tokens' weights; 1 for the usual patches
        dropped = score.exp() * (1 - mask)  # (V, T, N), a softmax but for its sum
        weight = total[..., :-1]
        lost = (weight < CANCELLED) | (weight > HEAVIEST)  # (V, T, N_c)
        total[..., -1] = dropped.sum(dim=2)
        return Differences(
            order=order,
            counts=counts.tolist(),
            where=where,
            sign=difference.gather(2, where) * (torch.arange(where.shape[2], device=where.device) < counts[..., None]),
            extra=dropped @ self.patches,  # (V, T, C)
            shortest=(SHORTEST * total).clamp(min=1e-30),
            lost=summed_directly(lost, mask, self.logits, self.batch_size(mask.shape[1])),
        )

    def fill(self, i: int, words: Tensor, by: Differences, products: Tensor, norms: Tensor) -> None:
        """Fill products (T, L, M) and the tokens' lengths (T, M) of image `i` with words (T, L, C)."""
        t, longest, channels = words.shape
        for part, (indices, lost) in zip(split(t, self.batch_size(t)), by.lost[i], strict=True):
            which = by.order[i, part]  # (P,)
            chosen = self.workspace.buffer("chosen words", len(which), longest, channels)
            torch.index_select(words, 0, which, out=chosen)
            tokens = self.tokens(i, by, part, indices, lost)
            products.index_copy_(0, which, torch.bmm(chosen, tokens.transpose(1, 2)))
            norms.index_copy_(0, which, tokens.norm(dim=-1).maximum(by.shortest[i, part]))

    def batch_size(self, captions: int) -> int:
        """Choose how many of so many captions are multiplied together: on a CPU what stays in a core's own cache."""
        return TOKEN_BATCH_SIZE if self.patches.device.type == "cpu" else captions

    def tokens(self, i: int, by: Differences, part: slice, indices: Tensor, lost: Tensor) -> Tensor:
        """Build the tokens of image `i` for the captions at positions `part`: (P, M, C), overwritten by the next."""
        assert self.usual is not None  # `compare` was called: it made `by`
        t, count = part.stop - part.start, max(1, by.counts[i][part.stop - 1])  # the last differs most
        m, channels = self.usual.tokens.shape[1:]
        chosen = by.where[i, part, :count].reshape(-1)
        gathered = self.workspace.buffer("gathered patches", t * count, channels)
        weights = self.workspace.buffer("gathered weights", t * count, m)
        torch.index_select(self.patches[i], 0, chosen, out=gathered)
        torch.index_select(self.usual.weights[i], 0, chosen, out=weights)
        weights *= by.sign[i, part, :count].reshape(-1, 1)
        tokens = self.workspace.buffer("tokens", t, m, channels)
        torch.baddbmm(
            self.usual.tokens[i].expand(t, m, channels),
            weights.view(t, count, m).transpose(1, 2),
            gathered.view(t, count, channels),
            out=tokens,
        )
        tokens[:, -1] = by.extra[i, part]
        if len(indices):
            tokens.view(t * m, channels).index_copy_(0, indices, lost @ self.patches[i])
        return tokens


def nonzero_positions(difference: Tensor) -> tuple[Tensor, Tensor]:
    """Find where each row of (V, T, N) is not 0: the positions (V, T, max), padded with 0, and their counts (V, T)."""
    v, t, n = difference.shape
    different = (difference != 0).view(v * t, n)
    counts = different.sum(dim=1)  # (V * T,)
    where = torch.zeros(v * t, max(1, int(counts.max())), dtype=torch.int64, device=difference.device)
    row, position = different.nonzero().unbind(dim=1)  # ordered by row
    before = counts.cumsum(dim=0) - counts
    where[row, torch.arange(len(row), device=row.device) - before[row]] = position
    return where.view(v, t, -1), counts.view(v, t)


def usual_patches(mask: Tensor, logits: Tensor, patches: Tensor) -> UsualPatches:
    """Find the patches that most captions keep and build their tokens.

    Args:
        mask: (V, T, N), what each caption keeps.
        logits: (V, N_c, N), of aggregation.
        patches: (V, N, C).
    """
    usual = (mask.mean(dim=1, keepdim=True) >= 0.5).float()  # (V, 1, N)
    highest = logits.masked_fill(usual == 0, -torch.inf).amax(dim=-1, keepdim=True)  # (V, N_c, 1)
    exponential = (logits - highest.where(highest.isfinite(), 0.0)).clamp(max=HIGHEST_LOGIT).exp()  # (V, N_c, N)
    total = exponential @ usual.transpose(1, 2)  # (V, N_c, 1)
    scaled = exponential / total.where(total > 0, 1.0)  # (V, N_c, N)
    weights = F.pad(scaled.transpose(1, 2), (0, 1))  # (V, N, M), the extra token's column empty
    tokens = (weights * usual.transpose(1, 2)).transpose(1, 2) @ patches  # (V, M, C)
    return UsualPatches(usual, weights, tokens)


def summed_directly(lost: Tensor, mask: Tensor, logits: Tensor, batch_size: int) -> list[list[tuple[Tensor, Tensor]]]:
    """Return `Differences.lost` of the tokens that `lost` (V, T, N_c) names, which are few.

    Args:
        mask: (V, T, N), what each caption keeps.
        logits: (V, N_c, N), of aggregation; batch_size: captions a part at most.
    """
    v, t, tokens = lost.shape
    parts = list(split(t, batch_size))
    first = torch.tensor([part.start for part in parts], device=lost.device)
    image, caption, token = lost.nonzero().unbind(dim=1)  # (K,) each, ordered by image, then by caption
    weights = masked_softmax(logits[image, token].float(), mask[image, caption])  # (K, N)
    part = torch.bucketize(caption, first, right=True) - 1  # (K,)
    indices = (caption - first[part]) * (tokens + 1) + token  # (K,)
    counts = torch.bincount(image * len(parts) + part, minlength=v * len(parts)).tolist()
    tokens_lost = list(zip(indices.split(counts), weights.split(counts), strict=True))
    return [tokens_lost[i * len(parts) : (i + 1) * len(parts)] for i in range(v)]

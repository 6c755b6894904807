"""A token's products with words and its length, in three exact orders of multiplication.

A token is w X, its weights w over an image's N patches X (`TokenWeights`). S(I, T) needs its products w X u with the
words u and its length |w X|.

1. `from_tokens`: (w X) u. Tokens are built and then meet the words, for many captions at a time.
2. `FromDifferences`: captions of one image keep much the same patches. The tokens of those that most captions keep are
   built once an image. A caption then adds and subtracts the patches in which it differs; captions that differ in about
   as many are multiplied together. A token's weights need not sum to 1, since its length divides out: they are scaled
   so that those of the usual patches do.
3. `ByGram`: w (X u), and |w X|^2 = w G w with G = X X'. No tokens are built.
"""

from __future__ import annotations

from dataclasses import dataclass

import torch
import torch.nn.functional as F
from torch import Tensor

from seps.method.selection import Selection
from seps.method.softmax import masked_softmax
from seps.search.index import ImageIndex
from seps.search.parallel import Workspace, split

FLAT_LOGITS = 30.0  # within this spread exp(logit) and its products stay in float32's range
MIN_NORM = 1e-12  # a token shorter than this counts as zero, as in torch's normalize
CANCELLED = 0.03  # a token that weighs or measures less than this fraction of what it sums is summed directly instead
MAX_WEIGHT = 1e3  # so is a token that weighs this many times what the usual patches weigh
MAX_LOGIT = 14.0  # above the highest of the usual patches, where weights are cut: MAX_WEIGHT even beside 500 others
TOKEN_BATCH_SIZE = 24  # captions whose tokens a CPU builds at a time


class TokenWeights:
    """Weighs the N patches of a block of V images for the M = N_c + 1 tokens of each pair with T captions.

    Args:
        images: the block.
        num_tokens: N_c.
        workspace: holds the weights.
    """

    def __init__(self, images: ImageIndex, num_tokens: int, workspace: Workspace) -> None:
        self.logits, self.num_tokens, self.workspace = images.logits, num_tokens, workspace
        sparse, dense = images.logits
        first = exponentials(sparse)
        self.exponentials = (first, first if dense is sparse else exponentials(dense))  # (V, N_c, N), or None

    def of(self, images: slice, sparse: Selection, dense: Selection | None) -> Tensor:
        """Weigh some images' patches, as `AlignmentExplanation.token_weights` has them: (V, T, M, N)."""
        weights = self.of_branch("sparse weights", images, sparse, 0)
        if dense is None:
            return weights
        weights += self.of_branch("dense weights", images, dense, 1)
        weights[:, :, -1] /= 2  # the extra token is the mean of both branches'
        return weights

    def of_branch(self, name: str, images: slice, selection: Selection, branch: int) -> Tensor:
        """Weigh one branch's patches, (V, T, M, N), each row summing to 1."""
        mask = selection.mask[images].float()  # (V, T, N)
        weights = self.workspace.buffer(name, *mask.shape[:2], self.num_tokens + 1, mask.shape[2])
        aggregated = weights[:, :, :-1]  # (V, T, N_c, N)
        exponential = self.exponentials[branch]
        if exponential is None:  # each pair's own maximum must be found
            logits = self.logits[branch][images].float()
            aggregated.copy_(masked_softmax(logits[:, None], mask[:, :, None]))
        else:
            exponential = exponential[images]  # (V, N_c, N)
            torch.mul(exponential[:, None], mask[:, :, None], out=aggregated)
            aggregated /= (mask @ exponential.transpose(1, 2))[..., None]  # (V, T, N_c, 1)
        weights[:, :, -1] = selection.extra_weights[images]
        return weights


def exponentials(logits: Tensor) -> Tensor | None:
    """Return exp(logit - highest) of (V, N_c, N); None where the spread is too wide for one scale to serve any mask."""
    logits = logits.float()
    low, high = logits.aminmax(dim=-1, keepdim=True)
    if logits.numel() and float((high - low).max()) > FLAT_LOGITS:
        return None
    return (logits - high).exp()


def from_tokens(weights: Tensor, patches: Tensor, words: Tensor, workspace: Workspace) -> tuple[Tensor, Tensor]:
    """Multiply all tokens of V images with all words of T captions.

    Args:
        weights: (V, T, M, N), the tokens' over patches.
        patches: (V, N, C).
        words: (T, L, C).
        workspace: holds the tokens.

    Returns:
        Products (V, T, L, M) of words and tokens, and the tokens' lengths (V, T, M), at least `MIN_NORM`.
    """
    v, t, m, n = weights.shape
    tokens = workspace.buffer("tokens", v, t, m, words.shape[-1])
    torch.bmm(weights.view(v, t * m, n), patches, out=tokens.view(v, t * m, -1))
    # All images' tokens of a caption in one product; where V or T is 1 nothing is copied.
    by_caption = tokens.transpose(0, 1).reshape(t, v * m, -1)  # (T, V * M, C)
    products = torch.bmm(words, by_caption.transpose(1, 2)).view(t, -1, v, m)  # (T, L, V, M)
    return products.permute(2, 0, 1, 3), tokens.norm(dim=-1).clamp_(min=MIN_NORM)


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
        positions: (V, T, max), the patches, those that differ first.
        sign: (V, T, max), 1 where such a patch is kept, -1 where it is dropped, 0 where it does not differ.
        extra: (V, T, C), the extra tokens.
        min_norms: (V, T, M), the length at which a token counts as zero, in the scale of its weights.
        inexact: for each image and each part of its captions, tokens of which so much cancels out that digits would
            be lost: their indices (K,) among the part's P * M, and their weights over all patches (K, N).
    """

    order: Tensor
    counts: list[list[int]]
    positions: Tensor
    sign: Tensor
    extra: Tensor
    min_norms: Tensor
    inexact: list[list[tuple[Tensor, Tensor]]]


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
        positions, counts = nonzero_positions(difference)
        within = torch.arange(positions.shape[2], device=mask.device) < counts[..., None]  # (V, T, max), not padding
        total = mask @ self.usual.weights  # (V, T, M), the sums of the tokens' weights; 1 for the usual patches
        dropped = score.exp() * (1 - mask)  # (V, T, N), a softmax but for its sum
        weight = total[..., :-1]
        inexact = (weight < CANCELLED) | (weight > MAX_WEIGHT)  # (V, T, N_c)
        total[..., -1] = dropped.sum(dim=2)
        return Differences(
            order=order,
            counts=counts.tolist(),
            positions=positions,
            sign=difference.gather(2, positions) * within,
            extra=dropped @ self.patches,  # (V, T, C)
            min_norms=(MIN_NORM * total).clamp(min=1e-30),
            inexact=summed_directly(inexact, mask, self.logits, self.batch_size(mask.shape[1])),
        )

    def fill(self, i: int, words: Tensor, differences: Differences, products: Tensor, norms: Tensor) -> None:
        """Fill products (T, L, M) and the tokens' lengths (T, M) of image `i` with words (T, L, C)."""
        t, longest, channels = words.shape
        for part, (indices, weights) in zip(split(t, self.batch_size(t)), differences.inexact[i], strict=True):
            rows = differences.order[i, part]  # (P,)
            gathered = self.workspace.buffer("gathered words", len(rows), longest, channels)
            torch.index_select(words, 0, rows, out=gathered)
            tokens = self.tokens(i, differences, part, indices, weights)
            products.index_copy_(0, rows, torch.bmm(gathered, tokens.transpose(1, 2)))
            norms.index_copy_(0, rows, tokens.norm(dim=-1).maximum(differences.min_norms[i, part]))

    def batch_size(self, captions: int) -> int:
        """Choose how many of so many captions are multiplied together: on a CPU what stays in a core's own cache."""
        return TOKEN_BATCH_SIZE if self.patches.device.type == "cpu" else captions

    def tokens(self, i: int, differences: Differences, part: slice, indices: Tensor, inexact: Tensor) -> Tensor:
        """Build the tokens of image `i` for the captions at positions `part`: (P, M, C), overwritten by the next.

        Tokens at these indices (K,) of the P * M are summed directly, with the weights `inexact` (K, N).
        """
        assert self.usual is not None  # `compare` was called: it made the differences
        t, count = part.stop - part.start, max(1, differences.counts[i][part.stop - 1])  # the last differs most
        m, channels = self.usual.tokens.shape[1:]
        positions = differences.positions[i, part, :count].reshape(-1)
        gathered = self.workspace.buffer("gathered patches", t * count, channels)
        weights = self.workspace.buffer("gathered weights", t * count, m)
        torch.index_select(self.patches[i], 0, positions, out=gathered)
        torch.index_select(self.usual.weights[i], 0, positions, out=weights)
        weights *= differences.sign[i, part, :count].reshape(-1, 1)
        tokens = self.workspace.buffer("tokens", t, m, channels)
        torch.baddbmm(
            self.usual.tokens[i].expand(t, m, channels),
            weights.view(t, count, m).transpose(1, 2),
            gathered.view(t, count, channels),
            out=tokens,
        )
        tokens[:, -1] = differences.extra[i, part]
        if len(indices):
            tokens.view(t * m, channels).index_copy_(0, indices, inexact @ self.patches[i])
        return tokens


def nonzero_positions(difference: Tensor) -> tuple[Tensor, Tensor]:
    """Find where each row of (V, T, N) is not 0: the positions (V, T, max), padded with 0, and their counts (V, T)."""
    v, t, n = difference.shape
    different = (difference != 0).view(v * t, n)
    counts = different.sum(dim=1)  # (V * T,)
    positions = torch.zeros(v * t, max(1, int(counts.max())), dtype=torch.int64, device=difference.device)
    row, position = different.nonzero().unbind(dim=1)  # ordered by row
    before = counts.cumsum(dim=0) - counts
    positions[row, torch.arange(len(row), device=row.device) - before[row]] = position
    return positions.view(v, t, -1), counts.view(v, t)


def usual_patches(mask: Tensor, logits: Tensor, patches: Tensor) -> UsualPatches:
    """Find the patches that most captions keep and build their tokens.

    Args:
        mask: (V, T, N), what each caption keeps.
        logits: (V, N_c, N), of aggregation.
        patches: (V, N, C).
    """
    usual = (mask.mean(dim=1, keepdim=True) >= 0.5).float()  # (V, 1, N)
    highest = logits.masked_fill(usual == 0, -torch.inf).amax(dim=-1, keepdim=True)  # (V, N_c, 1)
    exponential = (logits - highest.where(highest.isfinite(), 0.0)).clamp(max=MAX_LOGIT).exp()  # (V, N_c, N)
    total = exponential @ usual.transpose(1, 2)  # (V, N_c, 1)
    scaled = exponential / total.where(total > 0, 1.0)  # (V, N_c, N)
    weights = F.pad(scaled.transpose(1, 2), (0, 1))  # (V, N, M), the extra token's column empty
    tokens = (weights * usual.transpose(1, 2)).transpose(1, 2) @ patches  # (V, M, C)
    return UsualPatches(usual, weights, tokens)


def summed_directly(
    inexact: Tensor, mask: Tensor, logits: Tensor, batch_size: int
) -> list[list[tuple[Tensor, Tensor]]]:
    """Return `Differences.inexact` of the tokens that `inexact` (V, T, N_c) marks, which are few.

    Args:
        mask: (V, T, N), what each caption keeps.
        logits: (V, N_c, N), of aggregation; batch_size: captions a part at most.
    """
    v, t, tokens = inexact.shape
    parts = list(split(t, batch_size))
    first = torch.tensor([part.start for part in parts], device=inexact.device)
    image, caption, token = inexact.nonzero().unbind(dim=1)  # (K,) each, ordered by image, then by caption
    weights = masked_softmax(logits[image, token].float(), mask[image, caption])  # (K, N)
    part = torch.bucketize(caption, first, right=True) - 1  # (K,)
    indices = (caption - first[part]) * (tokens + 1) + token  # (K,)
    counts = torch.bincount(image * len(parts) + part, minlength=v * len(parts)).tolist()
    rows = list(zip(indices.split(counts), weights.split(counts), strict=True))
    return [rows[i * len(parts) : (i + 1) * len(parts)] for i in range(v)]


class ByGram:
    """Multiplies tokens and words of a block of V images, whose Gram matrices are made once.

    Args:
        patches: (V, N, C) float32; norms: (V, N), their lengths.
        workspace: holds what comes between.
    """

    def __init__(self, patches: Tensor, norms: Tensor, workspace: Workspace) -> None:
        self.patches, self.norms, self.workspace = patches, norms, workspace
        self.grams: list[Tensor | None] = [None] * len(patches)  # (N, N), made when first used

    def products(self, i: int, weights: Tensor, words: Tensor) -> tuple[Tensor, Tensor]:
        """Multiply the tokens of image `i`, weights (T, M, N), with words (T, L, C): (T, L, M), lengths (T, M)."""
        t, m, n = weights.shape
        every_word = words.view(-1, words.shape[-1])  # (T * L, C)
        by_patch = self.workspace.buffer("words by patches", len(every_word), n)
        torch.mm(every_word, self.patches[i].T, out=by_patch)
        norms = self.lengths(i, weights.view(t * m, n)).view(t, m)
        return torch.bmm(by_patch.view(t, -1, n), weights.transpose(1, 2)), norms

    def lengths(self, i: int, weights: Tensor) -> Tensor:
        """Return the lengths (K,), at least `MIN_NORM`, of the tokens of image `i` with these weights (K, N)."""
        patches, gram = self.patches[i], self.grams[i]
        if gram is None:
            gram = self.grams[i] = patches @ patches.T  # (N, N)
        projected = self.workspace.buffer("projected", *weights.shape)
        torch.mm(weights, gram, out=projected)
        squared = projected.mul_(weights).sum(dim=-1)  # (K,)
        longest_possible = weights @ self.norms[i].float()  # (K,)
        inexact = (squared < (CANCELLED * longest_possible) ** 2).nonzero().squeeze(1)  # rare: patches that cancel out
        if len(inexact):
            squared[inexact] = (weights[inexact] @ patches).square().sum(dim=-1)
        return squared.clamp_(min=MIN_NORM**2).sqrt_()

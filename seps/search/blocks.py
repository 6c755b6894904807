"""The engine's arithmetic: V images against T captions, exactly, with what they share computed once.

Selection is the network's own code, so that the decisions are the same. After it the plain loop
gathers every pair's kept patches, weighs them anew and builds its tokens. Here a token is first of
all its weights w over the N patches, and S(I, T) needs two things of it: its products with the
words and its length. Three exact orders give them, and each image takes one that suits it:

    from tokens        w X, for many captions in one product;
    from differences   captions of one image keep much the same patches: the tokens of those that most of them
                       keep are built once, and a caption adds and subtracts the patches in which it differs;
    by Gram matrix     no tokens at all: (w X) u = w (X u) and |w X|^2 = w G w, with G = X X' once an image.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass

import torch
import torch.nn.functional as F
from torch import Tensor

from seps.method.network import CrossSparseAggrNet
from seps.method.selection import Selection, masked_softmax, unit_patches
from seps.search.index import CaptionIndex, Captions, ImageIndex

MANY_CAPTIONS = 8  # from here on captions share enough for the second and the third order
ALIGNED = 128  # pairs aligned at a time: they stay in a CPU's cache
FLAT_LOGITS = 30.0  # within this spread exp(logit) and its products stay in float32's range
SHORTEST = 1e-12  # a token shorter than this counts as zero, as in torch's normalize
CANCELLED = 0.03  # a token shorter than this share of what it was summed from is summed directly instead
HEAVIEST = 1e3  # so is a token that weighs this many times what the usual patches weigh
HIGHEST_LOGIT = 14.0  # above the highest of the usual patches, where weights are cut: HEAVIEST even beside 500 others


class Workspace:
    """Large buffers that blocks share: on a CPU fresh memory for each would cost as much as the arithmetic in it."""

    def __init__(self, device: torch.device) -> None:
        self.device = device
        self.buffers: dict[str, Tensor] = {}

    def take(self, name: str, *shape: int) -> Tensor:
        """An uninitialised float32 tensor; what was taken under the same name before is gone."""
        count = math.prod(shape)
        buffer = self.buffers.get(name)
        if buffer is None or buffer.numel() < count:
            buffer = self.buffers[name] = torch.empty(count, device=self.device)
        return buffer[:count].view(shape)


@dataclass(frozen=True)
class Differences:
    """How captions' kept patches differ from those usually kept, by images V and captions T.

    Attributes:
        counts: for each image, in how many patches a caption differs at most.
        where: (V, T, most), the patches, those that differ first.
        sign: (V, T, most), 1 where such a patch is kept, -1 where it is dropped, 0 where it does not differ.
        extra: (V, T, C), the extra tokens.
        shortest: (V, T, M), the length at which a token counts as zero, in the scale of its weights.
        lost: for each image, tokens of which so much cancels out that digits would be lost: their places (K,) among
            its T * M, and their weights over all patches (K, N).
    """

    counts: list[int]
    where: Tensor
    sign: Tensor
    extra: Tensor
    shortest: Tensor
    lost: list[tuple[Tensor, Tensor]]


def split(count: int, size: int) -> Iterator[slice]:
    """The fewest slices of at most `size` that cover `count`, of nearly equal length."""
    parts = -(-count // size)
    return (slice(count * i // parts, count * (i + 1) // parts) for i in range(parts))


class BlockScorer:
    """Scores a block of V images against blocks of T captions. N patches, M = N_c + 1 tokens, L words, C channels.

    Args:
        model: either variant.
        images: the block.
        captions: how many captions will come in all; they share what an image alone decides.
        workspace: buffers, shared by the scorers of one call.
    """

    def __init__(self, model: CrossSparseAggrNet, images: ImageIndex, captions: int, workspace: Workspace) -> None:
        self.model = model
        self.images = images
        self.captions = captions
        self.workspace = workspace
        self.patches = images.patches.float().contiguous()  # (V, N, C)
        self.unit = unit_patches(self.patches)  # (V, N, C)
        self.gram: list[Tensor | None] = [None] * len(images)  # (N, N), made when first used
        self.base: tuple[Tensor, Tensor, Tensor] | None = None  # see `differences`, made when first used
        sparse, dense = images.logits
        first = exponentials(sparse)
        self.exponentials = (first, first if dense is sparse else exponentials(dense))  # (V, N_c, N), or None

    def score(self, captions: CaptionIndex) -> Tensor:
        """S(I, T): (V, T)."""
        sparse, dense = self.select(captions)
        if self.model.use_paper_version:
            return self.similarity(captions.sparse, sparse, dense)
        similarity = self.similarity(captions.sparse, sparse)
        if dense is not None and captions.dense is not None:
            similarity += self.similarity(captions.dense, dense)
        return similarity

    def select(self, captions: CaptionIndex) -> tuple[Selection, Selection | None]:
        """Both branches' selections, by the network's own code: every quantity (V, T, N). A dense one that the
        tokens do not use is left out."""
        sparse, dense = (None if part is None else part[:, None] for part in self.images.s_p)  # (V, 1, N)
        s_st = self.attention(captions.sparse)
        s_dt = None if captions.dense is None else self.attention(captions.dense)
        selection, selection_dense = self.model.select((sparse, dense), self.images.s_im[:, None], s_st, s_dt)
        merged = self.model.use_dual_aggr or not self.model.use_paper_version
        return selection, selection_dense if merged else None

    def attention(self, captions: Captions) -> Tensor:
        """Cosines of patches with caption directions, equation (2): (V, T, N)."""
        return captions.direction @ self.unit.transpose(1, 2)

    def similarity(self, captions: Captions, sparse: Selection, dense: Selection | None = None) -> Tensor:
        """Tokens of one branch, or of both together, aligned with the captions: (V, T)."""
        words = captions.words
        t, longest, channels = words.shape
        cls = None
        if self.images.cls is not None:
            cls = (words.view(-1, channels) @ self.images.cls.T).view(t, longest, -1).permute(2, 0, 1)  # (V, T, L)
        if t < MANY_CAPTIONS:
            return self.align(*self.from_tokens(slice(None), words, sparse, dense), cls, captions.lengths)
        v, m = len(self.patches), self.model.num_tokens + 1
        differences = None if dense is not None else self.differences(sparse)
        similarity = []
        for images in split(v, max(1, ALIGNED // t)):
            products = self.workspace.take("products", images.stop - images.start, t, longest, m)
            norms = self.workspace.take("norms", images.stop - images.start, t, m)
            for place, i in enumerate(range(images.start, images.stop)):
                if differences is not None:
                    self.from_differences(i, words, differences, products[place], norms[place])
                else:
                    products[place], norms[place] = self.one_image(i, words, sparse, dense)
            similarity.append(self.align(products, norms, None if cls is None else cls[images], captions.lengths))
        return torch.cat(similarity)

    def one_image(self, i: int, words: Tensor, sparse: Selection, dense: Selection | None) -> tuple[Tensor, Tensor]:
        """The first order or the third, whichever multiplies less: products (T, L, M), lengths (T, M)."""
        n, channels = self.patches.shape[1:]
        m, longest = self.model.num_tokens + 1, words.shape[1]
        from_tokens = m * n * channels + m * channels * longest  # multiplications a pair
        by_gram = m * n * n + longest * n * channels + m * n * longest + n * n * channels / self.captions
        if from_tokens < by_gram:
            products, norms = self.from_tokens(slice(i, i + 1), words, sparse, dense)
            return products[0], norms[0]
        return self.by_gram(i, words, self.weights(slice(i, i + 1), sparse, dense)[0])

    def weights(self, images: slice, sparse: Selection, dense: Selection | None) -> Tensor:
        """The tokens' weights over patches, as `AlignmentExplanation.token_weights` has them: (V, T, M, N)."""
        weights = self.branch_weights("sparse weights", images, sparse, 0)
        if dense is None:
            return weights
        weights += self.branch_weights("dense weights", images, dense, 1)
        weights[:, :, -1] /= 2  # the extra token is the mean of both branches'
        return weights

    def branch_weights(self, name: str, images: slice, selection: Selection, branch: int) -> Tensor:
        """One branch's weights over patches, (V, T, M, N), each row summing to 1."""
        mask = selection.mask[images].float()  # (V, T, N)
        weights = self.workspace.take(name, *mask.shape[:2], self.model.num_tokens + 1, mask.shape[2])
        aggregated = weights[:, :, :-1]  # (V, T, N_c, N)
        exponential = self.exponentials[branch]
        if exponential is None:  # each pair's own maximum must be found
            logits = self.images.logits[branch][images].float()
            aggregated.copy_(masked_softmax(logits[:, None], mask[:, :, None]))
        else:
            exponential = exponential[images]  # (V, N_c, N)
            torch.mul(exponential[:, None], mask[:, :, None], out=aggregated)
            aggregated /= (mask @ exponential.transpose(1, 2))[..., None]  # (V, T, N_c, 1)
        weights[:, :, -1] = selection.extra_weights[images]
        return weights

    def from_tokens(
        self, images: slice, words: Tensor, sparse: Selection, dense: Selection | None
    ) -> tuple[Tensor, Tensor]:
        """First order: all tokens, then all words (T, L, C). Products (V, T, L, M), lengths (V, T, M)."""
        weights, patches = self.weights(images, sparse, dense), self.patches[images]
        v, t, m, n = weights.shape
        tokens = self.workspace.take("tokens", v, t, m, words.shape[-1])
        torch.bmm(weights.view(v, t * m, n), patches, out=tokens.view(v, t * m, -1))
        # All images' tokens of a caption in one product; where V or T is 1 nothing is copied.
        by_caption = tokens.transpose(0, 1).reshape(t, v * m, -1)  # (T, V * M, C)
        products = torch.bmm(words, by_caption.transpose(1, 2)).view(t, -1, v, m)  # (T, L, V, M)
        return products.permute(2, 0, 1, 3), tokens.norm(dim=-1).clamp_(min=SHORTEST)

    def differences(self, selection: Selection) -> Differences:
        """Second order: how each caption's kept patches differ from those that most captions of the first block keep.

        A token's weights need not sum to 1, since its length divides out; they are scaled so that those of the
        usual patches do.
        """
        mask = selection.mask.float()  # (V, T, N)
        if self.base is None:
            usual = (mask.mean(dim=1, keepdim=True) >= 0.5).float()  # (V, 1, N), what most of these captions keep
            logits = self.images.logits[0].float()  # (V, N_c, N)
            highest = logits.masked_fill(usual == 0, -torch.inf).amax(dim=-1, keepdim=True)  # (V, N_c, 1)
            exponential = (logits - highest.where(highest.isfinite(), 0.0)).clamp(max=HIGHEST_LOGIT).exp()
            share = exponential @ usual.transpose(1, 2)  # (V, N_c, 1)
            scaled = exponential / share.where(share > 0, 1.0)  # (V, N_c, N)
            by_patch = F.pad(scaled.transpose(1, 2), (0, 1))  # (V, N, M), the extra token's column empty
            tokens = (by_patch * usual.transpose(1, 2)).transpose(1, 2) @ self.patches  # (V, M, C)
            self.base = usual, by_patch, tokens
        usual, by_patch, _ = self.base
        difference = mask - usual  # (V, T, N) of -1, 0 and 1
        counts = difference.abs().sum(dim=2).amax(dim=1)  # (V,)
        where = difference.abs().topk(int(counts.max()), dim=2).indices  # (V, T, most), those that differ first
        total = mask @ by_patch  # (V, T, M), the sums of the tokens' weights; 1 for the usual patches
        dropped = selection.score.float().exp() * (1 - mask)  # (V, T, N), a softmax but for its sum
        weight = total[..., :-1]
        lost = (weight < CANCELLED) | (weight > HEAVIEST)  # (V, T, N_c)
        total[..., -1] = dropped.sum(dim=2)
        return Differences(
            counts=counts.int().tolist(),
            where=where,
            sign=difference.gather(2, where),  # 0 where a caption differs in fewer
            extra=dropped @ self.patches,  # (V, T, C)
            shortest=(SHORTEST * total).clamp(min=1e-30),
            lost=self.summed_directly(lost, mask),
        )

    def summed_directly(self, lost: Tensor, mask: Tensor) -> list[tuple[Tensor, Tensor]]:
        """`Differences.lost` of the tokens that (V, T, N_c) names; mask: (V, T, N). They are few."""
        images, captions, tokens = lost.nonzero().unbind(dim=1)  # (K,) each, ordered by image
        logits = self.images.logits[0][images, tokens].float()  # (K, N)
        weights = masked_softmax(logits, mask[images, captions])  # (K, N)
        counts = torch.bincount(images, minlength=len(mask)).tolist()
        places = captions * (self.model.num_tokens + 1) + tokens
        return list(zip(places.split(counts), weights.split(counts), strict=True))

    def from_differences(self, i: int, words: Tensor, by: Differences, products: Tensor, norms: Tensor) -> None:
        """Second order, for one image: fill products (T, L, M) and lengths (T, M) for words (T, L, C)."""
        assert self.base is not None
        _, by_patch, base = self.base
        (t, m), count, channels = norms.shape, by.counts[i], words.shape[-1]
        chosen = by.where[i, :, :count].reshape(-1)
        gathered = self.workspace.take("gathered patches", t * count, channels)
        weights = self.workspace.take("gathered weights", t * count, m)
        torch.index_select(self.patches[i], 0, chosen, out=gathered)
        torch.index_select(by_patch[i], 0, chosen, out=weights)
        weights *= by.sign[i, :, :count].reshape(-1, 1)
        tokens = self.workspace.take("tokens", t, m, channels)
        torch.baddbmm(
            base[i].expand(t, m, channels),
            weights.view(t, count, m).transpose(1, 2),
            gathered.view(t, count, channels),
            out=tokens,
        )
        tokens[:, -1] = by.extra[i]
        places, lost = by.lost[i]
        if len(places):
            tokens.view(t * m, channels).index_copy_(0, places, lost @ self.patches[i])
        torch.bmm(words, tokens.transpose(1, 2), out=products)
        torch.linalg.vector_norm(tokens, dim=-1, out=norms)
        torch.maximum(norms, by.shortest[i], out=norms)

    def by_gram(self, i: int, words: Tensor, weights: Tensor) -> tuple[Tensor, Tensor]:
        """Third order, for one image: weights (T, M, N), words (T, L, C), products (T, L, M), lengths (T, M)."""
        t, m, n = weights.shape
        patches, flat = self.patches[i], weights.view(t * m, n)
        gram = self.gram[i]
        if gram is None:
            gram = self.gram[i] = patches @ patches.T  # (N, N)
        projected = self.workspace.take("projected", t * m, n)
        torch.mm(flat, gram, out=projected)
        squared = projected.mul_(flat).sum(dim=-1)  # (T * M,)
        longest_possible = flat @ self.images.norms[i].float()  # (T * M,)
        lost = (squared < (CANCELLED * longest_possible) ** 2).nonzero().squeeze(1)  # rare: patches that cancel out
        if len(lost):
            squared[lost] = (flat[lost] @ patches).square().sum(dim=-1)
        every_word = words.view(-1, words.shape[-1])  # (T * L, C)
        met = self.workspace.take("words by patches", len(every_word), n)
        torch.mm(every_word, patches.T, out=met)
        norms = squared.clamp_(min=SHORTEST**2).sqrt_().view(t, m)
        return torch.bmm(met.view(t, -1, n), weights.transpose(1, 2)), norms

    def align(self, products: Tensor, norms: Tensor, cls: Tensor | None, lengths: Tensor) -> Tensor:
        """S of every pair from its tokens' products with the words, equation (5).

        Args:
            products: (..., T, L, M), words by tokens; overwritten.
            norms: (..., T, M), the tokens' lengths, above 0.
            cls: (..., T, L), cosines of words and [CLS], if images have one.
            lengths: (T,), words a caption.

        Returns:
            (..., T).
        """
        hrpa = self.model.hrpa
        beyond = torch.arange(products.shape[-2], device=lengths.device) >= lengths[:, None]  # (T, L)
        cosines = products.div_(norms.unsqueeze(-2))  # (..., T, L, M)
        best_of_word = cosines.amax(dim=-1)  # (..., T, L)
        shortest = int(lengths.min())
        cosines[..., shortest:, :].masked_fill_(beyond[:, shortest:, None], -torch.inf)
        best_of_token = cosines.amax(dim=-2)  # (..., T, M)
        if cls is not None:
            best_of_word = torch.maximum(best_of_word, cls)
            best_of_cls = cls.masked_fill(beyond, -torch.inf).amax(dim=-1, keepdim=True)  # (..., T, 1)
            best_of_token = torch.cat([best_of_cls, best_of_token], dim=-1)
        # The leaky ReLU rises everywhere, so that the maximum may be taken first.
        best_of_word, best_of_token = hrpa.activate(best_of_word), hrpa.activate(best_of_token)
        similarity = best_of_token.mean(dim=-1) + best_of_word.masked_fill(beyond, 0.0).sum(dim=-1) / lengths
        for best in (best_of_token, best_of_word.masked_fill(beyond, -torch.inf)):
            similarity = similarity + hrpa.relevance(best.to(self.model.dtype))
        return similarity


def exponentials(logits: Tensor) -> Tensor | None:
    """exp(logit - highest) of (V, N_c, N); None where the spread is too wide for one scale to serve any mask."""
    logits = logits.float()
    low, high = logits.aminmax(dim=-1, keepdim=True)
    if logits.numel() and float((high - low).max()) > FLAT_LOGITS:
        return None
    return (logits - high).exp()

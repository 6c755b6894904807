"""The engine's arithmetic: V images against T captions, exactly, in a few batched operations.

1. `Decisions`: which patches a caption keeps. The network decides in float64; its own code runs here in float32, which
   takes half the time on a CPU and 1/32 of it on most GPUs. A pair with its last kept and first dropped patch no
   further apart than float32 may confuse is decided again in float64, so that the decisions are the network's.
2. `BlockScorer`: tokens of all pairs from weights that share one exponential per image, then their products with words.
3. `align`: equation (5) from the products of words and tokens.
"""

from functools import cached_property

import torch
from torch import Tensor

from seps.method.network import CrossSparseAggrNet
from seps.method.selection import EPS, Selection, decision_dtype, normalise_patches, text_attention
from seps.method.softmax import masked_softmax
from seps.search.index import CaptionIndex, Captions, ImageIndex, take_rows
from seps.search.parallel import Workspace, split

COSINE_ERROR = 1e-6  # of a cosine in float32: three times the largest of 6 million that were looked at
ROUNDING = 1e-6  # of the difference of two scores in float32, their parts given
MIN_LENGTH, MAX_LENGTH = 1e-11, 1e15  # of patches that the network scales to unit length and float32 can square
MIN_NORM = 1e-12  # a token shorter than this counts as zero, as in torch's normalize
CANCELLED = 0.03  # a token this much shorter than its patches laid end to end loses digits in float32's squares
MAX_NORM = 1e18  # of tokens of unnormalised weights, so that float32 can hold the squares
EXACT_PAIRS = 16  # pairs decided again at a time where their number is known
EXACT_SHARE, MIN_EXACT = 1 / 16, 32  # share of a batched block's pairs that is decided again, and how many at least
MANY_CAPTIONS = 8  # from here on a CPU takes one image at a time


class Decisions:
    """Decides for a block of V images which of N patches captions keep."""

    def __init__(
        self,
        model: CrossSparseAggrNet,
        images: ImageIndex,
        masks: tuple[Tensor | None, Tensor | None] = (None, None),
        batched: bool = False,
    ) -> None:
        self.model, self.images, self.masks, self.batched = model, images, masks, batched
        self.patches = images.patches.float().contiguous()
        self.norms = images.norms.float()[:, None]  # (V, 1, N)
        self.has_float64 = decision_dtype(self.patches.device) == torch.float64
        self.units: dict[int, Tensor] = {}  # of the images of `unit_of`

    @cached_property
    def unit(self) -> Tensor:
        """The patches at unit length in the precision of the decision, (V, N, C)."""
        return normalise_patches(self.patches)

    def unit_of(self, image: int) -> Tensor:
        """Scale one image's patches to unit length in the precision of the decision, (N, C); computed once."""
        if image not in self.units:
            self.units[image] = normalise_patches(self.patches[image])
        return self.units[image]

    def select(self, captions: CaptionIndex) -> tuple[Selection, Selection | None]:
        """Select patches for both branches, every quantity (V, T, N). The host looks how many pairs are uncertain."""
        if not self.has_float64:
            return self.select_exactly(captions)
        selections, uncertain = self.select_in_float32(captions)
        count = int(uncertain.sum())
        if count > uncertain.numel() // 2:
            return self.select_exactly(captions)
        if count:
            for pairs in uncertain.view(-1).nonzero().squeeze(1).split(EXACT_PAIRS):
                self.decide_again(pairs, captions, selections)
        return selections

    def select_batched(self, captions: CaptionIndex) -> tuple[tuple[Selection, Selection | None], Tensor]:
        """Select as `select` without a look at values; the second result, () bool, is True where pairs are missed."""
        if not self.has_float64:
            return self.select_exactly(captions), torch.zeros((), dtype=torch.bool, device=self.patches.device)
        selections, uncertain = self.select_in_float32(captions)
        count = min(uncertain.numel(), max(MIN_EXACT, int(EXACT_SHARE * uncertain.numel())))
        pairs = uncertain.view(-1).to(torch.float32).topk(count, sorted=False).indices  # (K,)
        self.decide_again(pairs, captions, selections)
        return selections, uncertain.sum() > count

    def select_exactly(self, captions: CaptionIndex) -> tuple[Selection, Selection | None]:
        """Select as `select`, all of it in the precision of the decision."""
        # One caption at a time, as the network: a matrix product may round equal patches differently.
        s_st, s_dt = (
            None if text is None else torch.stack([text_attention(self.unit, way) for way in text.direction], dim=1)
            for text in (captions.sparse, captions.dense)
        )  # (V, T, N)
        assert s_st is not None
        s_p = tuple(None if part is None else part[:, None] for part in self.images.s_p)
        return self.model.select((s_p[0], s_p[1]), self.images.s_im[:, None], s_st, s_dt, masks=self.masks)

    def select_in_float32(self, captions: CaptionIndex) -> tuple[tuple[Selection, Selection | None], Tensor]:
        """Select in float32, and mark the pairs that it may decide wrongly: (V, T) bool."""
        s_st, s_dt = (None if text is None else self.attention(text) for text in (captions.sparse, captions.dense))
        assert s_st is not None
        s_im = self.images.s_im[:, None].float()  # (V, 1, N)
        s_p = tuple(None if part is None else part[:, None].float() for part in self.images.s_p)
        selections = self.model.select((s_p[0], s_p[1]), s_im, s_st, s_dt, masks=self.masks)
        error_bound = self.error_bound(s_im, s_st, s_dt)  # (V, T)
        in_range = ((self.norms > MIN_LENGTH) & (self.norms < MAX_LENGTH)).all(dim=-1)  # (V, 1)
        uncertain = torch.zeros_like(error_bound, dtype=torch.bool)
        for selection in selections:
            if selection is not None and not selection.forced:
                uncertain |= ~(in_range & (margin(selection) > error_bound))
        # A forced decision needs only the score, which such patches have only in float64.
        return selections, uncertain | ~in_range

    def attention(self, captions: Captions) -> Tensor:
        """Compute cosines of patches with caption directions in float32, equation (2): (V, T, N)."""
        direction = captions.direction.float()  # (T, C)
        if len(direction) == 1:  # one pass over the patches, each read once
            return (self.patches @ direction[0])[:, None] / self.norms
        return (direction @ self.patches.transpose(1, 2)).div_(self.norms)

    def attention_of_pairs(self, i: Tensor, j: Tensor, captions: Captions) -> Tensor:
        """Compute cosines of the patches of images i (K,) with captions j (K,) in the decision's precision: (K, N)."""
        if self.batched:
            return (normalise_patches(self.patches[i]) @ captions.direction[j, :, None]).squeeze(2)
        pairs = zip(i.tolist(), j.tolist(), strict=True)
        return torch.stack([text_attention(self.unit_of(a), captions.direction[b]) for a, b in pairs])

    def error_bound(self, s_im: Tensor, s_st: Tensor, s_dt: Tensor | None) -> Tensor:
        """Bound by how much float32 may misjudge the difference of two patches' scores: (V, T)."""
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
        self, pairs: Tensor, captions: CaptionIndex, selections: tuple[Selection, Selection | None]
    ) -> None:
        """Put the float64 decisions and scores of pairs, (K,) positions in (V, T), into `selections`."""
        images, t = self.images, len(captions)
        i, j = pairs.div(t, rounding_mode="floor"), pairs % t  # (K,) each
        s_st, s_dt = (
            None if text is None else self.attention_of_pairs(i, j, text) for text in (captions.sparse, captions.dense)
        )
        assert s_st is not None
        s_p = (take_rows(images.s_p[0], i), take_rows(images.s_p[1], i))
        sparse, dense = (None if mask is None else mask[i, 0] for mask in self.masks)  # (K, N)
        exact = self.model.select(s_p, images.s_im[i], s_st, s_dt, masks=(sparse, dense))
        for rough, fine in zip(selections, exact, strict=True):
            if rough is not None and fine is not None:
                if not rough.forced:
                    rough.mask[i, j] = fine.mask.float()
                rough.score[i, j] = fine.score.float()


class BlockScorer:
    """Scores a block of V images against blocks of T captions. N patches, M = N_c + 1 tokens, L words, C channels.

    `masks` force the decision of the sparse and the dense branch, (V, 1, N) bool each; None decides by the score.
    """

    def __init__(
        self,
        model: CrossSparseAggrNet,
        images: ImageIndex,
        workspace: Workspace,
        masks: tuple[Tensor | None, Tensor | None] = (None, None),
        batched: bool = False,
    ) -> None:
        self.model, self.images, self.workspace = model, images, workspace
        self.batched = batched
        self.decisions = Decisions(model, images, masks, batched)
        self.patches = self.decisions.patches  # (V, N, C)
        sparse, dense = images.logits  # (V, N_c, N)
        first = exponentials(sparse)
        self.exponentials = (first, first if dense is sparse else exponentials(dense))
        self.grams: dict[int, Tensor] = {}  # of the images of `products_by_gram`

    def score(self, captions: CaptionIndex, exact: bool = False) -> tuple[Tensor, Tensor]:
        """Compute S(I, T), (V, T), and whether it must be computed again with `exact`, () bool."""
        missed = torch.zeros((), dtype=torch.bool, device=self.patches.device)
        if exact:
            sparse, dense = self.decisions.select_exactly(captions)
        elif self.batched:
            (sparse, dense), missed = self.decisions.select_batched(captions)
        else:
            sparse, dense = self.decisions.select(captions)
        if self.model.use_paper_version:  # both branches' tokens meet the sparse caption's words
            pairs = [(captions.sparse, sparse, dense if self.model.use_dual_aggr else None)]
        else:
            pairs = [(captions.sparse, sparse, None)]
            if dense is not None and captions.dense is not None:
                pairs.append((captions.dense, dense, None))
        scored = [self.similarity(*pair, exact) for pair in pairs]
        similarity = scored[0][0] if len(scored) == 1 else scored[0][0] + scored[1][0]
        for _, too_small in scored:
            missed = missed | too_small
        return similarity, missed

    def similarity(
        self, captions: Captions, sparse: Selection, dense: Selection | None, exact: bool
    ) -> tuple[Tensor, Tensor]:
        """Align tokens of one branch, or of both together, with the captions: (V, T); and as `score`, () bool."""
        words = captions.words  # (T, L, C)
        v, (t, longest, channels) = len(self.patches), words.shape
        cls = None
        if self.images.cls is not None:
            cls = (words.view(-1, channels) @ self.images.cls.T).view(t, longest, -1).permute(2, 0, 1)  # (V, T, L)
        shortest = 0 if self.batched else int(captions.lengths.min())
        similarity, missed = [], []
        for images in split(v, v if self.batched or t < MANY_CAPTIONS else 1):
            weights = self.weights(images, sparse, dense, exact)  # (V, T, M, N)
            if not exact and self.prefers_gram(t, longest):
                products, norms = self.products_by_gram(images.start, weights[0], words)
            else:
                products, norms = self.products(images, weights, words)
            least = MIN_NORM * self.patches.shape[1]  # lengths are in units of the heaviest weight; at most N add up
            missed.append(~((norms < MAX_NORM).all() & (norms[..., :-1] > least).all()))
            norms = norms.clamp_(min=MIN_NORM)
            part = None if cls is None else cls[images]
            similarity.append(align(self.model, products, norms, part, captions.lengths, shortest))
        return torch.cat(similarity), torch.stack(missed).any()

    def weights(self, images: slice, sparse: Selection, dense: Selection | None, exact: bool) -> Tensor:
        """Weigh some images' patches for the M tokens of each pair: (V, T, M, N)."""
        branches = [(selection, i) for i, selection in enumerate((sparse, dense)) if selection is not None]
        masks = [selection.mask[images].float() for selection, _ in branches]  # (V, T, N)
        v, t, n = masks[0].shape
        weights = self.workspace.buffer("weights", v, t, self.model.num_tokens + 1, n)
        aggregated = weights[:, :, :-1]  # (V, T, N_c, N)
        if exact:
            aggregated.zero_()
            for mask, (_, i) in zip(masks, branches, strict=True):
                aggregated += masked_softmax(self.images.logits[i][images].float()[:, None], mask[:, :, None])
        else:
            first, second = (part[images] for part in self.exponentials)  # (V, N_c, N)
            if dense is None:
                torch.mul(first[:, None], masks[0][:, :, None], out=aggregated)
            else:
                scale = (masks[0] @ first.transpose(1, 2)) / (masks[1] @ second.transpose(1, 2))  # (V, T, N_c)
                torch.mul(masks[1][:, :, None], scale[..., None], out=aggregated)
                aggregated.mul_(second[:, None]).addcmul_(first[:, None], masks[0][:, :, None])
        extra = torch.stack([selection.extra_weights[images] for selection, _ in branches])  # (1 or 2, V, T, N)
        weights[:, :, -1] = extra.mean(dim=0)  # the extra token is the mean of both branches'
        return weights

    def products(self, images: slice, weights: Tensor, words: Tensor) -> tuple[Tensor, Tensor]:
        """Multiply tokens, weights (V, T, M, N), with words (T, L, C): (V, T, L, M), and tokens' lengths (V, T, M)."""
        v, t, m, n = weights.shape
        tokens = self.workspace.buffer("tokens", v, t, m, words.shape[-1])
        torch.bmm(weights.view(v, t * m, n), self.patches[images], out=tokens.view(v, t * m, -1))
        if t == 1:  # one product with all images' tokens
            products = (tokens.view(v * m, -1) @ words[0].T).view(v, 1, m, -1).transpose(2, 3)
        else:
            products = torch.matmul(words, tokens.transpose(2, 3))
        return products, tokens.norm(dim=-1)

    def prefers_gram(self, t: int, longest: int) -> bool:
        """Whether `products_by_gram` multiplies less than `products`, for T captions of L words and one image."""
        n, channels = self.patches.shape[1:]
        m = self.model.num_tokens + 1
        by_gram = m * n * n + longest * n * (channels + m) + n * n * channels / t
        return not self.batched and t >= MANY_CAPTIONS and by_gram < m * channels * (n + longest)

    def products_by_gram(self, image: int, weights: Tensor, words: Tensor) -> tuple[Tensor, Tensor]:
        """Multiply one image's tokens as `products`, by products of patches; if they nearly cancel, of length inf."""
        (t, m, n), patches, norms = weights.shape, self.patches[image], self.decisions.norms[image, 0]
        if image not in self.grams:
            self.grams[image] = patches @ patches.T  # (N, N)
        every = weights.view(t * m, n)
        projected = self.workspace.buffer("projected", t * m, n)
        squared = torch.mm(every, self.grams[image], out=projected).mul_(every).sum(dim=-1)
        longest = every @ norms  # the length of a token with patches of one direction
        norms = squared.where(squared >= (CANCELLED * longest) ** 2, torch.inf).sqrt_().view(1, t, m)
        by_patch = (words.view(-1, words.shape[-1]) @ patches.T).view(t, -1, n)  # (T, L, N)
        return (by_patch @ weights.transpose(1, 2))[None], norms


def exponentials(logits: Tensor) -> Tensor:
    """Return exp(logit - highest) of (V, N_c, N)."""
    logits = logits.float()
    return (logits - logits.amax(dim=-1, keepdim=True)).exp()


def align(
    model: CrossSparseAggrNet,
    products: Tensor,
    norms: Tensor,
    cls: Tensor | None,
    lengths: Tensor,
    shortest: int = 0,
) -> Tensor:
    """Compute S of every pair, (..., T), from its tokens' products with the words, equation (5).

    Args:
        products: (..., T, L, M), words by tokens; overwritten; norms: (..., T, M), the tokens' lengths, above 0.
        cls: (..., T, L), cosines of words and [CLS], if images have one.
        lengths: (T,), words a caption; shortest: no caption has fewer words.
    """
    hrpa = model.hrpa
    beyond = torch.arange(products.shape[-2], device=lengths.device) >= lengths[:, None]  # (T, L)
    cosines = products.div_(norms.unsqueeze(-2))  # (..., T, L, M)
    best_of_word = cosines.amax(dim=-1)  # (..., T, L)
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
        similarity = similarity + hrpa.relevance(best.to(model.dtype))
    return similarity


def margin(selection: Selection) -> Tensor:
    """Return how far the last kept patch's score is above the first dropped one's: (V, T), infinite if all are kept."""
    kept = selection.mask > 0
    last = selection.score.masked_fill(~kept, torch.inf).amin(dim=-1)
    first = selection.score.masked_fill(kept, -torch.inf).amax(dim=-1)
    return last - first

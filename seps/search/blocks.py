"""The engine's arithmetic: V images against T captions, exactly, in a few batched operations.

1. `Decisions`: which patches a caption keeps. The network decides in float64; its own code runs here in float32, which
   takes half the time on a CPU and 1/32 of it on most GPUs. A pair with its last kept and first dropped patch no
   further apart than float32 may confuse is decided again in float64, so that the decisions are the network's.
2. `BlockScorer`: tokens of all pairs from weights that share one exponential per image, then their products with words.
3. `align`: equation (5) from the products of words and tokens.

On an accelerator (`batched`) a block runs without a loop over images, captions or pairs, and the host never waits for a
value: the number of pairs that are decided again is fixed, and a block for which that or float32's range is too small
reports it in a tensor, to be scored again with `exact=True`. A CPU takes one image at a time, which stays in its cache.
"""

from __future__ import annotations

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
MAX_NORM = 1e18  # of tokens of unnormalised weights, so that float32 can hold the squares
EXACT_PAIRS = 16  # pairs decided again at a time where their number is known
EXACT_SHARE, MIN_EXACT = 1 / 16, 32  # share of a batched block's pairs that is decided again, and how many at least
MANY_CAPTIONS = 8  # from here on a CPU takes one image at a time


class Decisions:
    """Decides for a block of V images which of N patches captions keep.

    Args:
        model: either variant.
        images: the block.
        masks: forced decisions of the sparse and the dense branch, (V, 1, N) bool each; None decides by the score.
        batched: decide pairs again in one operation, without a loop over pairs.

    Attributes:
        patches: (V, N, C) float32.
    """

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
        """Select as `select`, without a look at any value; the second result, () bool, is True where pairs are missed.

        A fixed number of pairs is decided again, the uncertain ones first.
        """
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
        s_p = (expand_for_captions(self.images.s_p[0]), expand_for_captions(self.images.s_p[1]))
        return self.model.select(s_p, self.images.s_im[:, None], s_st, s_dt, masks=self.masks)

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

    Args:
        model: either variant.
        images: the block.
        workspace: buffers, shared by the scorers of one call in each thread.
        masks: forced decisions of the sparse and the dense branch, (V, 1, N) bool each; None decides by the score.
        batched: take the whole block at a time, without a look at any value, as suits an accelerator.
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

    def score(self, captions: CaptionIndex, exact: bool = False) -> tuple[Tensor, Tensor]:
        """Compute S(I, T), (V, T), and whether it must be computed again with `exact`, () bool.

        Args:
            captions: the block.
            exact: decide all in float64 and normalise each pair's weights by their own maximum.
        """
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
            products, norms = self.products(images, weights, words)
            least = MIN_NORM * self.patches.shape[1]  # lengths are in units of the heaviest weight; at most N add up
            inside = (norms[..., :-1] > least) & (norms[..., :-1] < MAX_NORM)
            missed.append(~inside.all())
            norms = norms.clamp_(min=MIN_NORM)
            part = None if cls is None else cls[images]
            similarity.append(align(self.model, products, norms, part, captions.lengths, shortest))
        return torch.cat(similarity), torch.stack(missed).any()

    def weights(self, images: slice, sparse: Selection, dense: Selection | None, exact: bool) -> Tensor:
        """Weigh some images' patches for the M tokens of each pair: (V, T, M, N).

        A token's length divides out in the end, so its weights stay unnormalised unless `exact`:
        an exponential that all captions share, times the mask. Two branches are brought to the first one's scale.
        """
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
            first = self.exponentials[0][images]  # (V, N_c, N)
            torch.mul(first[:, None], masks[0][:, :, None], out=aggregated)
            if dense is not None:
                second = self.exponentials[1][images]
                scale = (masks[0] @ first.transpose(1, 2)) / (masks[1] @ second.transpose(1, 2))  # (V, T, N_c)
                scaled = self.workspace.buffer("scaled", v, t, self.model.num_tokens, n)
                torch.mul(masks[1][:, :, None], scale[..., None], out=scaled)
                aggregated.addcmul_(scaled, second[:, None])
        extra = torch.stack([selection.extra_weights[images] for selection, _ in branches])  # (1 or 2, V, T, N)
        weights[:, :, -1] = extra.mean(dim=0)  # the extra token is the mean of both branches'
        return weights

    def products(self, images: slice, weights: Tensor, words: Tensor) -> tuple[Tensor, Tensor]:
        """Multiply some images' tokens, weights (V, T, M, N), with words (T, L, C).

        Returns:
            Products (V, T, L, M), and the tokens' lengths (V, T, M).
        """
        v, t, m, n = weights.shape
        tokens = self.workspace.buffer("tokens", v, t, m, words.shape[-1])
        torch.bmm(weights.view(v, t * m, n), self.patches[images], out=tokens.view(v, t * m, -1))
        if t == 1:  # one product with all images' tokens
            products = (tokens.view(v * m, -1) @ words[0].T).view(v, 1, m, -1).transpose(2, 3)
        else:
            products = torch.matmul(words, tokens.transpose(2, 3))
        return products, tokens.norm(dim=-1)


def expand_for_captions(values: Tensor | None) -> Tensor | None:
    """Return (V, N) as (V, 1, N), or None."""
    return None if values is None else values[:, None]


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
    """Compute S of every pair from its tokens' products with the words, equation (5).

    Args:
        model: either variant.
        products: (..., T, L, M), words by tokens; overwritten.
        norms: (..., T, M), the tokens' lengths, above 0.
        cls: (..., T, L), cosines of words and [CLS], if images have one.
        lengths: (T,), words a caption; shortest: no caption has fewer words.

    Returns:
        (..., T).
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

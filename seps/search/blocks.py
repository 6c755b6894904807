"""The engine's arithmetic: V images against T captions, exactly, with what they share computed once.

1. `Decisions`: which patches a caption keeps. The network decides in float64; its own code runs here in float32, which
   takes half the time and a quarter of the memory. A pair whose last kept and first dropped patch are no further apart
   than float32 may confuse is decided again in float64, so that the decisions are the network's.
2. `BlockScorer`: the plain loop would gather every pair's kept patches, weigh them anew and build its tokens. Here each
   image takes the order of multiplication in `fast` that suits it.
3. `align`: equation (5) from the products of words and tokens.
"""

from __future__ import annotations

from functools import cached_property

import torch
from torch import Tensor

from seps.method.network import CrossSparseAggrNet
from seps.method.selection import EPS, Selection, decision_dtype, unit_patches
from seps.search.fast import ByGram, FromDifferences, TokenWeights, from_tokens
from seps.search.index import CaptionIndex, Captions, ImageIndex, take_rows
from seps.search.parallel import Workspace, split

COSINE_ERROR = 1e-6  # of a cosine in float32: three times the largest of 6 million that were looked at
ROUNDING = 1e-6  # of the difference of two scores in float32, their parts given
MIN_NORM, MAX_NORM = 1e-11, 1e15  # of patches that the network scales to unit length and whose squares float32 holds
EXACT_BATCH_SIZE = 16  # pairs decided again at a time
MANY_CAPTIONS = 8  # from here on captions share enough for the second and the third order of multiplication
ALIGNED = 128  # pairs aligned at a time: they stay in a CPU's cache


class Decisions:
    """Decides for a block of V images which of N patches captions keep.

    Args:
        model: either variant.
        images: the block.
        masks: forced decisions of the sparse and the dense branch, (V, 1, N) bool each; None decides by the score.

    Attributes:
        patches: (V, N, C) float32.
        in_float32: whether float32 is tried first; not with patches shorter than MIN_NORM or longer than MAX_NORM.
    """

    def __init__(
        self, model: CrossSparseAggrNet, images: ImageIndex, masks: tuple[Tensor | None, Tensor | None] = (None, None)
    ) -> None:
        self.model, self.images, self.masks = model, images, masks
        self.patches = images.patches.float().contiguous()
        norms = images.norms.float()
        squared = bool(((norms > MIN_NORM) & (norms < MAX_NORM)).all())
        self.in_float32 = squared and decision_dtype(self.patches.device) != torch.float32
        self.norms = norms[:, None]  # (V, 1, N)
        self.units: dict[int, Tensor] = {}

    @cached_property
    def unit(self) -> Tensor:
        """The patches at unit length in the precision of the decision, (V, N, C)."""
        return unit_patches(self.patches)

    def unit_of(self, image: int) -> Tensor:
        """Scale one image's patches to unit length in the precision of the decision, (N, C); computed once."""
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
        error_bound = self.error_bound(s_im, s_st, s_dt)
        uncertain = torch.zeros(error_bound.shape, dtype=torch.bool, device=error_bound.device)  # (V, T)
        for selection in selections:
            if selection is not None and not selection.forced:
                uncertain |= margin(selection) <= error_bound
        self.decide_again(uncertain, captions, selections)
        return selections

    def forced(self, images: Tensor) -> tuple[Tensor | None, Tensor | None]:
        """Return the forced decisions of some images, (K, N) each."""
        sparse, dense = (None if mask is None else mask[images, 0] for mask in self.masks)
        return sparse, dense

    def attention(self, captions: Captions) -> Tensor:
        """Compute cosines of patches with caption directions in float32, equation (2): (V, T, N)."""
        direction = captions.direction.float()  # (T, C)
        if len(direction) == 1:  # one pass over the patches, each read once
            return (self.patches @ direction[0])[:, None] / self.norms
        return (direction @ self.patches.transpose(1, 2)).div_(self.norms)

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
        self, uncertain: Tensor, captions: CaptionIndex, selections: tuple[Selection, Selection | None]
    ) -> None:
        """Put the float64 decisions and scores of the pairs that are uncertain, (V, T) bool, into `selections`."""
        images = self.images
        for pairs in uncertain.nonzero().split(EXACT_BATCH_SIZE) if bool(uncertain.any()) else ():
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


class BlockScorer:
    """Scores a block of V images against blocks of T captions. N patches, M = N_c + 1 tokens, L words, C channels.

    Args:
        model: either variant.
        images: the block.
        captions: how many captions will come in all; they share what an image alone decides.
        workspace: buffers, shared by the scorers of one call in each thread.
        masks: forced decisions of the sparse and the dense branch, (V, 1, N) bool each; None decides by the score.
    """

    def __init__(
        self,
        model: CrossSparseAggrNet,
        images: ImageIndex,
        captions: int,
        workspace: Workspace,
        masks: tuple[Tensor | None, Tensor | None] = (None, None),
    ) -> None:
        self.model = model
        self.images = images
        self.captions = captions
        self.workspace = workspace
        self.decisions = Decisions(model, images, masks)
        self.patches = self.decisions.patches  # (V, N, C)
        self.weights = TokenWeights(images, model.num_tokens, workspace)
        self.from_differences = FromDifferences(self.patches, images.logits[0], workspace)
        self.by_gram = ByGram(self.patches, images.norms, workspace)

    def score(self, captions: CaptionIndex) -> Tensor:
        """Compute S(I, T): (V, T)."""
        sparse, dense = self.select(captions)
        if self.model.use_paper_version:
            return self.similarity(captions.sparse, sparse, dense)
        similarity = self.similarity(captions.sparse, sparse)
        if dense is not None and captions.dense is not None:
            similarity += self.similarity(captions.dense, dense)
        return similarity

    def select(self, captions: CaptionIndex) -> tuple[Selection, Selection | None]:
        """Select patches as the network does, sparse and dense: every quantity (V, T, N). A dense selection that the
        tokens do not use is left out."""
        selection, selection_dense = self.decisions.select(captions)
        merged = self.model.use_dual_aggr or not self.model.use_paper_version
        return selection, selection_dense if merged else None

    def similarity(self, captions: Captions, sparse: Selection, dense: Selection | None = None) -> Tensor:
        """Align tokens of one branch, or of both together, with the captions: (V, T)."""
        words = captions.words
        t, longest, channels = words.shape
        cls = None
        if self.images.cls is not None:
            cls = (words.view(-1, channels) @ self.images.cls.T).view(t, longest, -1).permute(2, 0, 1)  # (V, T, L)
        if t < MANY_CAPTIONS:
            products, norms = from_tokens(
                self.weights.of(slice(None), sparse, dense), self.patches, words, self.workspace
            )
            return align(self.model, products, norms, cls, captions.lengths)
        v, m = len(self.patches), self.model.num_tokens + 1
        differences = None if dense is not None else self.from_differences.compare(sparse)
        similarity = []
        for images in split(v, max(1, ALIGNED // t)):
            products = self.workspace.buffer("products", images.stop - images.start, t, longest, m)
            norms = self.workspace.buffer("norms", images.stop - images.start, t, m)
            for row, i in enumerate(range(images.start, images.stop)):
                if differences is not None:
                    self.from_differences.fill(i, words, differences, products[row], norms[row])
                else:
                    products[row], norms[row] = self.image_products(i, words, sparse, dense)
            part = None if cls is None else cls[images]
            similarity.append(align(self.model, products, norms, part, captions.lengths))
        return torch.cat(similarity)

    def image_products(
        self, i: int, words: Tensor, sparse: Selection, dense: Selection | None
    ) -> tuple[Tensor, Tensor]:
        """Take the first order or the third, whichever multiplies less: products (T, L, M), lengths (T, M)."""
        n, channels = self.patches.shape[1:]
        m, longest = self.model.num_tokens + 1, words.shape[1]
        tokens_cost = m * n * channels + m * channels * longest  # multiplications a pair
        gram_cost = m * n * n + longest * n * channels + m * n * longest + n * n * channels / self.captions
        image = slice(i, i + 1)
        weights = self.weights.of(image, sparse, dense)  # (1, T, M, N)
        if gram_cost <= tokens_cost:
            return self.by_gram.products(i, weights[0], words)
        products, norms = from_tokens(weights, self.patches[image], words, self.workspace)
        return products[0], norms[0]


def align(model: CrossSparseAggrNet, products: Tensor, norms: Tensor, cls: Tensor | None, lengths: Tensor) -> Tensor:
    """Compute S of every pair from its tokens' products with the words, equation (5).

    Args:
        model: either variant.
        products: (..., T, L, M), words by tokens; overwritten.
        norms: (..., T, M), the tokens' lengths, above 0.
        cls: (..., T, L), cosines of words and [CLS], if images have one.
        lengths: (T,), words a caption.

    Returns:
        (..., T).
    """
    hrpa = model.hrpa
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
        similarity = similarity + hrpa.relevance(best.to(model.dtype))
    return similarity


def margin(selection: Selection) -> Tensor:
    """Return how far the last kept patch's score is above the first dropped one's: (V, T), infinite if all are kept."""
    kept = selection.mask > 0
    last = selection.score.masked_fill(~kept, torch.inf).amin(dim=-1)
    first = selection.score.masked_fill(kept, -torch.inf).amax(dim=-1)
    return last - first

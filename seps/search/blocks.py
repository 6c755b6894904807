"""The engine's arithmetic: V images against T captions, exactly, with what they share computed once.

Selection is the network's own code, and its decisions are the network's (`decisions`). After it the plain loop
gathers every pair's kept patches, weighs them anew and builds its tokens. Here a token is first of
all its weights w over the N patches, and S(I, T) needs two things of it: its products with the
words and its length. Three exact orders of multiplication give them, and each image takes one that suits it:
`from_tokens`, `from_differences` and `by_gram`.
"""

from __future__ import annotations

import torch
from torch import Tensor

from seps.method.network import CrossSparseAggrNet
from seps.method.selection import Selection
from seps.search.align import align
from seps.search.by_gram import ByGram
from seps.search.decisions import Decisions
from seps.search.from_differences import FromDifferences
from seps.search.from_tokens import from_tokens
from seps.search.index import CaptionIndex, Captions, ImageIndex
from seps.search.parts import split
from seps.search.token_weights import TokenWeights
from seps.search.workspace import Workspace

MANY_CAPTIONS = 8  # from here on captions share enough for the second and the third order
ALIGNED = 128  # pairs aligned at a time: they stay in a CPU's cache


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

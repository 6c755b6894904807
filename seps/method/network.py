"""CrossSparseAggrNet: selection, aggregation and alignment in the order in which they run."""

import warnings
from dataclasses import dataclass

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from seps.common.checks import (
    MAX_CHANNELS,
    MAX_PATCHES,
    MAX_TOP_K,
    Lengths,
    Mask,
    check_captions,
    check_embeddings,
    check_mask,
    check_ratio,
    check_whole,
)
from seps.common.elsewhere import names_elsewhere
from seps.method.aggregation import DualTokenAggregation, TokenAggregation, count_aggregated
from seps.method.alignment import HRPA, Alignment
from seps.method.selection import (
    Selection,
    TokenSparse,
    caption_direction,
    image_attention,
    normalise_patches,
    text_attention,
)
from seps.method.tokens import join_tokens, split_cls


@dataclass(frozen=True)
class ImageFeatures:
    """Quantities that depend only on the images, computed once for all captions.

    Attributes:
        cls: (B_v, 1, C) or None.
        patches: (B_v, N, C).
        unit: (B_v, N, C), the patches at unit length, in the precision of the decision.
        s_im: (B_v, N), the image's attention, as cosines.
        s_p: (B_v, N) for the sparse and the dense branch; None twice in the released variant.
        logits: (B_v, N_c, N) for the sparse and the dense branch.
    """

    cls: Tensor | None
    patches: Tensor
    unit: Tensor
    s_im: Tensor
    s_p: tuple[Tensor | None, Tensor | None]
    logits: tuple[Tensor, Tensor]


@dataclass(frozen=True)
class Branch:
    """One branch, sparse or dense, of one caption's pass.

    Attributes:
        selection: which patches it keeps.
        weights: (B_v, N_c, N), its aggregation weights; None of a branch that merges nothing.
    """

    selection: Selection
    weights: Tensor | None


@dataclass(frozen=True)
class Match:
    """One forward pass of B_v images and one caption, nothing thrown away.

    Attributes:
        sparse, dense: the branches; no dense caption, no dense branch. The dense branch's weights are
            None in the paper variant without dual aggregation, which reads only the dense caption's scores.
        tokens: one (B_v, M, C) of unit length an alignment: [CLS] if any, aggregated tokens, extra token.
        alignments: the sparse caption's; in the released variant the dense caption's too.
    """

    sparse: Branch
    dense: Branch | None
    tokens: tuple[Tensor, ...]
    alignments: tuple[Alignment, ...]

    @property
    def similarity(self) -> Tensor:
        """S(I, T), (B_v,): the alignments' similarities added."""
        return torch.stack([alignment.similarity for alignment in self.alignments]).sum(dim=0)


class CrossSparseAggrNet(nn.Module):
    """SEPS (arXiv 2511.01390): similarity of images and captions over the patches that each caption keeps.

    Args:
        embed_size: C, channels of patches and words.
        num_patches: N, patches an image, row by row of the grid.
        sparse_ratio: share of patches kept, in (0, 1]; N_keep = ceil(N * sparse_ratio).
        aggr_ratio: aggregated tokens as a share of kept patches, in (0, 1];
            N_c = int(N * aggr_ratio * sparse_ratio).
        use_paper_version: the paper's equations; False (the default) gives the authors' released code.
        top_k: K of the relevance MLP (paper variant).
        use_gumbel_softmax: in training mode, draw decisions with Gumbel-Softmax and a straight-through
            estimator; evaluation always takes the top k.
        gumbel_tau: temperature of the draw.
        use_dual_aggr: a weight network for each branch (paper variant).
        beta: weight of the attentions in equation (3), in [0, 0.5] (paper variant).
        detach_selection: in the released variant, as its code has it, selection runs without gradient, so
            that the image is reached only through [CLS]; False lets gradients through kept and extra tokens,
            as in LAPS. The paper variant always lets them through. Either way attentions carry none: a dense
            caption of the paper variant, which only scores patches, receives no gradient.

    Raises:
        ValueError: a ratio outside (0, 1], beta outside [0, 0.5], a temperature not above 0, or a size outside its
            range, 1 to 16,384 for embed_size, to 65,536 for num_patches, to 1,024 for top_k; checked before anything is
            allocated.
        TypeError: called with the released code's options.
    """

    @names_elsewhere(
        opt="a set of arguments, embed_size, num_patches, sparse_ratio, aggr_ratio,",
        embed_dim="embed_size",
    )
    def __init__(
        self,
        embed_size: int = 512,
        num_patches: int = 196,
        sparse_ratio: float = 0.5,
        aggr_ratio: float = 0.4,
        use_paper_version: bool = False,
        top_k: int = 5,
        use_gumbel_softmax: bool = False,
        gumbel_tau: float = 1.0,
        use_dual_aggr: bool = True,
        beta: float = 0.25,
        detach_selection: bool = True,
    ) -> None:
        super().__init__()
        if hasattr(embed_size, "sparse_ratio"):
            raise TypeError(
                "CrossSparseAggrNet(opt) is CrossSparseAggrNet(embed_size, num_patches, sparse_ratio, aggr_ratio) "
                "here: give the options as arguments."
            )
        embed_size = check_whole("embed_size", embed_size, MAX_CHANNELS)
        num_patches = check_whole("num_patches", num_patches, MAX_PATCHES)
        top_k = check_whole("top_k", top_k, MAX_TOP_K)
        check_ratio("sparse_ratio", sparse_ratio)
        check_ratio("aggr_ratio", aggr_ratio)
        self.embed_size = embed_size
        self.num_patches = num_patches
        self.sparse_ratio = sparse_ratio
        self.aggr_ratio = aggr_ratio
        self.use_paper_version = use_paper_version
        self.use_gumbel_softmax = use_gumbel_softmax
        self.use_dual_aggr = use_paper_version and use_dual_aggr
        self.detach_selection = detach_selection and not use_paper_version
        self.num_tokens = count_aggregated(num_patches, sparse_ratio, aggr_ratio)  # N_c

        def selection() -> TokenSparse:
            return TokenSparse(embed_size, sparse_ratio, use_paper_version, beta, gumbel_tau)

        self.sparse_net_cap = selection()  # of the caption; both names are the authors', in their state dict
        self.sparse_net_long = selection()  # of the dense caption
        with warnings.catch_warnings():  # torch's own words on a layer of 0 outputs; ours follow
            warnings.filterwarnings("ignore", "Initializing zero-element tensors")
            aggregation = DualTokenAggregation if self.use_dual_aggr else TokenAggregation
            self.aggr_net: TokenAggregation | DualTokenAggregation = aggregation(embed_size, self.num_tokens)
        if self.num_tokens == 0:
            warnings.warn(
                f"{num_patches} patches at sparse_ratio {sparse_ratio} and aggr_ratio {aggr_ratio} make 0 aggregated "
                "tokens: words can match only the extra token and any [CLS]. Raise a ratio.",
                stacklevel=2,
            )
        self.hrpa = HRPA(top_k, use_paper_version)

    @names_elsewhere(long_cap_embs="dense_cap_embs", long_cap_lens="dense_cap_lens", dense_embs="dense_cap_embs")
    def forward(
        self,
        img_embs: Tensor,
        cap_embs: Tensor,
        cap_lens: Lengths,
        dense_cap_embs: Tensor | None = None,
        dense_cap_lens: Lengths | None = None,
        generator: torch.Generator | None = None,
    ) -> Tensor | tuple[Tensor, Tensor | tuple[Tensor, ...]]:
        """Score every image against every caption.

        Args:
            img_embs: (B_v, N+1, C) with [CLS] first, or (B_v, N, C) without.
            cap_embs: (B_t, L_s, C), captions; cap_lens: (B_t,), their lengths, 1 to L_s.
            dense_cap_embs: (B_t, L_d, C), dense captions; dense_cap_lens: (B_t,), their lengths, 1 to L_d.
            generator: the noise of Gumbel-Softmax; None takes torch's own.

        Returns:
            In evaluation mode the similarity (B_v, B_t). In training mode (similarity, score_mask): in the
            paper variant (D_s, D_d), each (B_t, B_v, N) of 0 and 1, or (D_s,) without dense captions or
            without dual aggregation (D_s only): take it as `(mask,) = score_mask`, or hand either
            to `SEPSLoss`; in the released one a tensor (B_t, B_v, N), both branches' masks added.

        Raises:
            ValueError: wrong channels, patch count, lengths or batch sizes; NaN or infinite embeddings;
                dense captions without lengths or the other way round.
        """
        lengths, dense_lengths = self.check(img_embs, cap_embs, cap_lens, dense_cap_embs, dense_cap_lens)
        sample = self.training and self.use_gumbel_softmax
        image = self.encode_images(img_embs)
        similarities: list[Tensor] = []
        masks: list[tuple[Tensor, ...]] = []
        for i, length in enumerate(lengths):
            dense = None
            if dense_cap_embs is not None and dense_lengths is not None:
                dense = dense_cap_embs[i, : dense_lengths[i]]  # (L_d, C)
            match = self.match(image, cap_embs[i, :length], dense, sample, generator)
            similarities.append(match.similarity)
            if self.training:
                masks.append(self.decision_masks(match))
        similarity = torch.stack(similarities, dim=1)  # (B_v, B_t)
        if not self.training:
            return similarity
        stacked = tuple(torch.stack(branch).to(similarity.dtype) for branch in zip(*masks, strict=True))
        if self.use_paper_version:
            return similarity, stacked  # each (B_t, B_v, N)
        return similarity, torch.stack(stacked).sum(dim=0)  # (B_t, B_v, N)

    @property
    def dtype(self) -> torch.dtype:
        """The parameters' precision, which embeddings share outside autocast."""
        return self.aggr_net.scale.dtype

    def check(
        self,
        img_embs: Tensor,
        cap_embs: Tensor,
        cap_lens: Lengths,
        dense_cap_embs: Tensor | None,
        dense_cap_lens: Lengths | None,
    ) -> tuple[list[int], list[int] | None]:
        """Raise ValueError for what `forward` cannot take; return both kinds of lengths as ints."""
        check_embeddings("img_embs", img_embs, self.embed_size, self.dtype)
        return check_captions(self.embed_size, cap_embs, cap_lens, dense_cap_embs, dense_cap_lens, self.dtype)

    def encode_images(self, img_embs: Tensor) -> ImageFeatures:
        """Compute everything that depends only on the images; `img_embs` as in `forward`."""
        cls, patches = split_cls(img_embs, self.num_patches)
        if self.detach_selection:
            patches = patches.detach()
        unit = normalise_patches(patches)
        logits = self.aggr_net.logits(patches)  # equation (4), before the softmax
        return ImageFeatures(
            cls=cls,
            patches=patches,
            unit=unit,
            s_im=image_attention(patches, unit),  # equation (2)
            s_p=(self.sparse_net_cap.predict(patches), self.sparse_net_long.predict(patches)),  # equation (1)
            logits=logits if isinstance(logits, tuple) else (logits, logits),
        )

    def select(
        self,
        s_p: tuple[Tensor | None, Tensor | None],
        s_im: Tensor,
        s_st: Tensor,
        s_dt: Tensor | None,
        sample: bool = False,
        generator: torch.Generator | None = None,
        masks: tuple[Tensor | None, Tensor | None] = (None, None),
    ) -> tuple[Selection, Selection | None]:
        """Select patches for both branches, equations (1) to (3), from the parts of the score, each (..., N).

        In the paper variant each branch's score reads both captions; in the released one only its own. A branch with
        a mask, bool and broadcastable to (..., N), keeps what it says instead.
        """
        sparse, dense = {"s_st": s_st}, {} if s_dt is None else {"s_dt": s_dt}
        if self.use_paper_version:
            sparse = dense = sparse | dense
        selection = self.sparse_net_cap(s_p[0], sparse | {"s_im": s_im}, sample, generator, masks[0])
        if s_dt is None:
            return selection, None
        return selection, self.sparse_net_long(s_p[1], dense | {"s_im": s_im}, sample, generator, masks[1])

    def forced_masks(
        self, mask: Mask | None, dense_mask: Mask | None, images: int, has_dense: bool
    ) -> tuple[Tensor | None, Tensor | None]:
        """Check forced decisions, (N,) or (B_v, N), and return them on the model's device; ValueError as `match`."""
        if dense_mask is not None and not has_dense:
            raise ValueError("dense_mask forces the dense branch, but there is no dense caption: pass one, or no mask.")
        given = (("mask", mask), ("dense_mask", dense_mask))
        device = self.aggr_net.scale.device
        checked = [None if m is None else check_mask(name, m, self.num_patches, images).to(device) for name, m in given]
        return checked[0], checked[1]

    def match(
        self,
        image: ImageFeatures,
        words: Tensor,
        dense_words: Tensor | None = None,
        sample: bool = False,
        generator: torch.Generator | None = None,
        mask: Mask | None = None,
        dense_mask: Mask | None = None,
    ) -> Match:
        """Pass B_v images and one caption through the network, nothing thrown away.

        Args:
            image: from `encode_images`.
            words: (L_s, C), the caption's own words; dense_words: (L_d, C), its dense caption's, if any.
            sample, generator: draw the decisions with Gumbel-Softmax, as in `TokenSparse.forward`.
            mask, dense_mask: force the decision of the sparse, of the dense branch: bool, (N,) for all images or
                (B_v, N), True on the patches that are kept, as many as they are. A branch without one decides by its
                score. Dropped patches are still weighed by their scores in the extra token.

        Raises:
            ValueError: a mask of another shape or dtype, or one that keeps no patch; a dense_mask without a dense
                caption; a mask where decisions are drawn.
        """
        masks = self.forced_masks(mask, dense_mask, image.patches.shape[0], dense_words is not None)
        if sample and any(given is not None for given in masks):
            raise ValueError("a forced decision is not drawn: leave out either the mask or the sample and generator.")
        s_st = text_attention(image.unit, caption_direction(words))  # (B_v, N)
        s_dt = None if dense_words is None else text_attention(image.unit, caption_direction(dense_words))
        selection, selection_dense = self.select(image.s_p, image.s_im, s_st, s_dt, sample, generator, masks)
        return self.match_selected(image, words, dense_words, selection, selection_dense)

    def match_selected(
        self,
        image: ImageFeatures,
        words: Tensor,
        dense_words: Tensor | None,
        sparse: Selection,
        dense: Selection | None,
    ) -> Match:
        """Aggregate and align what was selected: `match` after its selection, equations (4) and (5).

        Args:
            image: B_v images, of which `unit`, `s_im` and `s_p` are not read.
            words: (L_s, C); dense_words: (L_d, C), if any.
            sparse, dense: from `select`, every quantity (B_v, N); no dense caption, no dense selection.
        """
        if not self.use_paper_version:
            return self._match_released(image, words, dense_words, sparse, dense)
        return self._match_paper(image, words, sparse, dense)

    def _match_paper(self, image: ImageFeatures, words: Tensor, sparse: Selection, dense: Selection | None) -> Match:
        """Both branches make one set of tokens, which meets the sparse caption's words."""
        weights_dense = None
        extra = self._extra_token(image, sparse)  # (B_v, 1, C)
        if isinstance(self.aggr_net, DualTokenAggregation):
            mask_dense = None if dense is None else dense.mask
            aggregated, weights, weights_dense = self.aggr_net(image.patches, image.logits, sparse.mask, mask_dense)
            if dense is not None:
                extra = (extra + self._extra_token(image, dense)) / 2
        else:
            aggregated, weights = self.aggr_net(image.patches, image.logits[0], sparse.mask)
        tokens = join_tokens(image.cls, aggregated, extra)  # (B_v, M, C)
        alignment = self.hrpa(tokens, F.normalize(words, dim=-1))  # equation (5)
        branch_dense = None if dense is None else Branch(dense, weights_dense)
        return Match(Branch(sparse, weights), branch_dense, (tokens,), (alignment,))

    def _match_released(
        self,
        image: ImageFeatures,
        words: Tensor,
        dense_words: Tensor | None,
        sparse: Selection,
        dense: Selection | None,
    ) -> Match:
        """Each branch makes its own tokens, which meet its own caption's words; the similarities are added."""
        branches, tokens, alignments = [], [], []
        for selection, caption in ((sparse, words), (dense, dense_words)):
            if selection is None or caption is None:
                continue
            aggregated, weights = self.aggr_net(image.patches, image.logits[0], selection.mask)
            joined = join_tokens(image.cls, aggregated, self._extra_token(image, selection))  # (B_v, M, C)
            branches.append(Branch(selection, weights))
            tokens.append(joined)
            alignments.append(self.hrpa(joined, F.normalize(caption, dim=-1)))
        return Match(branches[0], branches[1] if dense is not None else None, tuple(tokens), tuple(alignments))

    def _extra_token(self, image: ImageFeatures, selection: Selection) -> Tensor:
        """The dropped patches in one token, weighted by the softmax of their scores: (B_v, 1, C)."""
        weights = selection.extra_weights.to(image.patches.dtype).unsqueeze(1)  # (B_v, 1, N)
        return weights @ image.patches

    def decision_masks(self, match: Match) -> tuple[Tensor, ...]:
        """Return the masks that training mode returns for one caption, each (B_v, N)."""
        if match.dense is None or (self.use_paper_version and not self.use_dual_aggr):
            return (match.sparse.selection.mask,)
        return match.sparse.selection.mask, match.dense.selection.mask

"""Explanation: one forward pass of one image and one caption, told in full.

`explain` runs the network's own `match` and writes down what it did; nothing is computed a second
way. Patch quantities stand in the original order of the patches, row by row of the grid, and the
terms add up to S(I, T).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import isqrt
from typing import Any

import numpy as np
import torch
import torch.nn.functional as F
from numpy.typing import NDArray
from torch import Tensor

from seps.checks import Mask
from seps.method.alignment import Alignment
from seps.method.network import Branch, CrossSparseAggrNet, Match
from seps.method.summary import summarize

Floats = NDArray[np.floating[Any]]
Integers = NDArray[np.integer[Any]]
Booleans = NDArray[np.bool_]


class FrozenDict(dict[str, Any]):
    """A dict that cannot be changed; unlike a mapping proxy it can be copied and pickled."""

    def _refuse(self, *_: object, **__: object) -> Any:
        raise TypeError("this record is read-only: copy it into a dict to change it.")

    __setitem__ = __delitem__ = __ior__ = update = pop = popitem = clear = setdefault = _refuse

    def __reduce__(self) -> tuple[Any, ...]:
        return FrozenDict, (dict(self),)


class Sealed:
    """Copies and pickles of a record are read-only again."""

    def __setstate__(self, state: dict[str, Any]) -> None:
        for name, value in state.items():
            object.__setattr__(self, name, sealed(value))


def sealed(value: Any) -> Any:
    """Return a value with read-only arrays."""
    if isinstance(value, np.ndarray):
        return read_only(value)
    return FrozenDict({name: sealed(part) for name, part in value.items()}) if isinstance(value, dict) else value


@dataclass(frozen=True, eq=False)
class BranchExplanation(Sealed):
    """What one branch, sparse or dense, kept and how it merged what it kept. All arrays are read-only.

    Attributes:
        name: "sparse" or "dense", the caption whose decision this is.
        parts: the parts of the significance score by name, each (N,): `s_p` in (0, 1), the MLP's score,
            equation (1); `s_st`, `s_dt`, `s_im`, the attentions, equation (2), in [0, 1] (paper) or [-1, 1]
            (released). Only those that the variant, the branch and the call have.
        coefficients: by the same names, the weight of each part in equation (3).
        score: (N,), the total: the sum of coefficients times parts.
        kept: (N,) bool, the decision mask.
        rank: (N,) int, the place of each patch by score, 0 is the highest.
        aggregation_weights: (N_c, N) in [0, 1], equation (4): zero on dropped patches, each row summing to 1.
            None for the dense branch of the paper variant without dual aggregation, which merges nothing.
        extra_weights: (N,) in [0, 1], the extra token's weights: zero on kept patches, summing to 1 over the
            dropped ones; all zero where nothing was dropped.
        forced: whether `kept` was given from outside; the score then decided nothing, and only weighs the dropped
            patches of the extra token.
    """

    name: str
    parts: Mapping[str, Floats]
    coefficients: Mapping[str, float]
    score: Floats
    kept: Booleans
    rank: Integers
    aggregation_weights: Floats | None
    extra_weights: Floats
    forced: bool = False


@dataclass(frozen=True, eq=False)
class AlignmentExplanation(Sealed):
    """How one caption's words met the image's tokens. Equation (5). All arrays are read-only.

    Attributes:
        caption: "sparse" or "dense".
        words: (L,), the words' labels.
        tokens: (M,), the tokens' labels: "[CLS]" if any, "aggregated 1" to "aggregated N_c", "extra".
        token_weights: (M, N); times the patches it gives each token before it is scaled to unit length.
            The [CLS] row is zero. With both branches merged (paper variant) an aggregated row sums to 2.
        cosines: (M, L), the patch-word matrix in [-1, 1].
        matrix: (M, L), the same after the leaky ReLU in the released variant; equal to cosines in the paper's.
        best_token: (L,), for each word the token that it met best.
        best_word: (M,), for each token its best word.
        word_maps: (L, N), for each word the weights over patches of its best token, both branches combined:
            each row sums to 1. It is zero where that token is [CLS], which has no place on the grid, or an
            extra token that nothing was dropped into.
        patch_cosines: (L, N), each word's cosine with each patch itself, in [-1, 1]: no part of the score, which
            knows patches through tokens alone, but where the word by itself fits best.
        patch_to_word: mean over tokens of each token's best word.
        word_to_patch: mean over words of each word's best token.
        patch_relevance, word_relevance: the relevance MLP on the K best of each; 0 in the released variant.
        similarity: the four terms added.
    """

    caption: str
    words: tuple[str, ...]
    tokens: tuple[str, ...]
    token_weights: Floats
    cosines: Floats
    matrix: Floats
    best_token: Integers
    best_word: Integers
    word_maps: Floats
    patch_cosines: Floats
    patch_to_word: float
    word_to_patch: float
    patch_relevance: float
    word_relevance: float
    similarity: float

    @property
    def terms(self) -> dict[str, float]:
        """The four terms of the similarity by name, in the order in which they are added."""
        return {
            "patch-to-word mean": self.patch_to_word,
            "word-to-patch mean": self.word_to_patch,
            "patch relevance": self.patch_relevance,
            "word relevance": self.word_relevance,
        }


@dataclass(frozen=True, eq=False)
class Explanation(Sealed):
    """The whole record of one image and one caption.

    Attributes:
        variant: "paper" or "released".
        grid: (H, W), patches row by row, H * W = N.
        has_cls: whether the image came with a [CLS] token.
        sparse, dense: the branches; no dense caption, no dense branch.
        sparse_alignment: the caption's words against the tokens.
        dense_alignment: the dense caption's, in the released variant alone; the paper's tokens meet the
            sparse caption's words only.
        similarity: S(I, T), what the model returns for this pair.
    """

    variant: str
    grid: tuple[int, int]
    has_cls: bool
    sparse: BranchExplanation
    dense: BranchExplanation | None
    sparse_alignment: AlignmentExplanation
    dense_alignment: AlignmentExplanation | None
    similarity: float

    @property
    def terms(self) -> dict[str, float]:
        """Every term of S(I, T) by name; they add up to `similarity`."""
        terms = {f"sparse {name}": value for name, value in self.sparse_alignment.terms.items()}
        if self.dense_alignment is not None:
            terms |= {f"dense {name}": value for name, value in self.dense_alignment.terms.items()}
        return terms

    @property
    def forced(self) -> bool:
        """Whether a decision was given from outside, in either branch."""
        return self.sparse.forced or (self.dense is not None and self.dense.forced)

    def __str__(self) -> str:
        return summarize(self)

    def on_grid(self, values: NDArray[Any]) -> NDArray[Any]:
        """Lay patch values (..., N) on the grid: (..., H, W)."""
        return values.reshape(*values.shape[:-1], *self.grid)


def explain(
    model: CrossSparseAggrNet,
    img_embs: Tensor,
    cap_embs: Tensor,
    dense_cap_embs: Tensor | None = None,
    *,
    words: Sequence[str] | None = None,
    dense_words: Sequence[str] | None = None,
    grid: tuple[int, int] | None = None,
    generator: torch.Generator | None = None,
    mask: Mask | None = None,
    dense_mask: Mask | None = None,
) -> Explanation:
    """Record what the model's forward pass does with one image and one caption.

    The pass is that of evaluation mode: hard top-k decisions, no gradient, no autocast, whatever mode the model
    and the caller are in. In float32 the terms add up to the score within 1e-5.

    Args:
        model: either variant.
        img_embs: (N+1, C) with [CLS] first, or (N, C).
        cap_embs: (L_s, C), the caption's own words without padding.
        dense_cap_embs: (L_d, C), the dense caption's, if any.
        words, dense_words: labels of the words, one each; numbers where left out.
        grid: (H, W); a square where left out.
        generator: draw the decisions with Gumbel-Softmax from this source instead of taking the top k.
        mask, dense_mask: (N,) bool, force the decision of the sparse, of the dense branch: True on the patches that
            are kept, at least 1; a branch without one decides by its score. The record says so (`forced`).

    Raises:
        ValueError: as the model's forward; also a grid that does not hold N patches, labels that do not
            match the words in number, or labels of a dense caption that is not there; a mask of another shape or
            dtype, one that keeps no patch, one of a dense caption that is not there, or one beside a generator.
    """
    grid = check_pair(model, img_embs, cap_embs, dense_cap_embs, grid)
    labels = [word_labels("words", words, len(cap_embs))]
    if dense_cap_embs is not None:
        labels.append(word_labels("dense_words", dense_words, len(dense_cap_embs)))
    elif dense_words is not None:
        raise ValueError(
            f"dense_words has {len(dense_words)} labels, but there are 0 dense captions: pass dense_cap_embs."
        )
    with torch.no_grad(), torch.autocast(img_embs.device.type, enabled=False):
        image = model.encode_images(img_embs[None])
        match = model.match(image, cap_embs, dense_cap_embs, generator is not None, generator, mask, dense_mask)
    patches = img_embs[-model.num_patches :]  # (N, C)
    captions = [cap_embs] if dense_cap_embs is None else [cap_embs, dense_cap_embs]
    alignments = [
        explain_alignment(match, i, alignment, labels[i], image.cls is not None, cosines(captions[i], patches))
        for i, alignment in enumerate(match.alignments)
    ]
    return Explanation(
        variant="paper" if model.use_paper_version else "released",
        grid=grid,
        has_cls=image.cls is not None,
        sparse=explain_branch("sparse", match.sparse, model.sparse_net_cap.coefficients),
        dense=None if match.dense is None else explain_branch("dense", match.dense, model.sparse_net_long.coefficients),
        sparse_alignment=alignments[0],
        dense_alignment=alignments[1] if len(alignments) > 1 else None,
        similarity=float(match.similarity[0]),
    )


def check_pair(
    model: CrossSparseAggrNet,
    img_embs: Tensor,
    cap_embs: Tensor,
    dense_cap_embs: Tensor | None,
    grid: tuple[int, int] | None,
) -> tuple[int, int]:
    """Return the grid, a square where none is given; raise ValueError for embeddings or a grid that do not fit."""
    check_single(model, img_embs, cap_embs, dense_cap_embs)
    grid = square_grid(model.num_patches) if grid is None else grid
    if len(grid) != 2 or min(grid) < 1 or grid[0] * grid[1] != model.num_patches:
        raise ValueError(f"grid is {grid}, but (H, W) with H * W = {model.num_patches} patches is needed.")
    return grid


def check_single(model: CrossSparseAggrNet, img_embs: Tensor, cap_embs: Tensor, dense_cap_embs: Tensor | None) -> None:
    """Raise ValueError unless these are the embeddings of one image, one caption and at most one dense caption."""
    for name, embeddings in (("img_embs", img_embs), ("cap_embs", cap_embs), ("dense_cap_embs", dense_cap_embs)):
        if embeddings is not None and not isinstance(embeddings, Tensor):
            raise ValueError(f"{name} is a {type(embeddings).__name__}, but a torch.Tensor is needed.")
        if embeddings is not None and embeddings.ndim != 2:
            raise ValueError(f"{name} has {embeddings.ndim} dimensions {tuple(embeddings.shape)}, but 2 are needed.")
    dense = None if dense_cap_embs is None else dense_cap_embs[None]
    model.check(img_embs[None], cap_embs[None], [len(cap_embs)], dense, None if dense is None else [dense.shape[1]])


def square_grid(num_patches: int) -> tuple[int, int]:
    """Return the square grid of N patches; raise ValueError where N is no square."""
    side = isqrt(num_patches)
    if side * side != num_patches:
        raise ValueError(f"{num_patches} patches make no square grid: pass grid=(H, W) with H * W = {num_patches}.")
    return side, side


def word_labels(name: str, labels: Sequence[str] | None, count: int) -> tuple[str, ...]:
    """Return the words' labels, numbers where there are none; raise ValueError where the counts differ."""
    if labels is None:
        return tuple(str(i) for i in range(count))
    if len(labels) != count:
        raise ValueError(f"{name} has {len(labels)} labels, but the caption has {count} words.")
    return tuple(labels)


def read_only(values: Tensor | NDArray[Any]) -> NDArray[Any]:
    """Return a copy that cannot be written to, nor made writable."""
    if isinstance(values, Tensor):
        values = values.detach().cpu()
        values = (values.float() if values.dtype in (torch.bfloat16, torch.float16) else values).numpy()
    array = np.ascontiguousarray(values)
    return np.frombuffer(array.tobytes(), dtype=array.dtype).reshape(array.shape)


def explain_branch(name: str, branch: Branch, coefficients: dict[str, float]) -> BranchExplanation:
    """Write down one branch of one image's match."""
    selection = branch.selection
    score = selection.score[0]  # (N,)
    order = score.argsort(descending=True, stable=True)  # (N,), patches from the highest score
    rank = torch.empty_like(order).scatter(0, order, torch.arange(len(order), device=order.device))
    return BranchExplanation(
        name=name,
        parts=FrozenDict({part: read_only(values[0]) for part, values in selection.parts.items()}),
        coefficients=FrozenDict({part: coefficients[part] for part in selection.parts}),
        score=read_only(score),
        kept=read_only(selection.mask[0] > 0.5),
        rank=read_only(rank),
        aggregation_weights=None if branch.weights is None else read_only(branch.weights[0]),
        extra_weights=read_only(selection.extra_weights[0]),
        forced=selection.forced,
    )


def token_weights(match: Match, index: int, has_cls: bool) -> Tensor:
    """Return the weights over patches of every token of the `index`-th alignment, before scaling: (M, N)."""
    branches = [match.sparse] if match.dense is None else [match.sparse, match.dense]
    if len(match.alignments) > 1:  # released: each alignment has its own branch's tokens
        branches = [branches[index]]
    # Paper: a dense branch that merges nothing (no dual aggregation) adds nothing to the tokens.
    merged = [(branch.weights[0], branch.selection) for branch in branches if branch.weights is not None]
    aggregated = torch.stack([weights for weights, _ in merged]).sum(dim=0)  # (N_c, N)
    extra = torch.stack([selection.extra_weights for _, selection in merged]).mean(dim=0)  # (1, N)
    parts = [aggregated, extra.to(aggregated.dtype)]
    if has_cls:
        parts.insert(0, torch.zeros_like(extra, dtype=aggregated.dtype))
    return torch.cat(parts)


def token_maps(match: Match, index: int, has_cls: bool) -> Floats:
    """Return `token_weights` as maps: (M, N), rows summing to 1, or all 0 where a token has no patches."""
    weights = read_only(token_weights(match, index, has_cls))  # (M, N)
    total = weights.sum(axis=1, keepdims=True)  # (M, 1)
    return np.divide(weights, total, out=np.zeros_like(weights), where=total > 0)


@torch.no_grad()
def cosines(words: Tensor, patches: Tensor) -> Tensor:
    """Compare each word (L, C) with each patch (N, C): (L, N)."""
    return F.normalize(words.float(), dim=-1) @ F.normalize(patches.float(), dim=-1).T


def explain_alignment(
    match: Match, index: int, alignment: Alignment, words: tuple[str, ...], has_cls: bool, patch_cosines: Tensor
) -> AlignmentExplanation:
    """Write down one alignment of one image's match; patch_cosines (L, N) as `cosines` gives them."""
    weights = read_only(token_weights(match, index, has_cls))  # (M, N)
    matrix = read_only(alignment.matrix[0])  # (M, L)
    best_token = matrix.argmax(axis=0)  # (L,)
    maps = token_maps(match, index, has_cls)  # (M, N)
    aggregated = [f"aggregated {i + 1}" for i in range(len(weights) - 1 - has_cls)]
    return AlignmentExplanation(
        caption=("sparse", "dense")[index],
        words=words,
        tokens=(*(["[CLS]"] if has_cls else []), *aggregated, "extra"),
        token_weights=weights,
        cosines=read_only(alignment.cosines[0]),
        matrix=matrix,
        best_token=read_only(best_token),
        best_word=read_only(matrix.argmax(axis=1)),
        word_maps=read_only(maps[best_token]),
        patch_cosines=read_only(patch_cosines),
        patch_to_word=float(alignment.patch_to_word[0]),
        word_to_patch=float(alignment.word_to_patch[0]),
        patch_relevance=float(alignment.patch_relevance[0]),
        word_relevance=float(alignment.word_relevance[0]),
        similarity=float(alignment.similarity[0]),
    )

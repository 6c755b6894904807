"""Explanation of one forward pass of one image and one caption."""

from collections.abc import Sequence
from math import isqrt
from typing import Any

import torch
import torch.nn.functional as F
from torch import Tensor

from seps.common.checks import Mask
from seps.common.precision import exact_precision
from seps.explanation.record import AlignmentExplanation, BranchExplanation, Explanation, FrozenDict, read_only
from seps.method.alignment import Alignment
from seps.method.network import Branch, CrossSparseAggrNet, ImageFeatures, Match
from seps.method.selection import Selection


def explain(
    model: CrossSparseAggrNet,
    img_embs: Tensor | ImageFeatures,
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
    """Record every intermediate result of the model's forward pass for one image and one caption.

    The pass is in evaluation mode: hard top-k decisions, no gradient, no autocast, whatever the mode of the model and
    the caller. In float32 the terms add up to the score within 1e-5.

    Args:
        model: either variant.
        img_embs: (N+1, C) with [CLS] first, or (N, C); or one image from `encode_images` of the model or from an index.
        cap_embs: (L_s, C), the caption's words without padding.
        dense_cap_embs: (L_d, C), the dense caption's, if any.
        words, dense_words: a label per word; by default numbers.
        grid: (H, W); by default a square.
        generator: draw the decisions with Gumbel-Softmax from this source instead of taking the top k.
        mask, dense_mask: (N,) bool, forced decision of the sparse and of the dense branch: True for kept patches, at
            least 1; a branch without a mask decides by its score. Recorded in `forced`.

    Raises:
        ValueError: as the model's forward; a grid that does not hold N patches; a wrong number of labels; a mask of
            another shape or dtype, without a kept patch, or together with a generator; labels or a mask for a missing
            dense caption.
    """
    if isinstance(img_embs, ImageFeatures) and len(img_embs.patches) != 1:
        raise ValueError(f"image holds {len(img_embs.patches)} images, but 1 is needed.")
    embeddings = img_embs.patches[0] if isinstance(img_embs, ImageFeatures) else img_embs  # (N[+1], C)
    check_single(model, embeddings, cap_embs, dense_cap_embs)
    grid = check_grid(grid, model.num_patches)
    labels = [word_labels("words", words, len(cap_embs))]
    if dense_cap_embs is not None:
        labels.append(word_labels("dense_words", dense_words, len(dense_cap_embs)))
    elif dense_words is not None:
        raise ValueError(
            f"dense_words has {len(dense_words)} labels, but there are 0 dense captions: pass dense_cap_embs."
        )
    with torch.no_grad(), exact_precision(embeddings.device):
        image = img_embs if isinstance(img_embs, ImageFeatures) else model.encode_images(img_embs[None])
        match = model.match(image, cap_embs, dense_cap_embs, generator is not None, generator, mask, dense_mask)
    captions = [cap_embs] if dense_cap_embs is None else [cap_embs, dense_cap_embs]
    alignments = [
        explain_alignment(match, i, alignment, labels[i], image.cls is not None, cosines(captions[i], image.patches[0]))
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


def check_grid(grid: tuple[int, int] | None, count: int) -> tuple[int, int]:
    """Return the grid of N patches, by default a square; raise ValueError if it does not hold them."""
    if grid is None:
        grid = (isqrt(count), isqrt(count))
        if grid[0] * grid[1] != count:
            raise ValueError(f"{count} patches make no square grid: pass grid=(H, W) with H * W = {count}.")
    elif len(grid) != 2 or min(grid) < 1 or grid[0] * grid[1] != count:
        raise ValueError(f"grid is {grid}, but (H, W) with H * W = {count} patches is needed.")
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


def word_labels(name: str, labels: Sequence[str] | None, count: int) -> tuple[str, ...]:
    """Return the words' labels, by default numbers; raise ValueError if the counts differ."""
    if labels is None:
        return tuple(str(i) for i in range(count))
    if len(labels) != count:
        raise ValueError(f"{name} has {len(labels)} labels, but the caption has {count} words.")
    return tuple(labels)


def explain_branch(name: str, branch: Branch, coefficients: dict[str, float]) -> BranchExplanation:
    """Record one branch of one image's match."""
    selection = branch.selection
    return BranchExplanation(
        name=name,
        parts=FrozenDict({part: read_only(values[0]) for part, values in selection.parts.items()}),
        coefficients=FrozenDict({part: coefficients[part] for part in selection.parts}),
        aggregation_weights=None if branch.weights is None else read_only(branch.weights[0]),
        forced=selection.forced,
        **{field: read_only(values) for field, values in selection_arrays(selection).items()},
    )


def selection_arrays(selection: Selection) -> dict[str, Tensor]:
    """Return the arrays of one image's selection, each (N,), by their names in `BranchExplanation`."""
    score = selection.score[0]  # (N,)
    order = score.argsort(descending=True, stable=True)  # (N,), patches from the highest score
    rank = torch.zeros_like(order).scatter(0, order, torch.arange(len(order), device=order.device))
    return {
        "score": score,
        "kept": selection.mask[0] > 0.5,
        "rank": rank,
        "extra_weights": selection.extra_weights[0],
    }


def token_weights(match: Match, index: int, has_cls: bool) -> Tensor:
    """Return the weights over patches of every token of the `index`-th alignment, before scaling: (M, N)."""
    branches = [match.sparse] if match.dense is None else [match.sparse, match.dense]
    if len(match.alignments) > 1:  # released: each alignment uses its branch's tokens
        branches = [branches[index]]
    # Paper: without dual aggregation the dense branch adds nothing to the tokens.
    merged = [(branch.weights[0], branch.selection) for branch in branches if branch.weights is not None]
    aggregated = torch.stack([weights for weights, _ in merged]).sum(dim=0)  # (N_c, N)
    extra = torch.stack([selection.extra_weights for _, selection in merged]).mean(dim=0)  # (1, N)
    parts = [aggregated, extra.to(aggregated.dtype)]
    if has_cls:
        parts.insert(0, torch.zeros_like(extra, dtype=aggregated.dtype))
    return torch.cat(parts)


def token_maps(weights: Tensor) -> Tensor:
    """Normalise `token_weights` to maps: (M, N), rows summing to 1, or all 0 for a token without patches."""
    weights = weights.to(torch.promote_types(weights.dtype, torch.float32))
    total = weights.sum(dim=1, keepdim=True)  # (M, 1)
    return torch.where(total > 0, weights / total, 0.0)


@torch.no_grad()
def cosines(words: Tensor, patches: Tensor) -> Tensor:
    """Compute the cosine of each word (L, C) with each patch (N, C): (L, N)."""
    return F.normalize(words.float(), dim=-1) @ F.normalize(patches.float(), dim=-1).T


def explain_alignment(
    match: Match, index: int, alignment: Alignment, words: tuple[str, ...], has_cls: bool, patch_cosines: Tensor
) -> AlignmentExplanation:
    """Record one alignment of one image's match; patch_cosines (L, N) from `cosines`."""
    weights = token_weights(match, index, has_cls)  # (M, N)
    arrays = {field: read_only(values) for field, values in alignment_arrays(alignment, weights).items()}
    terms = {field: float(values[0]) for field, values in alignment_terms(alignment).items()}
    fields: dict[str, Any] = arrays | terms
    return AlignmentExplanation(
        caption=("sparse", "dense")[index],
        words=words,
        tokens=(*["[CLS]"] * has_cls, *(f"aggregated {i}" for i in range(1, len(weights) - has_cls)), "extra"),
        patch_cosines=read_only(patch_cosines),
        **fields,
    )


def alignment_arrays(alignment: Alignment, weights: Tensor) -> dict[str, Tensor]:
    """Return one image's alignment arrays for tokens of weights (M, N), as in `AlignmentExplanation`."""
    matrix = alignment.matrix[0]  # (M, L)
    best_token = matrix.argmax(dim=0)  # (L,)
    return {
        "token_weights": weights,
        "cosines": alignment.cosines[0],
        "matrix": matrix,
        "best_token": best_token,
        "best_word": matrix.argmax(dim=1),
        "word_maps": token_maps(weights)[best_token],
    }


def alignment_terms(alignment: Alignment) -> dict[str, Tensor]:
    """Return the terms of an alignment and their sum, each (B_v,), by the names in `AlignmentExplanation`."""
    names = ("patch_to_word", "word_to_patch", "patch_relevance", "word_relevance", "similarity")
    return {name: getattr(alignment, name) for name in names}

"""Dense captions as the page takes them: graphs of a pass with one beside the caption, fetched when one is first typed.

| graph | takes | gives |
|---|---|---|
| dense_rank | patches (B, N[+1], C), words (L, C), dense_words (L_d, C) | similarity (B,), S(I, T) of each |
| dense_pair | patches (N[+1], C), words, dense_words | every array and term of the explanation, see `Pair` |
| dense_forced | the same and mask (N,) bool | the same under a sparse decision from outside |
"""

from __future__ import annotations

from pathlib import Path

from torch import Tensor, nn

from seps import CrossSparseAggrNet, SEPSModel
from seps.explanation.forward_pass import (
    alignment_arrays,
    alignment_terms,
    cosines,
    selection_arrays,
    token_weights,
)
from seps.method.network import Branch
from seps.models.export.folder import write_graphs
from seps.models.export.graphs import Graph, exportable

PREFIXES = ("", "dense_")  # of the names of what is the sparse, and the dense caption's


class Rank(nn.Module):
    """S of many images with one caption and its dense caption."""

    def __init__(self, network: CrossSparseAggrNet) -> None:
        super().__init__()
        self.network = network

    def forward(self, patches: Tensor, words: Tensor, dense_words: Tensor) -> dict[str, Tensor]:
        """Return `similarity` (B,) of (B, N[+1], C), (L, C) and (L_d, C)."""
        image = self.network.encode_images(patches)
        return {"similarity": self.network.match(image, words, dense_words).similarity}


class Pair(nn.Module):
    """One image, one caption and its dense caption, told in full."""

    def __init__(self, network: CrossSparseAggrNet) -> None:
        super().__init__()
        self.network = network

    def forward(
        self, patches: Tensor, words: Tensor, dense_words: Tensor, mask: Tensor | None = None
    ) -> dict[str, Tensor]:
        """Return the record of (N[+1], C), (L, C) and (L_d, C): what is the dense caption's under names with "dense_".

        `mask`: (N,) bool, the sparse decision where it is forced.
        """
        network = self.network
        match = network.match(network.encode_images(patches[None]), words, dense_words, mask=mask)
        has_cls = len(patches) > network.num_patches
        outputs: dict[str, Tensor] = {}
        for prefix, branch in zip(PREFIXES, (match.sparse, match.dense), strict=True):
            assert branch is not None  # there is a dense caption
            outputs |= {prefix + name: values for name, values in branch_arrays(branch).items()}
        for index, alignment in enumerate(match.alignments):
            arrays = alignment_arrays(alignment, token_weights(match, index, has_cls))
            arrays |= {"patch_cosines": cosines((words, dense_words)[index], patches[-network.num_patches :])}
            arrays |= {name: values[0] for name, values in alignment_terms(alignment).items()}
            outputs |= {PREFIXES[index] + name: values for name, values in arrays.items()}
        return outputs | {"similarity": match.similarity[0]}


def branch_arrays(branch: Branch) -> dict[str, Tensor]:
    """Return what one image's branch decided and merged, by the record's names."""
    merged = {} if branch.weights is None else {"aggregation_weights": branch.weights[0]}
    parts = {name: values[0] for name, values in branch.selection.parts.items()}
    return parts | selection_arrays(branch.selection) | merged


def dense_graphs(model: SEPSModel) -> dict[str, Graph]:
    """Return the graphs of an `exportable` model by name, as the table above has them."""
    network = model.cross_net
    count, channels = network.num_patches, network.embed_size
    patches = (count + model.img_enc.has_cls, channels)
    captions: dict[str, tuple[int | str, ...]] = {"words": ("words", channels), "dense_words": ("dense", channels)}
    return {
        "dense_rank": Graph(Rank(network), {"patches": ("images", *patches)} | captions),
        "dense_pair": Graph(Pair(network), {"patches": patches} | captions),
        "dense_forced": Graph(Pair(network), {"patches": patches} | captions | {"mask": (count,)}),
    }


def write_dense(model: SEPSModel, folder: Path) -> None:
    """Write a model's graphs of dense captions into the folder of its others.

    Raises:
        ValueError: a graph that computes something else than the model does.
    """
    plain = exportable(model)
    write_graphs(plain, dense_graphs(plain), folder)

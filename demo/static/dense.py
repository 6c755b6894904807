"""Graphs for a caption with a dense caption, fetched by the page when one is first typed.

| graph | takes | gives |
|---|---|---|
| dense_rank | patches (B, N[+1], C), words (L, C), dense_words (L_d, C) | similarity (B,), S(I, T) |
| dense_pair | patches (N[+1], C), words, dense_words | every array and term of the explanation, see `Pair` |
| dense_forced | the same and mask (N,) bool | the same with a forced sparse decision |
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

PREFIXES = ("", "dense_")  # prefixes of names for the sparse and the dense caption


class Rank(nn.Module):
    """Scores of many images for one caption and its dense caption."""

    def __init__(self, network: CrossSparseAggrNet) -> None:
        super().__init__()
        self.network = network

    def forward(self, patches: Tensor, words: Tensor, dense_words: Tensor) -> dict[str, Tensor]:
        """Return `similarity` (B,) of (B, N[+1], C), (L, C) and (L_d, C)."""
        image = self.network.encode_images(patches)
        return {"similarity": self.network.match(image, words, dense_words).similarity}


class Pair(nn.Module):
    """Explanation of one image, one caption and its dense caption."""

    def __init__(self, network: CrossSparseAggrNet) -> None:
        super().__init__()
        self.network = network

    def forward(
        self, patches: Tensor, words: Tensor, dense_words: Tensor, mask: Tensor | None = None
    ) -> dict[str, Tensor]:
        """Return the record of (N[+1], C), (L, C) and (L_d, C); names of the dense caption's values start with
        "dense_".

        `mask`: (N,) bool, a forced sparse decision.
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
    """Return the selection and aggregation of one image's branch, by the record's names."""
    merged = {} if branch.weights is None else {"aggregation_weights": branch.weights[0]}
    parts = {name: values[0] for name, values in branch.selection.parts.items()}
    return parts | selection_arrays(branch.selection) | merged


def dense_graphs(model: SEPSModel) -> dict[str, Graph]:
    """Return the graphs of an `exportable` model by name, see the table above."""
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
        ValueError: a graph that differs from the model.
    """
    plain = exportable(model)
    write_graphs(plain, dense_graphs(plain), folder)

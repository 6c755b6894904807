"""Exact attribution of S(I, T), equation (5), to words and to tokens.

A word contributes its best value / L, a token its best value / M. A relevance value MLP(x), with the K best values x,
is split by integrated gradients (Sundararajan et al., ICML 2017) along the straight line from x = 0:

    a_k = x_k * integral over t from 0 to 1 of dMLP/dx_k (t x)
"""

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
import torch.nn.functional as F
from torch import Tensor

from seps.explanation.record import AlignmentExplanation, Explanation, Floats, read_only
from seps.method.alignment import HRPA
from seps.method.network import CrossSparseAggrNet
from seps.method.selection import decision_dtype

POINTS = 16  # Gauss-Legendre points: exact for polynomials up to degree 31


@dataclass(frozen=True, eq=False)
class Attribution:
    """Parts of one alignment's similarity, which add up to it. All arrays are read-only, float64.

    Attributes:
        caption: "sparse" or "dense", the caption of the words.
        words: (L,), tokens: (M,), the labels.
        word_means: (L,), parts of the word-to-patch mean, each in [-1/L, 1/L].
        token_means: (M,), parts of the patch-to-word mean, each in [-1/M, 1/M].
        word_relevance: (L,), parts of the words' relevance value: 0 for words that are not among the K best.
        token_relevance: (M,), the same for the tokens. Both are 0 in the released variant.
        word_left_over, token_left_over: the unattributed part of the two relevance values.
        similarity: the sum, this alignment's part of S(I, T).
    """

    caption: str
    words: tuple[str, ...]
    tokens: tuple[str, ...]
    word_means: Floats
    token_means: Floats
    word_relevance: Floats
    token_relevance: Floats
    word_left_over: float
    token_left_over: float
    similarity: float

    @property
    def of_words(self) -> Floats:
        """(L,), each word's contribution: its parts of the mean and of the relevance value."""
        return self.word_means + self.word_relevance

    @property
    def of_tokens(self) -> Floats:
        """(M,), each token's contribution: its parts of the mean and of the relevance value."""
        return self.token_means + self.token_relevance

    @property
    def left_over(self) -> float:
        """The part that belongs to no word and no token."""
        return self.word_left_over + self.token_left_over


def split_similarity(model: CrossSparseAggrNet, record: Explanation) -> tuple[Attribution, ...]:
    """Split the S(I, T) of a record, with any decision, among its words and its tokens."""
    variant = "paper" if model.use_paper_version else "released"
    if record.variant != variant:
        raise ValueError(f"the record is one of the {record.variant} variant, but the model is of the {variant} one.")
    alignments = [record.sparse_alignment, record.dense_alignment]
    return tuple(split_alignment(model.hrpa, alignment) for alignment in alignments if alignment is not None)


def split_alignment(hrpa: HRPA, alignment: AlignmentExplanation) -> Attribution:
    """Split one alignment's similarity."""
    device = next(hrpa.parameters()).device if hrpa.use_paper_version else torch.device("cpu")
    matrix = torch.tensor(alignment.matrix, dtype=decision_dtype(device), device=device)  # (M, L)
    best_of_word, best_of_token = matrix.amax(dim=0), matrix.amax(dim=1)  # (L,), (M,)
    with torch.no_grad():
        word_relevance, word_left_over = attribute_relevance(hrpa, best_of_word)
        token_relevance, token_left_over = attribute_relevance(hrpa, best_of_token)
    parts = {
        "word_means": best_of_word / len(best_of_word),
        "token_means": best_of_token / len(best_of_token),
        "word_relevance": word_relevance,
        "token_relevance": token_relevance,
    }
    arrays = {name: read_only(part.double().cpu()) for name, part in parts.items()}
    left_over = {"word_left_over": float(word_left_over), "token_left_over": float(token_left_over)}
    similarity = float(np.concatenate(list(arrays.values())).sum() + sum(left_over.values()))
    fields: dict[str, Any] = arrays | left_over
    return Attribution(alignment.caption, alignment.words, alignment.tokens, **fields, similarity=similarity)


def attribute_word_mean(matrix: Tensor) -> Tensor:
    """Compute each word's contribution to the word-to-patch mean, `Attribution.word_means`: (..., M, L) to (..., L)."""
    return matrix.amax(dim=-2) / matrix.shape[-1]


def attribute_relevance(hrpa: HRPA, best: Tensor) -> tuple[Tensor, Tensor]:
    """Split the relevance value MLP(TopK(best)) among best values (..., n): parts (..., n), remainder (...,)."""
    attribution = torch.zeros_like(best)
    if not hrpa.use_paper_version:
        return attribution, attribution.sum(dim=-1)
    count = min(hrpa.top_k, best.shape[-1])
    highest, where = best.topk(count, dim=-1)  # (..., count), sorted from the highest
    inputs = F.pad(highest, (0, hrpa.top_k - count))  # (..., K)
    nodes, weights = np.polynomial.legendre.leggauss(POINTS)  # on [-1, 1]
    path = torch.tensor((nodes + 1) / 2).to(inputs)[:, None]  # (POINTS, 1), on [0, 1]
    _, slopes = relevance_mlp(hrpa, inputs.unsqueeze(-2) * path)  # (..., POINTS, K)
    terms = inputs * (torch.tensor(weights / 2).to(inputs) @ slopes)  # (..., K)
    value, _ = relevance_mlp(hrpa, inputs)  # (...,)
    return attribution.scatter(-1, where, terms[..., :count]), value - terms.sum(dim=-1)


def relevance_mlp(hrpa: HRPA, inputs: Tensor) -> tuple[Tensor, Tensor]:
    """Compute the relevance MLP and its gradient in the precision of the inputs: (..., K) to (...,) and (..., K)."""
    layers: Any = hrpa.relevance_mlp
    first, _, last = layers
    hidden = F.linear(inputs, first.weight.to(inputs), first.bias.to(inputs))  # (..., 2 K)
    value = F.linear(F.gelu(hidden), last.weight.to(inputs), last.bias.to(inputs)).squeeze(-1)  # (...,)
    bell = (1 + torch.erf(hidden / math.sqrt(2))) / 2  # cumulative normal distribution
    slope = bell + hidden * torch.exp(-hidden.square() / 2) / math.sqrt(2 * math.pi)  # of GELU
    return value, (slope * last.weight.to(inputs)[0]) @ first.weight.to(inputs)  # (..., K)

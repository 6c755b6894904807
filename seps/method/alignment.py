"""Alignment: words meet tokens, and S(I, T) is summed. Equation (5), section 3.3."""

import math
from dataclasses import dataclass

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from seps.common.checks import MAX_TOP_K, check_whole

LEAKY_SLOPE = 0.1


@dataclass(frozen=True)
class Alignment:
    """How one caption's words met the tokens of B_v images.

    Attributes:
        cosines: (B_v, M, L), the patch-word matrix: cosine of each token with each word, in [-1, 1].
        matrix: (B_v, M, L), what the maxima run over: the cosines, after the leaky ReLU in the released variant.
        patch_to_word: (B_v,), mean over tokens of each token's best word.
        word_to_patch: (B_v,), mean over words of each word's best token.
        patch_relevance: (B_v,), the relevance MLP on the K best tokens' values; 0 in the released variant.
        word_relevance: (B_v,), the relevance MLP on the K best words' values; 0 in the released variant.
    """

    cosines: Tensor
    matrix: Tensor
    patch_to_word: Tensor
    word_to_patch: Tensor
    patch_relevance: Tensor
    word_relevance: Tensor

    @property
    def similarity(self) -> Tensor:
        """(B_v,), the four terms added. Equation (5)."""
        return self.patch_to_word + self.word_to_patch + self.patch_relevance + self.word_relevance  # equation (5)


class HRPA(nn.Module):
    """Highly-relevant patch-word alignment. Equation (5).

    Args:
        top_k: K, how many of the best values the relevance MLP sees.
        use_paper_version: with the relevance MLP and plain cosines; False gives the released code's
            leaky ReLU (slope 0.1) and means only.

    Raises:
        ValueError: top_k below 1 or above 1,024.
    """

    def __init__(self, top_k: int = 5, use_paper_version: bool = False) -> None:
        super().__init__()
        top_k = check_whole("top_k", top_k, MAX_TOP_K)
        self.top_k = top_k
        self.use_paper_version = use_paper_version
        if use_paper_version:
            self.relevance_mlp = nn.Sequential(nn.Linear(top_k, 2 * top_k), nn.GELU(), nn.Linear(2 * top_k, 1))

    def activate(self, cosines: Tensor) -> Tensor:
        """Return the matrix for the maxima, of any shape: leaky ReLU in the released variant, cosines in the
        paper."""
        return cosines if self.use_paper_version else F.leaky_relu(cosines, LEAKY_SLOPE)

    def relevance(self, best: Tensor) -> Tensor:
        """Compute MLP(TopK(best)), equation (5): (..., n) maxima to (...,)."""
        if not self.use_paper_version:
            return torch.zeros_like(best[..., 0])
        return self.relevance_mlp(self.highest(best)).squeeze(-1)

    def highest(self, best: Tensor) -> Tensor:
        """Return TopK of (..., n) maxima, (..., K) from the highest on.

        Fewer than K are padded with zeros; an entry of -inf is padding too.
        """
        padded = F.pad(best, (0, self.top_k), value=-math.inf)  # (..., n + K), so that any n has K highest
        highest = padded.topk(self.top_k, dim=-1).values
        return highest.masked_fill(highest == -math.inf, 0.0)

    def forward(self, tokens: Tensor, words: Tensor) -> Alignment:
        """Align the tokens of B_v images with one caption.

        Args:
            tokens: (B_v, M, C) of unit length.
            words: (L, C) of unit length, the caption's own words without padding.
        """
        return self.align(tokens @ words.T)

    def align(self, cosines: Tensor) -> Alignment:
        """Align from the patch-word matrix: (B_v, M, L), the cosine of each token with each word."""
        matrix = self.activate(cosines)  # (B_v, M, L)
        best_of_token = matrix.amax(dim=2)  # (B_v, M)
        best_of_word = matrix.amax(dim=1)  # (B_v, L)
        return Alignment(
            cosines=cosines,
            matrix=matrix,
            patch_to_word=best_of_token.mean(dim=1),
            word_to_patch=best_of_word.mean(dim=1),
            patch_relevance=self.relevance(best_of_token),
            word_relevance=self.relevance(best_of_word),
        )

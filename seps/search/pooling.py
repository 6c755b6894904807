"""One vector per image and caption; their product approximates S(I, T) for a shortlist."""

import torch.nn.functional as F
from torch import Tensor

from seps.search.index import CaptionIndex


def pooled_images(embeddings: Tensor) -> Tensor:
    """Pool image embeddings (K, N[+1], C) to the mean of their unit vectors, at unit length: (K, C)."""
    return F.normalize(F.normalize(embeddings.float(), dim=-1).mean(dim=1), dim=-1)


def pooled_captions(captions: CaptionIndex) -> Tensor:
    """Pool captions to the mean of their unit words, at unit length: (T, C)."""
    words = captions.sparse.words  # (T, L, C), zero beyond each end
    return F.normalize(words.sum(dim=1), dim=-1)

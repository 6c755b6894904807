"""Retrieval metrics: recall at K both ways, rSum, median and mean rank. Ties count against the model."""

from dataclasses import dataclass

import torch
from torch import Tensor

CHUNK = 1024  # captions compared at a time


@dataclass(frozen=True)
class Recall:
    """Recall at 1, 5 and 10 in per cent of queries, and ranks of the best right answer, from 1."""

    r1: float
    r5: float
    r10: float
    median_rank: float
    mean_rank: float


@dataclass(frozen=True)
class RetrievalMetrics:
    """Both directions: images asked for captions, captions asked for images."""

    image_to_text: Recall
    text_to_image: Recall

    @property
    def rsum(self) -> float:
        """The six recalls added, in [0, 600]."""
        return sum(r.r1 + r.r5 + r.r10 for r in (self.image_to_text, self.text_to_image))


def caption_owners(similarity: Tensor, captions_per_image: int) -> Tensor:
    """Return the image of each caption, (B_t,), for captions in the order of the images, k per image."""
    if similarity.ndim != 2 or 0 in similarity.shape:
        raise ValueError(f"similarity has shape {tuple(similarity.shape)}, but (images, captions) is needed.")
    if not bool(torch.isfinite(similarity).all()):
        bad = int((~torch.isfinite(similarity)).sum())
        raise ValueError(f"similarity holds {bad} NaN or infinite values among {similarity.numel()}.")
    images, captions = similarity.shape
    if captions_per_image < 1 or captions != images * captions_per_image:
        raise ValueError(
            f"similarity has {captions} captions, but {images} images with {captions_per_image} "
            f"captions each make {images * captions_per_image}."
        )
    return torch.arange(images, device=similarity.device).repeat_interleave(captions_per_image)


def image_to_text_ranks(similarity: Tensor, captions_per_image: int = 1) -> Tensor:
    """Rank each image's best own caption, of similarity (B_v, B_v * k), among all: (B_v,) int64, 1 is first."""
    owner = caption_owners(similarity, captions_per_image)
    images = len(similarity)
    positives = similarity.reshape(images, images, captions_per_image)[range(images), range(images)]  # (B_v, k)
    best = positives.amax(dim=1, keepdim=True)  # (B_v, 1)
    ahead = torch.zeros(images, dtype=torch.int64, device=similarity.device)
    index = torch.arange(images, device=similarity.device)[:, None]
    for scores, owners in zip(similarity.split(CHUNK, dim=1), owner.split(CHUNK), strict=True):
        ahead += ((scores >= best) & (owners != index)).sum(dim=1)  # of (B_v, chunk)
    return ahead + 1


def text_to_image_ranks(similarity: Tensor, captions_per_image: int = 1) -> Tensor:
    """Rank of each caption's image among all images: (B_t,) int64, 1 is first; arguments as above."""
    owner = caption_owners(similarity, captions_per_image)
    chunks = zip(similarity.split(CHUNK, dim=1), owner.split(CHUNK), strict=True)  # (B_v, chunk) and (chunk,)
    # Its own image counts itself: rank 1 is one entry.
    return torch.cat([(scores >= scores.gather(0, owners[None])).sum(dim=0) for scores, owners in chunks])


def summarize(ranks: Tensor) -> Recall:
    """Compute recall and ranks of one direction from its ranks, (queries,)."""
    exact = ranks.double()

    def recall(k: int) -> float:
        return 100.0 * float((ranks <= k).double().mean())

    return Recall(recall(1), recall(5), recall(10), float(exact.quantile(0.5)), float(exact.mean()))


def retrieval_metrics(similarity: Tensor, captions_per_image: int = 1) -> RetrievalMetrics:
    """Compute recalls and ranks both ways from similarity (B_v, B_v * k); caption j belongs to image j // k."""
    return RetrievalMetrics(
        summarize(image_to_text_ranks(similarity, captions_per_image)),
        summarize(text_to_image_ranks(similarity, captions_per_image)),
    )

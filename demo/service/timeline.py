"""Timeline of a caption in a video: similarity of every frame, best moments, and stability of the mask."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import torch
from numpy.typing import NDArray
from scipy.signal import find_peaks

from demo.galleries.indexes.index import GalleryInMemory
from demo.service.captions import Reading
from demo.service.ranking import ImageRanking
from demo.service.retrieval import RetrievalService

MOMENTS = 5
PROMINENCE = 0.1  # minimum prominence of a peak, as a fraction of the curve's height


@dataclass(frozen=True)
class Timeline:
    """Result of one caption for a video's F frames."""

    reading: Reading
    seconds: NDArray[np.float64]  # (F,), the frames' times
    scores: NDArray[np.float64]  # (F,), S(I, T)
    moments: tuple[int, ...]  # peaks of the curve, the best first
    masks: NDArray[np.bool_]  # (F, N), kept patches
    mask_iou: NDArray[np.float64]  # (F - 1,), intersection over union of neighbouring frames' masks
    frame_cosine: NDArray[np.float64]  # (F - 1,), mean cosine of neighbouring frames' patches at the same place


def timeline(
    service: RetrievalService, indexed: GalleryInMemory, caption: str, ranking: ImageRanking | None = None
) -> Timeline:
    """Score a caption on the frames of a `video_gallery` in order of time, or take an existing ranking of them, with or
    without a dense caption; ValueError for an invalid caption."""
    ranking = ranking or service.rank_images(indexed, caption)
    dense = None if ranking.dense_reading is None else ranking.dense_reading.text
    scores = np.empty(len(indexed))
    scores[ranking.order] = ranking.scores
    seconds = np.array([float(item.key) for item in indexed.gallery.items])
    masks = service.decide_all(indexed, ranking.reading.text, dense)
    return Timeline(
        ranking.reading, seconds, scores, moments(scores), masks, mask_overlap(masks), frame_cosine(indexed.embeddings)
    )


def moments(scores: Sequence[float] | NDArray[np.float64], most: int = MOMENTS) -> tuple[int, ...]:
    """Find the peaks of a curve (F,), the best first, of a prominence of at least a tenth of the curve's height. The
    best frame is always included; a plateau counts as its middle."""
    curve = np.asarray(scores, dtype=np.float64)
    low, high = float(curve.min()), float(curve.max())
    if high == low:
        return (0,)
    padded = np.concatenate([[low - (high - low)], curve, [low - (high - low)]])  # an end can be a peak
    peaks, _ = find_peaks(padded, prominence=PROMINENCE * (high - low))
    best_first = sorted((int(peak) - 1 for peak in peaks), key=lambda peak: (-curve[peak], peak))
    return tuple(best_first[:most])


def mask_overlap(masks: NDArray[np.bool_]) -> NDArray[np.float64]:
    """Compute the intersection over union of each mask (F, N) and the next, (F - 1,); 1 if both are empty."""
    both, either = (masks[:-1] & masks[1:]).sum(axis=1), (masks[:-1] | masks[1:]).sum(axis=1)
    return np.where(either > 0, both / np.maximum(either, 1), 1.0)


def frame_cosine(embeddings: torch.Tensor) -> NDArray[np.float64]:
    """Compute the mean cosine of each frame's patches (F, N[+1], C) and the next one's at the same place, (F - 1,)."""
    cosines = torch.cosine_similarity(embeddings[:-1].float(), embeddings[1:].float(), dim=-1)  # (F - 1, N[+1])
    return np.asarray(cosines.mean(dim=1).cpu().numpy(), dtype=np.float64)

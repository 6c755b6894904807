"""Captions through a video as the page draws them, and the sentences on how steady their masks are."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from demo.galleries.indexes.index import GalleryInMemory
from demo.record.texts.table import say
from demo.service.masks import mask_text
from demo.service.timeline import Timeline

TILES = 12  # frames with their masks, of all captions together


def timeline_value(
    indexed: GalleryInMemory, lines: Sequence[Timeline], grid: tuple[int, int], formats: Sequence[str]
) -> dict[str, Any]:
    """Return the scores and masks of captions through a video, as the page draws them; `grid` (H, W)."""
    return {
        "seconds": lines[0].seconds.round(3).tolist(),
        "titles": [item.title for item in indexed.gallery.items],
        "grid": list(grid),
        "formats": list(formats),
        "lines": [
            {
                "caption": line.reading.text,
                "scores": line.scores.round(5).tolist(),
                "moments": list(line.moments),
                "tiles": [
                    {"index": index, "thumb": indexed.thumbnails[index], "mask": mask_text(line.masks[index])}
                    for index in tiles(len(indexed), TILES // len(lines))
                ],
                "steady": steadiness(line),
            }
            for line in lines
        ],
    }


def tiles(count: int, most: int) -> list[int]:
    """Return representative frames: the first, the last, and even steps between them."""
    return np.unique(np.linspace(0, count - 1, min(count, most)).round().astype(int)).tolist()


def steadiness(line: Timeline) -> str:
    """Return how much of the mask neighbouring frames have in common, next to their similarity; "" for one."""
    if not len(line.mask_iou):
        return ""
    return say("timeline.steady", iou=100 * line.mask_iou.mean(), cosine=line.frame_cosine.mean())

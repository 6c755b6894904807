"""Captions through a video as the page draws them, and the sentences on how steady their masks are."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from demo.galleries.index import GalleryInMemory
from demo.record.table import say
from demo.service.masks import mask_text
from demo.service.timeline import Timeline

TILES = 12  # frames with their masks, of all captions together


def timeline_value(
    indexed: GalleryInMemory, lines: Sequence[Timeline], grid: tuple[int, int], formats: Sequence[str]
) -> dict[str, Any]:
    """Return the scores of captions through a video, as the page draws them.

    Args:
        lines: of one caption or two; grid: (H, W) patches; formats: of the files that can be taken away.

    Returns:
        `seconds` and `titles` of the F frames; of each of `lines` its caption, scores, moments, the tiles of its masks
        and the sentence on how steady they are, empty for one frame.
    """
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
    """Return how much of the mask neighbouring frames have in common, next to their own similarity; "" for
    one."""
    if not len(line.mask_iou):
        return ""
    return say("timeline.steady", iou=100 * line.mask_iou.mean(), cosine=line.frame_cosine.mean())

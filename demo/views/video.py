"""Captions through the frames of a video: what the ranking of Photos tells beside it, and a second caption."""

from typing import Any

import numpy as np

from demo.drawing.formats import Download, film_kind
from demo.galleries.indexes.index import IndexedGallery, require_in_memory
from demo.record.texts.table import say
from demo.service.captions import read_caption
from demo.service.masks import mask_text
from demo.service.ranking import ImageRanking
from demo.service.retrieval import RetrievalService
from demo.service.timeline import Timeline, timeline
from demo.views.state import ViewState

TILES = 12  # frames with their masks, of all captions together


def second_caption(service: RetrievalService, indexed: IndexedGallery, text: str) -> str:
    """Return a second caption as read, "" for none or without a video; ValueError if it is unreadable."""
    if not indexed.gallery.timed or not text.strip():
        return ""
    return read_caption(service.model, text).text


def followed(
    service: RetrievalService, indexed: IndexedGallery, state: ViewState, ranking: ImageRanking | None = None
) -> list[Timeline]:
    """Return the captions of a view through a video, `ranking` being that of the first, where it is of all frames."""
    frames = require_in_memory(indexed)
    if ranking is None or len(ranking.order) < len(frames):
        ranking = service.rank_images(frames, state.caption, state.dense)
    lines = [timeline(service, frames, state.caption, ranking)]
    return [*lines, timeline(service, frames, state.other)] if state.other else lines


def followed_value(
    service: RetrievalService, indexed: IndexedGallery, state: ViewState, ranking: ImageRanking
) -> dict[str, Any]:
    """Return the scores and masks of a view's captions through a video, as the page draws them."""
    lines, frames = followed(service, indexed, state, ranking), require_in_memory(indexed)
    return {
        "seconds": lines[0].seconds.round(3).tolist(),
        "titles": [item.title for item in indexed.gallery.items],
        "grid": list(service.model.grid),
        "formats": ["GIF", {"mp4": "MP4", "webm": "WebM"}[film_kind()], "PNG", "CSV", "JSON"],
        "lines": [
            {
                "caption": line.reading.text,
                "scores": line.scores.round(5).tolist(),
                "moments": list(line.moments),
                "tiles": [
                    {"index": index, "thumb": frames.thumbnails[index], "mask": mask_text(line.masks[index])}
                    for index in tiles(len(frames), TILES // len(lines))
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


def film_download(service: RetrievalService, indexed: IndexedGallery, state: ViewState, kind: str) -> Download:
    """Return the file of a video's timeline; ValueError for a gallery that is no video, and as `video_file`."""
    from demo.drawing.film import video_file  # Matplotlib is imported with the first picture

    if not indexed.gallery.timed:
        raise ValueError("These photographs are no frames of a video: choose a video.")
    lines = followed(service, indexed, state)
    images = (item.photo() for item in indexed.gallery.items)
    return video_file(images, service.model.grid, lines, service.name, indexed.gallery.title, kind)

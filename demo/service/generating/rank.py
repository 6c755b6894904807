"""Ranking of drawn pictures among a gallery's scenes by a model of scenes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from PIL import Image

from demo.galleries.drawings import create_drawn_gallery
from demo.galleries.index import GalleryInMemory, IndexedGallery, index_gallery
from demo.service.generating.request import DrawingRequest
from demo.service.generating.service import GeneratingService, Recaption, choose_shown_steps, rank_among
from demo.service.retrieval import RetrievalService
from seps.progress import Progress, with_progress


@dataclass(frozen=True)
class RankResult:
    """Score and rank of a drawn picture for its caption.

    Attributes:
        similarity: S(I, T); rank: from 1, among the picture and the gallery's scenes; scenes: their number.
    """

    similarity: float
    rank: int
    scenes: int


def index_drawn(service: RetrievalService, pictures: Sequence[Image.Image], seeds: Sequence[int]) -> GalleryInMemory:
    """Encode drawn pictures, only in memory."""
    return index_gallery(service.model, create_drawn_gallery(pictures, seeds), None, False, service.encode_in_turn)


def rank_drawing(
    service: RetrievalService, scenes: IndexedGallery, drawn: IndexedGallery, index: int, caption: str
) -> RankResult:
    """Score a drawn picture for a validated caption, and rank it among a gallery's scenes."""
    ranking = service.get_cached_ranking(scenes, caption)
    similarity = service.explain_encoded(drawn, index, ranking.encoded).similarity
    return RankResult(similarity, rank_among(similarity, ranking.scores), len(scenes))


@dataclass(frozen=True)
class FinishedDrawing:
    """A picture of one seed with its evaluation.

    Attributes:
        asked: the request; frames: the picture during drawing, the last one finished.
        read: its captions and the confirmed statements; standing: its rank by SEPS.
    """

    asked: DrawingRequest
    frames: tuple[Image.Image, ...]
    read: Recaption
    standing: RankResult


def draw_and_read(
    generating: GeneratingService,
    service: RetrievalService,
    scenes: IndexedGallery,
    asked: DrawingRequest,
    progress: Progress = False,
) -> FinishedDrawing:
    """Draw a caption with one seed, caption the picture, and rank it among a gallery's scenes.

    Args:
        service, scenes: the model of scenes, and its gallery; asked: a validated caption, and one seed.
        progress: shows the intermediate pictures, as in `seps.progress`.
    """
    drawing = generating.draw(asked)
    frames = tuple(
        next(drawing).pictures[0] for _ in with_progress(choose_shown_steps(asked.steps), "Drawing", progress)
    )
    standing = rank_drawing(service, scenes, index_drawn(service, frames[-1:], asked.seeds), 0, asked.text)
    return FinishedDrawing(asked, frames, generating.recaption(frames[-1], asked.text), standing)

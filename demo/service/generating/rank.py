"""Drawn pictures as a model of scenes sees them: encoded like a gallery, and placed among the gallery's scenes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from PIL import Image

from demo.galleries.drawings import drawn_gallery
from demo.galleries.index import GalleryInMemory, IndexedGallery, index_gallery
from demo.service.generating.request import DrawingRequest
from demo.service.generating.service import GeneratingService, Recaption, rank_among, shown_steps
from demo.service.retrieval import RetrievalService
from seps.progress import Progress, with_progress


@dataclass(frozen=True)
class RankResult:
    """How well a drawn picture fits its caption.

    Attributes:
        similarity: S(I, T); rank: its place, from 1, among itself and the gallery's scenes; scenes: their number.
    """

    similarity: float
    rank: int
    scenes: int


def index_drawn(service: RetrievalService, pictures: Sequence[Image.Image], seeds: Sequence[int]) -> GalleryInMemory:
    """Encode drawn pictures, in memory alone."""
    return index_gallery(service.model, drawn_gallery(pictures, seeds), None, False, service.encode_in_turn)


def rank_drawing(
    service: RetrievalService, scenes: IndexedGallery, drawn: IndexedGallery, index: int, caption: str
) -> RankResult:
    """Score a drawn picture for a caption as read, and place it among a gallery's scenes."""
    ranking = service.remembered_ranking(scenes, caption)
    similarity = service.explain_encoded(drawn, index, ranking.encoded).similarity
    return RankResult(similarity, rank_among(similarity, ranking.scores), len(scenes))


@dataclass(frozen=True)
class FinishedDrawing:
    """A picture of one seed, and what became of its caption.

    Attributes:
        asked: what was drawn; frames: the picture as it came about, the last one as it is.
        read: its captions, and which statements they say too; standing: how SEPS ranks it.
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
    """Draw a caption with one seed, caption the picture, and place it among a gallery's scenes.

    Args:
        service, scenes: the model of scenes, and its gallery; asked: a caption as read, and one seed.
        progress: shows the pictures on their way, as `seps.progress` takes it.
    """
    drawing = generating.draw(asked)
    frames = tuple(next(drawing).pictures[0] for _ in with_progress(shown_steps(asked.steps), "Drawing", progress))
    standing = rank_drawing(service, scenes, index_drawn(service, frames[-1:], asked.seeds), 0, asked.text)
    return FinishedDrawing(asked, frames, generating.recaption(frames[-1], asked.text), standing)

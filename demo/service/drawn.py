"""Drawn pictures as a model of scenes sees them: encoded like a gallery, and placed among the gallery's scenes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from PIL import Image

from demo.galleries.drawn import drawn_gallery
from demo.galleries.index import IndexedGallery, index_gallery
from demo.service.generating import rank_among
from demo.service.retrieval import RetrievalService


@dataclass(frozen=True)
class Standing:
    """How well a drawn picture fits its caption.

    Attributes:
        similarity: S(I, T); rank: its place, from 1, among itself and the gallery's scenes; scenes: their number.
    """

    similarity: float
    rank: int
    scenes: int


def index_drawn(service: RetrievalService, pictures: Sequence[Image.Image], seeds: Sequence[int]) -> IndexedGallery:
    """Encode drawn pictures, in memory alone."""
    return index_gallery(service.model, drawn_gallery(pictures, seeds), None, False, service.encode_in_turn)


def find_standing(
    service: RetrievalService, scenes: IndexedGallery, drawn: IndexedGallery, index: int, caption: str
) -> Standing:
    """Score a drawn picture for a caption as read, and place it among a gallery's scenes."""
    similarity = service.explain(drawn, index, caption).similarity
    ranking = service.remembered_ranking(scenes, caption)
    return Standing(similarity, rank_among(similarity, ranking.scores), len(scenes))

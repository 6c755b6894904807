"""Validation of a caption to draw, and ranking of drawn pictures among a gallery's scenes by a model of scenes."""

from collections.abc import Sequence
from dataclasses import dataclass

from PIL import Image

from demo.galleries.indexes.index import GalleryInMemory, IndexedGallery, index_gallery
from demo.galleries.sources.folder import create_drawn_gallery
from demo.service.captions import Reading, cleaned, read_caption
from demo.service.generating.request import DrawingRequest
from demo.service.generating.service import GeneratingService, Recaption, choose_shown_steps, rank_among
from demo.service.retrieval import RetrievalService
from seps import SEPSModel
from seps.common.progress import Progress, with_progress
from seps.generator.unknown_words import UnknownWord, describe_nearest, describe_unknown_words, unknown_words


@dataclass(frozen=True)
class RankResult:
    """Score S(I, T) and rank of a drawn picture for its caption, among the picture and a gallery's scenes."""

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
    """A picture of one seed during drawing, with its captions and its rank."""

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
    """Draw a validated caption with one seed, caption the picture, and rank it among a gallery's scenes."""
    drawing = generating.draw(asked)
    frames = tuple(
        next(drawing).pictures[0] for _ in with_progress(choose_shown_steps(asked.steps), "Drawing", progress)
    )
    standing = rank_drawing(service, scenes, index_drawn(service, frames[-1:], asked.seeds), 0, asked.text)
    return FinishedDrawing(asked, frames, generating.recaption(frames[-1], asked.text), standing)


@dataclass(frozen=True)
class DrawnReading(Reading):
    """A caption as the generator reads it, with the words that it reads as [UNK]."""

    unknown: tuple[UnknownWord, ...]

    def record(self) -> dict[str, object]:
        """Return the note and the unknown words as plain values for endpoints and files."""
        words = [{"word": word, "nearest": list(nearest)} for word, nearest in self.unknown]
        return {"note": self.note, "unknown_words": words}


def read_drawn_caption(model: SEPSModel, text: str | None) -> DrawnReading:
    """Validate a caption to draw, and list the words that the generator does not know; errors as `read_caption`, with
    the nearest known words if none is known."""
    caption = cleaned(text)
    unknown = tuple(unknown_words(model.tokenizer, caption))
    try:
        reading = read_caption(model, caption)
    except ValueError as error:
        raise ValueError(f"{error} {describe_nearest(unknown)}".strip()) from error
    cut = reading.note if "reads the first" in reading.note else ""
    note = f"{describe_unknown_words(unknown)} {cut}".strip() if unknown else reading.note
    return DrawnReading(reading.text, note, unknown)

"""SEPS's score of written captions, and what it chooses among them."""

from __future__ import annotations

from collections.abc import Sequence

from PIL import Image

from seps.generator.generator import WrittenCaption
from seps.models.model import SEPSModel
from seps.search.engine import ScoringEngine

RANKER = "photos"  # the SEPS model whose score chooses
WEIGHT = 0.25  # of that score beside the mean log probability of a caption's tokens


def seps_scores(model: SEPSModel, photo: Image.Image, captions: Sequence[WrittenCaption]) -> list[float]:
    """S(I, T) of a photograph and each of its captions."""
    engine = ScoringEngine(model.cross_net)
    images = engine.encode_images(model.encode_photos([photo]))
    texts = engine.encode_captions(*model.encode_captions([caption.text for caption in captions]))
    return [float(score) for score in engine.score(images, texts)[0]]


def order(captions: Sequence[WrittenCaption], scores: Sequence[float], weight: float = WEIGHT) -> list[int]:
    """The order of a picture's captions, the best first, by their mean log probability and, weighed, SEPS's score."""
    totals = [caption.score + weight * score for caption, score in zip(captions, scores, strict=True)]
    return sorted(range(len(totals)), key=lambda i: -totals[i])

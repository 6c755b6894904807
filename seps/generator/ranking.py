"""Choice among generated captions, by probability, SEPS score and agreement with each other."""

from collections import Counter
from collections.abc import Sequence

from PIL import Image
from torch import Tensor

from seps.generator.caption_metrics import coco_words
from seps.generator.generator import WrittenCaption
from seps.models.model import SEPSModel
from seps.search.engine import ScoringEngine

RANKER = "photos"  # the SEPS model that scores the captions
BEAMS = 16  # beams when several captions are compared
WEIGHT = 0.5  # of that score, added to the mean log probability of a caption's tokens
AGREEMENT = 1.0  # weight of a caption's agreement with the others
LONGEST = 4  # words of a sequence that two captions have in common


def seps_scores(model: SEPSModel, photo: Image.Image, captions: Sequence[WrittenCaption]) -> list[float]:
    """S(I, T) of a photograph and each of its captions."""
    return scores_of_patches(model, model.encode_photos([photo])[0], captions)


def scores_of_patches(model: SEPSModel, patches: Tensor, captions: Sequence[WrittenCaption]) -> list[float]:
    """S(I, T) of a photograph's patch embeddings (N[+1], C) and each of its captions."""
    engine = ScoringEngine(model.cross_net)
    images = engine.encode_images(patches[None])
    texts = engine.encode_captions(*model.encode_captions([caption.text for caption in captions]))
    return [float(score) for score in engine.score(images, texts)[0]]


def agreements(texts: Sequence[str]) -> list[float]:
    """Return how far each caption agrees with the others, 0 to 1: the mean of `likeness`; 0 for a single caption."""
    counted = [sequences(text) for text in texts]
    likenesses = [
        [likeness(each, other) for j, other in enumerate(counted) if j != i] for i, each in enumerate(counted)
    ]
    return [sum(of_others) / max(len(of_others), 1) for of_others in likenesses]


def sequences(text: str) -> list[Counter[tuple[str, ...]]]:
    """Count a caption's sequences of 1, 2, ... words, as MS-COCO splits them."""
    words = coco_words(text).split()
    return [
        Counter(tuple(words[start : start + length]) for start in range(len(words) - length + 1))
        for length in range(1, LONGEST + 1)
    ]


def likeness(first: Sequence[Counter[tuple[str, ...]]], second: Sequence[Counter[tuple[str, ...]]]) -> float:
    """Return the share of sequences, 0 to 1, that two captions have in common (Dice), the mean over lengths."""
    common = [2 * (a & b).total() / max((a + b).total(), 1) for a, b in zip(first, second, strict=True)]
    return sum(common) / len(common)


def order(
    captions: Sequence[WrittenCaption], scores: Sequence[float], weight: float = WEIGHT, agreement: float = AGREEMENT
) -> list[int]:
    """Order a picture's captions, the best first, by log probability, weighted SEPS score and weighted agreement."""
    agreeing = agreements([caption.text for caption in captions])
    totals = [
        caption.score + weight * score + agreement * agrees
        for caption, score, agrees in zip(captions, scores, agreeing, strict=True)
    ]
    return sorted(range(len(totals)), key=lambda i: -totals[i])

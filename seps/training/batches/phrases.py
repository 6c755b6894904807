"""Phrases of the training captions, with the patches of the named objects."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from seps.data import PhraseBoxes, SentencePhrases
from seps.data.objects import Masks, SceneObjects, centres_inside
from seps.models.model import SEPSModel
from seps.training.batches.cache import cache_texts

PHRASES_PER_IMAGE = 3  # in a step


class PhraseBox:
    """A phrase of a caption: its tokens `first` to `last` (excluded), its lower-case `text` and its region."""

    def __init__(self, first: int, last: int, inside: NDArray[np.bool_], text: str) -> None:
        self.first, self.last, self.inside, self.text = first, last, torch.from_numpy(inside), text

    @property
    def partial(self) -> bool:
        """Whether its boxes exclude at least one patch; otherwise they carry no location."""
        return not bool(self.inside.all())

    def mirrored(self, grid: tuple[int, int]) -> PhraseBox:
        """Return the phrase in the mirror image, of (H, W) patches."""
        inside = self.inside.view(grid).flip(1).flatten()
        return PhraseBox(self.first, self.last, inside.numpy(), self.text)


@dataclass(frozen=True)
class PhraseRegions:
    """Phrases used as captions: rows (P,), words (P, L, D_t), lengths (P,), regions and others' regions (P, N)."""

    rows: Tensor
    words: Tensor
    lengths: Tensor
    positive: Tensor
    other: Tensor


def phrase_boxes(
    captions: Sequence[str],
    entities: Sequence[Sequence[SentencePhrases]],
    positions: Sequence[list[range] | None],
    grid: tuple[int, int],
    captions_per_image: int,
    max_words: int,
    scenes: Sequence[SceneObjects] | None = None,
) -> list[list[PhraseBox]]:
    """Return, for each caption, its phrases with at least one patch centre inside their region."""
    boxes: list[list[PhraseBox]] = [[] for _ in captions]
    for image, sentences in enumerate(entities):
        masks = None if scenes is None else Masks(scenes[image], grid)
        numbers = range(image * captions_per_image, (image + 1) * captions_per_image)
        for sentence in sentences:
            same = [number for number in numbers if captions[number].strip() == sentence.sentence.strip()]
            tokens = positions[same[0]] if same else None
            if tokens is None:
                continue
            for phrase in sentence.phrases:
                named = tokens[phrase.first_word : phrase.first_word + len(phrase.phrase.split())]
                first, last = named[0].start, named[-1].stop
                inside = patches_inside(sentence.sentence, phrase, grid, masks)  # (N,)
                if first < last < max_words and inside.any():
                    boxes[same[0]].append(PhraseBox(first, last, inside, phrase.phrase.lower()))
    return boxes


def patches_inside(sentence: str, phrase: PhraseBoxes, grid: tuple[int, int], masks: Masks | None) -> NDArray[np.bool_]:
    """Mark the patches with their centre in the phrase's mask or, without one, in its boxes: (N,)."""
    if masks is not None and (sentence, phrase.first_word, phrase.phrase) in masks.mentions:
        return masks.named(sentence, [phrase]).hits
    return centres_inside(phrase.boxes, grid).reshape(-1)


class PhraseCaptions:
    """The distinct phrases of each image as frozen text features, cached in `folder`; phrases: per caption."""

    def __init__(self, model: SEPSModel, phrases: Sequence[Sequence[PhraseBox]], per_image: int, folder: Path) -> None:
        self.grid = model.grid
        self.of_image: list[list[tuple[int, Tensor]]] = []  # of each image: text and region (N,) of its phrases
        numbers: dict[str, int] = {}
        for start in range(0, len(phrases), per_image):
            regions: dict[str, Tensor] = {}
            for caption in phrases[start : start + per_image]:
                for phrase in caption:
                    known = regions.get(phrase.text)
                    regions[phrase.text] = phrase.inside if known is None else known | phrase.inside
            numbered = [(numbers.setdefault(text, len(numbers)), region) for text, region in regions.items()]
            self.of_image.append(numbered)
        title = "Phrases of train"
        self.words, self.lengths = cache_texts(model, list(numbers), folder, title)  # (texts, L, D_t), (texts,)

    def of_images(self, images: Tensor, mirrored: Tensor, rng: torch.Generator) -> PhraseRegions | None:
        """Draw phrases of images (B,), those apart from another one first; mirrored: (B,) bool. None without any."""
        rows, texts, positive, other = [], [], [], []
        for row, image in enumerate(images.tolist()):
            phrases = self.of_image[image]
            apart = [mark_disjoint_phrases(phrases, i) for i in range(len(phrases))]  # each (N,)
            order = torch.randperm(len(phrases), generator=rng).tolist()
            order.sort(key=lambda i: not bool(apart[i].any()))
            for i in order[:PHRASES_PER_IMAGE]:
                number, region = phrases[i]
                both = torch.stack([region, apart[i]])  # (2, N)
                if mirrored[row]:
                    both = both.unflatten(1, self.grid).flip(2).flatten(1)
                rows.append(row)
                texts.append(number)
                positive.append(both[0])
                other.append(both[1])
        if not rows:
            return None
        lengths = self.lengths[texts]
        words = torch.from_numpy(self.words[texts, : int(lengths.max())].astype(np.float32))
        return PhraseRegions(torch.tensor(rows), words, lengths, torch.stack(positive), torch.stack(other))


def mark_disjoint_phrases(phrases: Sequence[tuple[int, Tensor]], index: int) -> Tensor:
    """Mark the patches of an image's phrases that share none with the phrase at `index`: (N,) bool."""
    region_here = phrases[index][1]
    apart = torch.zeros_like(region_here)
    for _, region in phrases:
        if not bool((region & region_here).any()):
            apart |= region
    return apart

"""Phrases of the training captions, with the patches of the named objects."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import torch
from numpy.typing import NDArray

from seps.data import PhraseBoxes, SentencePhrases
from seps.data.objects import Masks, SceneObjects
from seps.data.regions import centres_inside


class PhraseBox:
    """A phrase of a caption and its region.

    Attributes:
        first, last: its tokens in the caption, last excluded.
        inside: (N,) bool, patches with their centre in one of its boxes or in the mask of the named object.
        text: in lower case.
    """

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


def phrase_boxes(
    captions: Sequence[str],
    entities: Sequence[Sequence[SentencePhrases]],
    positions: Sequence[list[range] | None],
    grid: tuple[int, int],
    captions_per_image: int,
    max_words: int,
    scenes: Sequence[SceneObjects] | None = None,
) -> list[list[PhraseBox]]:
    """Return the phrases of each caption whose region contains a patch centre; none if no sentence matches the caption.

    Args:
        captions: V * k; entities: V lists of sentences, from `read_entities`.
        positions: tokens of each caption's words, from `word_tokens`; max_words: longest caption in tokens.
        scenes: V, with masks to use instead of boxes.
    """
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

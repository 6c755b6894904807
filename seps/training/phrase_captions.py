"""Phrases of the training captions as separate captions, with the regions of the named objects."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np
import torch
from torch import Tensor

from seps.models.model import SEPSModel
from seps.training.cache import cache_texts
from seps.training.decision import PhraseRegions
from seps.training.phrases import PhraseBox

PHRASES_PER_IMAGE = 3  # in a step


class PhraseCaptions:
    """The distinct phrases of each image as frozen text features, cached in `folder`.

    Args:
        phrases: per caption of the split, `per_image` captions per image.
    """

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
        """Draw `PHRASES_PER_IMAGE` phrases of each image, those apart from another one first; None without any.

        Args:
            images: (B,), numbers in the split; mirrored: (B,) bool, use the mirror image.
        """
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

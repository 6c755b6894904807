"""Baseline maps: plain cosine, the score's gradient, the image centre, chance."""

from collections.abc import Sequence

import numpy as np
import torch
from torch import Tensor

from seps.evaluation.grounding.measures import Floats, Integers
from seps.method.network import CrossSparseAggrNet, Match

BLOB = 0.25  # standard deviation of the centred blob, in widths and heights of the image
SEED = 0


def centre_blob(grid: tuple[int, int]) -> Floats:
    """Return a Gaussian blob around the centre of an (H, W) grid: (N,), in (0, 1]."""
    y, x = ((2 * np.arange(cells) + 1 - cells) / (2 * cells) for cells in grid)  # from the centre, -0.5 to 0.5
    return np.exp(-(y[:, None] ** 2 + x**2) / (2 * BLOB**2)).reshape(-1)


def random_order(num_patches: int, number: int) -> Integers:
    """Return all patches (N,) in a random order that depends only on the caption's number, from 0."""
    return np.random.default_rng((SEED, number)).permutation(num_patches)


class Gradients:
    """Gradient times input of one image's patches: |v . dF/dv|, summed over channels, of embedding v and score F."""

    def __init__(self, net: CrossSparseAggrNet, image: Tensor) -> None:
        self.net = net
        self.image = image.detach().clone().requires_grad_()
        detach, net.detach_selection = net.detach_selection, False
        try:
            with torch.enable_grad(), torch.autocast(image.device.type, enabled=False):
                self.side = net.encode_images(self.image[None])
        finally:
            net.detach_selection = detach

    @torch.enable_grad()
    def maps(self, words: Tensor, phrases: Sequence[slice]) -> tuple[list[Floats], Floats]:
        """Return the maps of a caption's P phrases, ranges of its words (L, C), each (N,), and of the caption, (N,)."""
        match = self.match(words)
        return [self.map_of_words(match, phrase) for phrase in phrases], self._map(match.similarity[0])

    @torch.enable_grad()
    def match(self, words: Tensor) -> Match:
        """Match the image with a caption's words (L, C), with gradients."""
        with torch.autocast(words.device.type, enabled=False):
            return self.net.match(self.side, words.detach())

    @torch.enable_grad()
    def map_of_words(self, match: Match, phrase: slice) -> Floats:
        """Return the map (N,) of a range of words of a match."""
        return self._map(match.alignments[0].cosines[0].amax(dim=0)[phrase].sum())

    def _map(self, score: Tensor) -> Floats:
        (gradient,) = torch.autograd.grad(score, self.image, retain_graph=True)  # (N[+1], C)
        weights = (gradient * self.image.detach()).double().sum(dim=-1).abs()  # (N[+1],)
        return weights[-self.net.num_patches :].cpu().numpy()

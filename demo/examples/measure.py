"""Quality of a caption as an example: its rank, and how well maps cover known regions (pixels of a drawn scene, or
hand-drawn boxes): a word map by its share inside minus a uniform map's, a mask by the kept share inside minus the
rest's; both in [-1, 1]."""

from dataclasses import dataclass
from functools import cached_property

import numpy as np
import torch
from numpy.typing import NDArray

from demo.galleries.annotation import labels, phrases_of
from demo.galleries.indexes.index import GalleryInMemory
from demo.galleries.sources.packaged import load_regions
from demo.record.scene import words_of
from demo.service.captions import read_caption
from demo.service.retrieval import RetrievalService
from seps.data.objects import energy_inside, mask_overlap, patch_overlap
from seps.encoders.tokenizer import word_tokens
from seps.explanation.caption_words import caption_words

MOST = 40  # number of captions with maps, by largest margin
KEPT, REST = 0.85, 0.35  # of the patches of the named regions, at least; of the others, at most
Floats = NDArray[np.float64]
Booleans = NDArray[np.bool_]
Region = tuple[tuple[int, ...], Floats]  # positions of word pieces, and their region: (N,), the share of each patch


@dataclass(frozen=True)
class Candidate:
    """A caption, its photograph and its `margin`: its S(I, T) minus the best of all others'."""

    caption: str
    index: int
    margin: float


@dataclass(frozen=True)
class Shown:
    """Rating of a candidate's word maps (the mean) and its mask, in [-1, 1] each. `is_clear`: the mask keeps `KEPT` of
    the named regions and at most `REST` of the rest, and each word's strongest patch touches its region."""

    candidate: Candidate
    words: float
    mask: float
    is_clear: bool

    @property
    def inside(self) -> float:
        """Sum of both."""
        return self.words + self.mask


class Measures:
    """Cached measurements of a gallery's captions, and the photographs that own them."""

    def __init__(self, service: RetrievalService, indexed: GalleryInMemory) -> None:
        self.service, self.indexed = service, indexed
        pairs: list[tuple[str, int]] = []  # all distinct captions, with their photographs
        for at, item in enumerate(indexed.gallery.items):
            more = load_regions()[item.key].captions if item.known is None and item.key in load_regions() else ()
            pairs += [(text, at) for text in dict.fromkeys((*item.captions, *more, *item.phrases))]
        self.captions, self.owners = [text for text, _ in pairs], np.array([at for _, at in pairs])

    @cached_property
    def scores(self) -> Floats:
        """S(I, T) of every photograph and caption, (V, T)."""
        with torch.no_grad():
            scores = self.service.engine.score(self.indexed.images, self.service.encode(self.captions))
        return np.asarray(scores.double().cpu())

    def rank_captions(self, index: int) -> list[tuple[str, bool]]:
        """Rank the captions of all items for a photograph, each with whether it was written for it."""
        items = self.indexed.gallery.items
        columns = [at for at, text in enumerate(self.captions) if text in items[self.owners[at]].captions]
        columns.sort(key=lambda at: -self.scores[index, at])
        return [(self.captions[at], bool(self.owners[at] == index)) for at in columns]

    @cached_property
    def candidates(self) -> list[Candidate]:
        """Captions without notes that rank their photograph first, by largest margin."""
        columns = np.arange(len(self.captions))
        matching = self.scores[self.owners, columns]
        others = self.scores.copy()
        others[self.owners, columns] = -np.inf
        margins = matching - others.max(axis=0)
        first = [
            Candidate(self.captions[at], int(self.owners[at]), float(margins[at]))
            for at in np.argsort(-margins, kind="stable")
            if margins[at] > 0
        ]
        return [candidate for candidate in first if self.is_plain(candidate.caption)]

    @cached_property
    def shown(self) -> list[Shown]:
        """The better half of the candidates, at most `MOST`, with their maps."""
        clear = self.candidates[: min(MOST, -(-len(self.candidates) // 2))]
        results = [self.show(candidate) for candidate in clear]
        return [shown for shown in results if shown is not None]

    def is_plain(self, caption: str) -> bool:
        """Return whether a caption has no note, for example on words that the model does not know."""
        return not read_caption(self.service.model, caption).note

    def show(self, candidate: Candidate) -> Shown | None:
        """Rate a candidate's maps; None if its words have no known region."""
        record = self.service.explain(self.indexed, candidate.index, candidate.caption)
        regions = self.regions(candidate.caption, candidate.index)
        if not regions:
            return None
        maps = record.sparse_alignment.word_maps
        mapped = [(maps[piece], region) for pieces, region in regions for piece in pieces if maps[piece].any()]
        if not mapped:
            return None
        words = float(np.mean([energy_inside(weights, region) - region.mean() for weights, region in mapped]))
        kept, named = record.sparse.kept, union(regions)
        is_clear = share_kept(kept, named) >= KEPT and share_kept(kept, 1 - named) <= REST
        is_clear &= all(region[weights.argmax()] > 0 for weights, region in mapped)
        return Shown(candidate, words, share_kept(kept, named) - share_kept(kept, 1 - named), is_clear)

    def regions(self, caption: str, index: int) -> list[Region]:
        """Return the known regions of a caption's words: by pixels of a drawn scene, or boxes in an example."""
        item, model = self.indexed.gallery.items[index], self.service.model
        if item.known is None:
            things = load_regions()[item.key].things if item.key in load_regions() else ()
            named = [
                (word.pieces, [box for thing in things if word.text.lower() in thing.words for box in thing.boxes])
                for word in caption_words(model.words(caption))
            ]
            return [(pieces, patch_overlap(boxes, model.grid).ravel()) for pieces, boxes in named if boxes]
        positions = word_tokens(model.tokenizer, caption)
        if positions is None:
            return []
        seen = labels(item.known.scene)
        masks = [(mention, np.isin(seen, mention.objects)) for mention in phrases_of(item.known, caption)]
        return [
            (tuple(words_of(mention, positions)), mask_overlap(mask, model.grid).ravel())
            for mention, mask in masks
            if mask.any()
        ]


def union(regions: list[Region]) -> Floats:
    """Return the union of regions, (N,)."""
    return np.asarray(np.max([region for _, region in regions], axis=0))


def share_kept(mask: Booleans, region: Floats) -> float:
    """Return the share of a region, (N,), that a mask keeps; 0 for an empty one."""
    return energy_inside(region, mask.astype(float)) if region.any() else 0.0

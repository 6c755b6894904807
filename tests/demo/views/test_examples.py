"""The first example is chosen by measure: where its words look, and what its mask keeps, against boxes drawn by hand.

The rule: of the captions below, those whose photograph ranks first; of these the one whose word maps lie most inside
what the words name, and its mask must lie most inside its subject too. Measured is the share of a word's weight inside
the boxes of its thing less their share of the picture, which is what an even map would have; the mean over the words
that name something visible counts. The kept patches are measured alike against the subject.
"""

from __future__ import annotations

import numpy as np
import pytest
from numpy.typing import NDArray

from demo.service.retrieval import RetrievalService
from demo.views.examples import EXAMPLES, FIRST_CAPTION

# Boxes in shares of the picture: left, top, right, bottom. A word's key is how it is written whole.
Boxes = tuple[tuple[float, float, float, float], ...]
HAT: Boxes = ((0.30, 0.03, 0.73, 0.28),)
GLASSES: Boxes = ((0.31, 0.27, 0.72, 0.40),)
EYES: Boxes = ((0.23, 0.27, 0.48, 0.52), (0.65, 0.35, 0.78, 0.61))
CAT: Boxes = ((0.0, 0.0, 0.88, 1.0),)
SUIT: Boxes = ((0.03, 0.29, 0.73, 1.0),)
FLOWERS: Boxes = ((0.26, 0.19, 0.70, 0.84), (0.45, 0.87, 0.69, 1.0))
MOTORCYCLE: Boxes = ((0.13, 0.20, 0.92, 0.90),)
ROCKET: Boxes = ((0.46, 0.17, 0.56, 0.95),)
TEMPLE: Boxes = ((0.10, 0.07, 0.57, 0.93),)
TREES: Boxes = ((0.0, 0.75, 0.28, 1.0), (0.52, 0.65, 1.0, 1.0), (0.88, 0.32, 1.0, 0.65), (0.0, 0.35, 0.1, 0.6))
CANDIDATES: dict[str, tuple[str, Boxes, dict[str, Boxes]]] = {  # caption: photograph, subject, words
    "a woman wearing glasses and an officer's hat": (
        "officer",
        ((0.05, 0.03, 1.0, 1.0),),
        {"woman": ((0.05, 0.03, 1.0, 1.0),), "glasses": GLASSES, "officer": ((0.05, 0.03, 1.0, 1.0),), "hat": HAT},
    ),
    "a tabby cat with green eyes": ("cat", CAT, {"tab": CAT, "##by": CAT, "cat": CAT, "green": EYES, "eyes": EYES}),
    "a woman in an orange spacesuit": (
        "astronaut",
        ((0.03, 0.03, 0.73, 1.0),),
        {"woman": ((0.03, 0.03, 0.73, 1.0),), "orange": SUIT, "spaces": SUIT, "##uit": SUIT},
    ),
    "an orange flower": ("dahlia", FLOWERS, {"orange": FLOWERS, "flower": FLOWERS}),
    "a motorcycle parked indoors": ("motorcycle", MOTORCYCLE, {"motorcycle": MOTORCYCLE}),
    "a rocket on its launch pad": ("rocket", ROCKET, {"rocket": ROCKET}),
    "a person in a space suit": (
        "astronaut",
        ((0.03, 0.03, 0.73, 1.0),),
        {"person": ((0.03, 0.03, 0.73, 1.0),), "space": SUIT, "suit": SUIT},
    ),
    "a temple above the trees": ("pagoda", TEMPLE, {"temple": TEMPLE, "trees": TREES}),
}


def inside(boxes: Boxes, grid: tuple[int, int]) -> NDArray[np.float64]:
    """The share of each patch that lies in boxes that do not overlap, (N,)."""
    rows, columns = grid
    across, down = np.arange(columns), np.arange(rows)
    found = np.zeros(grid)
    for left, top, right, bottom in boxes:
        wide = np.clip(np.minimum(right * columns, across + 1) - np.maximum(left * columns, across), 0, 1)
        tall = np.clip(np.minimum(bottom * rows, down + 1) - np.maximum(top * rows, down), 0, 1)
        found += np.outer(tall, wide)
    return np.minimum(found, 1).ravel()


def above_chance(weights: NDArray[np.float64], boxes: Boxes, grid: tuple[int, int]) -> float:
    """The share of `weights`, (N,), inside the boxes, less the boxes' share of the picture."""
    share = inside(boxes, grid)
    return float(weights @ share / weights.sum() - share.mean())


def measured(service: RetrievalService, caption: str) -> tuple[int, float, float]:
    """The photograph's rank, and what words and mask have above chance."""
    key, subject, things = CANDIDATES[caption]
    indexed = service.find("examples")
    index = indexed.gallery.position(key)
    rank = 1 + service.rank_images(indexed, caption).order.index(index)
    record = service.explain(indexed, index, caption)
    alignment, grid = record.sparse_alignment, service.model.grid
    maps = np.asarray(alignment.word_maps, dtype=float)
    words = [above_chance(maps[alignment.words.index(word)], boxes, grid) for word, boxes in things.items()]
    mask = above_chance(np.asarray(record.sparse.kept, dtype=float), subject, grid)
    return rank, float(np.mean(words)), mask


def test_the_first_example_is_the_most_telling_by_measure(service: RetrievalService) -> None:
    found = {caption: measured(service, caption) for caption in CANDIDATES}
    fit = {caption: telling for caption, (rank, *telling) in found.items() if rank == 1}
    assert set(EXAMPLES) <= set(CANDIDATES)
    assert EXAMPLES[0] == FIRST_CAPTION
    for measure in (0, 1):
        assert max(fit, key=lambda caption: fit[caption][measure]) == FIRST_CAPTION, found


def test_boxes_cover_their_share() -> None:
    assert inside(((0.0, 0.0, 0.5, 1.0),), (2, 4)).tolist() == [1, 1, 0, 0] * 2
    assert inside(((0.125, 0.0, 0.5, 0.25),), (2, 4)) == pytest.approx([0.25, 0.5, 0, 0, 0, 0, 0, 0])

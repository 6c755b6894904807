"""Regions of the objects that each phrase of an image names, from boxes or from the masks of scenes."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from seps.data import PhraseBoxes, SentencePhrases
from seps.data.entities import Box
from seps.data.problems import Problems, parse_objects, read_lines
from seps.scenes import decode_mask

Floats = NDArray[np.float64]
Booleans = NDArray[np.bool_]

RECORDS = "Scenes of other images"


def patch_overlap(boxes: Sequence[Box], grid: tuple[int, int]) -> NDArray[np.float64]:
    """Return the exact fraction of each patch's area that the union of the boxes covers: (H, W) in [0, 1]."""
    edges = np.asarray(boxes, dtype=np.float64).reshape(-1, 2, 2)  # (K, corner, axis), axis 0 is x
    (columns, across), (rows, down) = (axis_parts(edges[:, :, axis], grid[1 - axis]) for axis in (0, 1))
    inside = (down[:, :, None] & across[:, None, :]).any(axis=0)  # (y parts, x parts), in any box
    return np.clip(rows @ inside @ columns.T, 0.0, 1.0)


def axis_parts(edges: NDArray[np.float64], cells: int) -> tuple[NDArray[np.float64], NDArray[np.bool_]]:
    """Return the fraction of each axis cell per part, (cells, parts), and whether it is in each box, (K, parts)."""
    cuts = np.unique(np.concatenate([np.linspace(0, 1, cells + 1), edges.ravel()]))
    middles, widths = (cuts[1:] + cuts[:-1]) / 2, np.diff(cuts)  # (parts,)
    cell = np.floor(middles * cells).astype(int)  # (parts,)
    fractions = np.where(cell == np.arange(cells)[:, None], widths * cells, 0.0)
    return fractions, (edges[:, :1] < middles) & (middles < edges[:, 1:])


def centres_inside(boxes: Sequence[Box], grid: tuple[int, int]) -> NDArray[np.bool_]:
    """Return whether the centre of each patch is in a box or on its edge: (H, W)."""
    y, x = ((np.arange(cells) + 0.5) / cells for cells in grid)
    edges = np.asarray(boxes, dtype=np.float64).reshape(-1, 4)
    left, top, right, bottom = (edge[:, None, None] for edge in edges.T)  # each (K, 1, 1)
    down = (top <= y[:, None]) & (y[:, None] <= bottom)  # (K, H, 1)
    return np.asarray((down & (left <= x) & (x <= right)).any(axis=0))


def mask_overlap(mask: NDArray[np.bool_], grid: tuple[int, int]) -> NDArray[np.float64]:
    """Return the fraction of each patch's area that the mask covers, exactly, also of broken pixels: (H, W)."""
    rows, columns = (pixel_shares(cells, pixels) for cells, pixels in zip(grid, mask.shape, strict=True))
    return np.clip(rows @ mask @ columns.T, 0.0, 1.0)


def pixel_shares(cells: int, pixels: int) -> NDArray[np.float64]:
    """Return the fraction of each cell of an axis that each pixel makes up: (cells, pixels), rows summing to 1."""
    cell, pixel = np.arange(cells)[:, None] * pixels, np.arange(pixels) * cells  # starts, in 1 / (cells * pixels)
    return np.clip(np.minimum(cell + pixels, pixel + cells) - np.maximum(cell, pixel), 0, None) / pixels


def mask_centres(mask: NDArray[np.bool_], grid: tuple[int, int]) -> NDArray[np.bool_]:
    """Return whether the centre of each patch is in a pixel of the mask or on its edge: (H, W)."""
    (up, down), (left, right) = (central_pixels(cells, pixels) for cells, pixels in zip(grid, mask.shape, strict=True))
    touching = np.stack([mask[np.ix_(rows, columns)] for rows in (up, down) for columns in (left, right)])  # (4, H, W)
    return np.asarray(touching.any(axis=0))


def central_pixels(cells: int, pixels: int) -> tuple[NDArray[np.int_], NDArray[np.int_]]:
    """Return the pixels before and after each cell's centre on one axis, two (cells,); equal inside a pixel."""
    centres = (2 * np.arange(cells) + 1) * pixels  # in 1 / (2 * cells) of a pixel
    return (centres - 1) // (2 * cells), centres // (2 * cells)


def central_patches(grid: tuple[int, int]) -> NDArray[np.bool_]:
    """Return the patch in the middle of the grid; of a side of even length, both middle rows or columns: (H, W)."""
    row, column = (abs(2 * np.arange(cells) - cells + 1) <= 1 for cells in grid)
    return row[:, None] & column


def energy_inside(weights: NDArray[np.floating], overlap: NDArray[np.float64]) -> float:
    """Return the fraction in [0, 1] of a map's weights (N,) inside a region (N,) (energy-based pointing game)."""
    weights = weights.astype(np.float64)
    return float(weights @ overlap / weights.sum())


@dataclass(frozen=True)
class Region:
    """A part of an image: overlap (N,), the fraction of each patch in it, and hits (N,), whether its centre is."""

    overlap: Floats
    hits: Booleans


@dataclass(frozen=True)
class CaptionTruth:
    """The phrases of a caption that have a region, and areas (3, N) on mentioned objects, other objects and neither."""

    sentence: str
    phrases: tuple[PhraseBoxes, ...]
    regions: tuple[Region, ...]
    areas: Floats


class Boxes:
    """Objects as boxes: those that the phrases of any of the image's sentences name, scenes left out."""

    def __init__(self, sentences: Sequence[SentencePhrases], grid: tuple[int, int]) -> None:
        self.grid = grid
        self.phrases = [phrase for sentence in sentences for phrase in counted(sentence)]

    def named(self, sentence: str, phrases: Sequence[PhraseBoxes]) -> Region:
        """Return all that these phrases of a sentence name, together."""
        boxes = [box for phrase in phrases for box in phrase.boxes]
        return Region(patch_overlap(boxes, self.grid).reshape(-1), centres_inside(boxes, self.grid).reshape(-1))

    def apart(self, sentence: str, first: PhraseBoxes, second: PhraseBoxes) -> bool:
        """Return whether what two phrases of a sentence name shares no area."""
        mine, theirs = np.array(first.boxes)[:, None], np.array(second.boxes)  # (K, 1, 4), (M, 4)
        corners = np.maximum(mine, theirs)[..., :2], np.minimum(mine, theirs)[..., 2:]  # each (K, M, 2)
        return not bool((corners[0] < corners[1]).all(axis=-1).any())

    def all(self) -> Floats:
        """Return the fraction of each patch on any object: (N,)."""
        return self.named("", self.phrases).overlap


@dataclass(frozen=True)
class SceneObjects:
    """The objects of a scene: run lengths of their masks, and object numbers by (sentence, first word, phrase)."""

    masks: tuple[dict[str, list[int]], ...]
    mentions: Mapping[tuple[str, int, str], tuple[int, ...]]


class Masks:
    """Objects as pixel masks, all that a scene has, mentioned anywhere or not; methods as `Boxes`."""

    def __init__(self, scene: SceneObjects, grid: tuple[int, int]) -> None:
        self.grid, self.mentions = grid, scene.mentions
        self.masks = np.stack([decode_mask(code) for code in scene.masks])  # (K, height, width)

    def named(self, sentence: str, phrases: Sequence[PhraseBoxes]) -> Region:
        """As `Boxes`."""
        mask = self.mask(sentence, phrases)
        return Region(mask_overlap(mask, self.grid).reshape(-1), mask_centres(mask, self.grid).reshape(-1))

    def mask(self, sentence: str, phrases: Sequence[PhraseBoxes]) -> Booleans:
        """Return the pixels of all that these phrases name: (height, width)."""
        numbers = [i for phrase in phrases for i in self.mentions[sentence, phrase.first_word, phrase.phrase]]
        return np.asarray(self.masks[numbers].any(axis=0))

    def apart(self, sentence: str, first: PhraseBoxes, second: PhraseBoxes) -> bool:
        """As `Boxes`."""
        return not bool((self.mask(sentence, [first]) & self.mask(sentence, [second])).any())

    def all(self) -> Floats:
        """As `Boxes`."""
        return mask_overlap(np.any(self.masks, axis=0), self.grid).reshape(-1)


def image_truth(
    sentences: Sequence[SentencePhrases], grid: tuple[int, int], scene: SceneObjects | None = None
) -> list[CaptionTruth]:
    """Return the ground truth of an image's captions with phrases; masks of the scene replace boxes."""
    objects = Boxes(sentences, grid) if scene is None else Masks(scene, grid)
    anything = objects.all()  # (N,)
    truths = []
    for sentence in sentences:
        phrases = counted(sentence)
        if phrases:
            mentioned = objects.named(sentence.sentence, phrases).overlap  # (N,)
            areas = np.stack([mentioned, np.clip(anything - mentioned, 0, None), 1 - anything])
            regions = tuple(objects.named(sentence.sentence, [phrase]) for phrase in phrases)
            truths.append(CaptionTruth(sentence.sentence, tuple(phrases), regions, areas))
    return truths


def counted(sentence: SentencePhrases) -> list[PhraseBoxes]:
    """Return a sentence's phrases that name objects: all but scenes."""
    return [phrase for phrase in sentence.phrases if "scene" not in phrase.kind.split("/")]


def read_scenes(folder: Path, split: str, entities: Sequence[Sequence[SentencePhrases]]) -> list[SceneObjects] | None:
    """Read the masks of a split's V scenes, checked against `read_entities`; None without `{split}_scenes.jsonl`."""
    path = folder / f"{split}_scenes.jsonl"
    if not path.exists():
        return None
    problems = Problems(f"Scenes of split {split} of {folder}")
    lines = read_lines(path, problems) or []
    if len(lines) != len(entities):
        problems.add(RECORDS, f"{path.name} has {len(lines)} scenes, but {split}_entities.jsonl has {len(entities)}")
    scenes = []
    for number, record in parse_objects(lines[: len(entities)], RECORDS, problems):
        try:
            scenes.append(_parse_scene(record, entities[number - 1]))
        except (ValueError, KeyError, TypeError) as error:
            reason = f"{error} is missing" if isinstance(error, KeyError) else error
            problems.add(RECORDS, f"line {number}: {reason}")
    problems.raise_any()
    return scenes


def _parse_scene(record: dict[str, Any], sentences: Sequence[SentencePhrases]) -> SceneObjects:
    """Read one scene that mentions every counted phrase; ValueError, KeyError or TypeError if invalid."""
    masks = tuple(thing["mask"] for thing in record["objects"])
    if len({decode_mask(code).shape for code in masks}) != 1:
        raise ValueError("its masks are of several sizes, or there are 0, but at least 1 of one size is needed")
    mentions = {
        (caption["text"], mention["first_word"], mention["phrase"]): tuple(mention["objects"])
        for caption in record["captions"]
        for mention in caption["mentions"]
    }
    for sentence in sentences:
        for phrase in counted(sentence):
            objects = mentions.get((sentence.sentence, phrase.first_word, phrase.phrase), ())
            if not objects or not all(i in range(len(masks)) for i in objects):
                raise ValueError(f"phrase {phrase.phrase!r} of {sentence.sentence!r} names objects {list(objects)}")
    return SceneObjects(masks, mentions)

"""Regions of the objects that each phrase of an image names, from boxes or from the masks of scenes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from seps.data import PhraseBoxes, SentencePhrases
from seps.data.problems import Problems, parse_object, read_lines
from seps.data.regions import centres_inside, mask_centres, mask_overlap, patch_overlap
from seps.scenes import decode_mask

Floats = NDArray[np.float64]
Booleans = NDArray[np.bool_]

RECORDS = "Scenes of other images"


@dataclass(frozen=True)
class Region:
    """A part of an image: overlap (N,), the fraction of each patch in it, and hits (N,), whether its centre is."""

    overlap: Floats
    hits: Booleans


@dataclass(frozen=True)
class CaptionTruth:
    """The phrases of a caption that have a region and are no scenes, at least one.

    Attributes:
        phrases: P; regions: (P), their regions.
        areas: (3, N), the fraction of each patch on objects that the caption mentions, on other objects, and on
            neither; columns sum to 1.
    """

    sentence: str
    phrases: tuple[PhraseBoxes, ...]
    regions: tuple[Region, ...]
    areas: Floats


class Objects(Protocol):
    """The objects of an image on the grid of patches."""

    def named(self, sentence: str, phrases: Sequence[PhraseBoxes]) -> Region:
        """Return all that these phrases of a sentence name, together."""

    def apart(self, sentence: str, first: PhraseBoxes, second: PhraseBoxes) -> bool:
        """Return whether what two phrases of a sentence name shares no area."""

    def all(self) -> Floats:
        """Return the fraction of each patch on any object: (N,)."""


class Boxes:
    """Objects as boxes: those that the phrases of any of the image's sentences name, scenes left out."""

    def __init__(self, sentences: Sequence[SentencePhrases], grid: tuple[int, int]) -> None:
        self.grid = grid
        self.phrases = [phrase for sentence in sentences for phrase in counted(sentence)]

    def named(self, sentence: str, phrases: Sequence[PhraseBoxes]) -> Region:
        """As `Objects`."""
        boxes = [box for phrase in phrases for box in phrase.boxes]
        return Region(patch_overlap(boxes, self.grid).reshape(-1), centres_inside(boxes, self.grid).reshape(-1))

    def apart(self, sentence: str, first: PhraseBoxes, second: PhraseBoxes) -> bool:
        """As `Objects`."""
        mine, theirs = np.array(first.boxes)[:, None], np.array(second.boxes)  # (K, 1, 4), (M, 4)
        corners = np.maximum(mine, theirs)[..., :2], np.minimum(mine, theirs)[..., 2:]  # each (K, M, 2)
        return not bool((corners[0] < corners[1]).all(axis=-1).any())

    def all(self) -> Floats:
        """As `Objects`."""
        return self.named("", self.phrases).overlap


@dataclass(frozen=True)
class SceneObjects:
    """The objects of a scene, from `{split}_scenes.jsonl`.

    Attributes:
        masks: run lengths per object, see `seps.scenes.encode_mask`.
        mentions: (sentence, index of the first word, phrase) to the numbers of the objects that the phrase names.
    """

    masks: tuple[dict[str, list[int]], ...]
    mentions: Mapping[tuple[str, int, str], tuple[int, ...]]


class Masks:
    """Objects as pixel masks: all that a scene has, mentioned anywhere or not."""

    def __init__(self, scene: SceneObjects, grid: tuple[int, int]) -> None:
        self.grid, self.mentions = grid, scene.mentions
        self.masks = np.stack([decode_mask(code) for code in scene.masks])  # (K, height, width)

    def named(self, sentence: str, phrases: Sequence[PhraseBoxes]) -> Region:
        """As `Objects`."""
        mask = self.mask(sentence, phrases)
        return Region(mask_overlap(mask, self.grid).reshape(-1), mask_centres(mask, self.grid).reshape(-1))

    def mask(self, sentence: str, phrases: Sequence[PhraseBoxes]) -> Booleans:
        """Return the pixels of all that these phrases name: (height, width)."""
        numbers = [i for phrase in phrases for i in self.mentions[sentence, phrase.first_word, phrase.phrase]]
        return np.asarray(self.masks[numbers].any(axis=0))

    def apart(self, sentence: str, first: PhraseBoxes, second: PhraseBoxes) -> bool:
        """As `Objects`."""
        return not bool((self.mask(sentence, [first]) & self.mask(sentence, [second])).any())

    def all(self) -> Floats:
        """As `Objects`."""
        mask: Booleans = np.any(self.masks, axis=0)
        return mask_overlap(mask, self.grid).reshape(-1)


def image_truth(
    sentences: Sequence[SentencePhrases], grid: tuple[int, int], scene: SceneObjects | None = None
) -> list[CaptionTruth]:
    """Return the ground truth of an image's captions with phrases; masks of the scene replace boxes."""
    objects: Objects = Boxes(sentences, grid) if scene is None else Masks(scene, grid)
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
    """Read and check the masks of a split's V scenes; None without `{split}_scenes.jsonl`.

    Args:
        entities: from `read_entities`.

    Raises:
        DataError: lists scenes that do not match the images, unreadable masks, and phrases without a mention.
    """
    path = folder / f"{split}_scenes.jsonl"
    if not path.exists():
        return None
    problems = Problems(f"Scenes of split {split} of {folder}")
    lines = read_lines(path, problems) or []
    if len(lines) != len(entities):
        problems.add(RECORDS, f"{path.name} has {len(lines)} scenes, but {split}_entities.jsonl has {len(entities)}")
    scenes = []
    for number, (line, sentences) in enumerate(zip(lines, entities, strict=False), start=1):
        try:
            record = parse_object(line, f"line {number}")
        except ValueError as error:
            problems.add(RECORDS, str(error))
            continue
        try:
            scenes.append(_parse_scene(record, sentences))
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

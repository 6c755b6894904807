"""Does the picture point at what a phrase names?

    python -m seps.grounding --model photos --data DIR --split dev --json results.json

For each phrase of `{split}_entities.jsonl` that has boxes and is no scene, the sentence is explained on its photograph,
captions alone, and the word maps of the phrase's tokens are averaged. Two measures, each in [0, 1]:

    weight inside   the share of the map's weight that lies inside the boxes, patches counted by overlap
    pointing game   whether the centre of the heaviest patch lies inside a box; ties count as misses

beside three maps that know less: `cosine`, the model's own patches and words without selection and merging;
`centre`, the central patch, the mean over the 2 or 4 central ones where a side is even; `random`, any patch, expected.
"""

from __future__ import annotations

import argparse
from collections import Counter
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
import torch.nn.functional as F
from numpy.typing import NDArray
from torch import Tensor

from seps.confidence import Estimate, estimate
from seps.data import PhraseBoxes, SentencePhrases, Split, open_image, read_entities
from seps.encoders.tokenizer import word_tokens
from seps.engine import Progress
from seps.explanation import explain
from seps.model import PHOTOS_AT_ONCE, SEPSModel, batches
from seps.programs import add_arguments, errors_in_one_line, prepare, write_result
from seps.regions import central_patches, centres_inside, patch_overlap
from seps.tokens import split_cls

METHODS = ("seps", "cosine", "centre", "random")
TIE = 1e-6  # weights this close to the heaviest, in shares of it, are as heavy

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Pointing:
    """How well one kind of map points: both measures, in [0, 1]."""

    weight_inside: Estimate
    pointing_game: Estimate


@dataclass(frozen=True)
class Grounding:
    """Where a model's word maps point, on a split.

    Attributes:
        model, split: their names.
        images: how many have a phrase that counts; phrases: how many count.
        cut_off: of these, phrases that the limit of tokens cut, at least in part: misses without any weight inside.
        without_map: of these, phrases whose map is zero, as every word met [CLS] best: likewise.
        skipped: phrases beside these whose tokens could not be found in their sentence.
        methods: "seps", "cosine", "centre" and "random".
        kinds: for each kind of phrase ("people", "clothing", ...; the first where it has several) how many there are,
            and the mean of both measures for SEPS.
    """

    model: str
    split: str
    images: int
    phrases: int
    cut_off: int
    without_map: int
    skipped: int
    methods: dict[str, Pointing]
    kinds: dict[str, dict[str, float]]

    def as_dict(self) -> dict[str, Any]:
        """Plain values for JSON."""
        return asdict(self)

    def table(self) -> str:
        """What the program prints."""
        lines = [
            f"{self.model or 'model'} on {self.split}: {self.phrases:,} phrases of {self.images:,} images, no scenes; "
            f"{self.cut_off} cut off, {self.without_map} without a map, {self.skipped} more skipped",
            f"{'':10}{'weight inside':>24}{'pointing game':>24}   [95% interval]",
        ]
        for name, pointing in self.methods.items():
            lines.append(f"{name:10}{pointing.weight_inside!s:>24}{pointing.pointing_game!s:>24}")
        for kind, told in self.kinds.items():
            lines.append(
                f"  {kind:12} {told['phrases']:6,.0f} phrases, weight inside {told['weight_inside']:.3f}, "
                f"pointing {told['pointing_game']:.3f}"
            )
        return "\n".join(lines)


@dataclass(frozen=True)
class PhraseMaps:
    """A phrase's maps over patches, each (N,) and not below 0, by method; none where the phrase was cut off."""

    phrase: PhraseBoxes
    maps: dict[str, Floats]


def ground(
    model: SEPSModel,
    split: Split,
    entities: Sequence[Sequence[SentencePhrases]],
    progress: Progress = False,
    name: str = "",
) -> Grounding:
    """Measure a model on the phrases of a split.

    Args:
        model: in whatever mode; explanations are those of evaluation mode.
        split: V images; entities: V lists of sentences, see `read_entities`.
        progress: as in `ScoringEngine`.
        name: the model's, for the record.

    Raises:
        ValueError: no phrase that counts, entities of another number of images, a photograph that cannot be read.
    """
    if len(entities) != len(split.image_files):
        raise ValueError(f"entities has {len(entities)} images, but split {split.name} has {len(split.image_files)}.")
    rows: list[Floats] = []  # each (methods, 2)
    owners: list[int] = []
    kinds: list[str] = []
    cut_off = without_map = skipped = 0
    for part in batches(len(entities), PHOTOS_AT_ONCE, progress, "Explaining"):
        photos = model.encode_photos([open_image(file) for file in split.image_files[part]])  # (B, N[+1], C)
        for owner, image in enumerate(photos, start=part.start):
            found, lost = phrase_maps(model, image, entities[owner])
            skipped += lost
            for one in found:
                cut_off += not one.maps
                without_map += bool(one.maps) and not one.maps["seps"].any()
                rows.append(measure(one, model.grid))
                owners.append(owner)
                kinds.append(one.phrase.kind.split("/")[0])
    if not rows:
        raise ValueError(f"split {split.name} has 0 phrases with boxes that are no scenes, but at least 1 is needed.")
    values, images = np.stack(rows), np.array(owners)  # (phrases, methods, 2), (phrases,)
    methods = {
        method: Pointing(*(estimate(values[:, i, j], images) for j in range(2))) for i, method in enumerate(METHODS)
    }
    by_kind = kind_means(values[:, METHODS.index("seps")], kinds)
    return Grounding(name, split.name, len(set(owners)), len(rows), cut_off, without_map, skipped, methods, by_kind)


def kind_means(measures: Floats, kinds: Sequence[str]) -> dict[str, dict[str, float]]:
    """Count and means of both measures (phrases, 2) for each kind, the most frequent first."""
    told = {}
    for kind, count in Counter(kinds).most_common():
        weight, pointing = measures[np.array(kinds) == kind].mean(axis=0)
        told[kind] = {"phrases": float(count), "weight_inside": float(weight), "pointing_game": float(pointing)}
    return told


def phrase_maps(model: SEPSModel, image: Tensor, sentences: Sequence[SentencePhrases]) -> tuple[list[PhraseMaps], int]:
    """The maps of one image's phrases, scenes left out, and how many phrases could not be found in their sentence.

    Args:
        image: (N[+1], C).
        sentences: the image's.
    """
    found: list[PhraseMaps] = []
    skipped = 0
    kept = [(one.sentence, [p for p in one.phrases if "scene" not in p.kind.split("/")]) for one in sentences]
    kept = [(sentence, phrases) for sentence, phrases in kept if phrases]
    if not kept:
        return found, skipped
    captions, lengths = model.encode_captions([sentence for sentence, _ in kept])  # (B, L, C)
    for (sentence, phrases), padded, length in zip(kept, captions, lengths.tolist(), strict=True):
        positions = word_tokens(model.tokenizer, sentence)
        if positions is None:
            skipped += len(phrases)
            continue
        words = padded[:length]  # (L, C)
        maps = {
            "seps": explain(model.cross_net, image, words, grid=model.grid).sparse_alignment.word_maps.astype(float),
            "cosine": cosines(image, words, model.cross_net.num_patches),
        }  # each (L, N)
        for phrase in phrases:
            last = positions[phrase.first_word + len(phrase.phrase.split()) - 1]
            tokens = slice(positions[phrase.first_word].start, last.stop)
            found.append(PhraseMaps(phrase, {} if tokens.stop >= length else merge(maps, tokens)))
    return found, skipped


def cosines(image: Tensor, words: Tensor, num_patches: int) -> Floats:
    """Cosines of words and patches, (L, N): what the model's embeddings alone tell."""
    _, patches = split_cls(image[None], num_patches)  # (1, N, C)
    cosine = F.normalize(words, dim=-1) @ F.normalize(patches[0], dim=-1).T  # (L, N)
    return cosine.double().cpu().numpy()


def merge(maps: dict[str, Floats], tokens: slice) -> dict[str, Floats]:
    """A phrase's maps (N,): the mean of its tokens'. Cosines are counted from their lowest, since weights are not
    below 0. A phrase without tokens has zero maps."""
    merged = {name: values[tokens].sum(axis=0) / max(1, tokens.stop - tokens.start) for name, values in maps.items()}
    merged["cosine"] -= merged["cosine"].min()
    return merged


def measure(one: PhraseMaps, grid: tuple[int, int]) -> Floats:
    """Weight inside and pointing game of each method: (methods, 2)."""
    overlap = patch_overlap(one.phrase.boxes, grid).reshape(-1)  # (N,)
    hits = centres_inside(one.phrase.boxes, grid).reshape(-1)  # (N,)
    central = central_patches(grid).reshape(-1)  # (N,)
    return np.array(
        [
            measure_map(one.maps.get("seps"), overlap, hits),
            measure_map(one.maps.get("cosine"), overlap, hits),
            (overlap[central].mean(), hits[central].mean()),
            (overlap.mean(), hits.mean()),
        ]
    )


def measure_map(weights: Floats | None, overlap: Floats, hits: NDArray[np.bool_]) -> tuple[float, float]:
    """Weight inside, and 1.0 or 0.0 for the pointing game; both 0.0 without weights.

    Args:
        weights: (N,), not below 0.
        overlap: (N,), the share of each patch inside the boxes; hits: (N,), whether its centre is.
    """
    if weights is None or not weights.any():
        return 0.0, 0.0
    heaviest = np.flatnonzero(weights >= weights.max() * (1 - TIE))
    hit = len(heaviest) == 1 and bool(hits[heaviest[0]])
    return float(weights @ overlap / weights.sum()), float(hit)


def main(arguments: Sequence[str] | None = None) -> None:
    """The program."""
    parser = argparse.ArgumentParser(prog="python -m seps.grounding", description="Do word maps point at the objects?")
    add_arguments(parser)
    options = parser.parse_args(arguments)
    with errors_in_one_line():
        model, split = prepare(options)
        entities = read_entities(options.data, options.split)[: len(split.image_files)]
        grounding = ground(model, split, entities, progress=True, name=options.model)
        print(grounding.table())
        if options.json is not None:
            write_result(options.json, "grounding", grounding.as_dict())


if __name__ == "__main__":
    main()

"""Sensitivity of maps to the caption, measured on two phrases of one image that name different things.

A pair is two phrases of one caption, neither of them a scene, with disjoint regions (boxes or masks). Each phrase is
explained separately. The figures are those of texts.json.
"""

from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np
import torch
from torch import Tensor

from seps.common.progress import Progress, batches
from seps.data import SentencePhrases, Split, open_image
from seps.data.objects import Boxes, Masks, SceneObjects, counted
from seps.evaluation.grounding.baselines import SEED, Gradients, centre_blob
from seps.evaluation.grounding.maps import check_images, mean_map, subtract_minimum
from seps.evaluation.grounding.measures import Booleans, Floats, Integers, first, order_of
from seps.evaluation.grounding.report import CONTRAST, Contrast, Figures
from seps.explanation.forward_pass import cosines, token_maps, token_weights
from seps.explanation.spread import caption_spread
from seps.method.network import CrossSparseAggrNet, ImageFeatures
from seps.method.selection import caption_direction, text_attention
from seps.models.model import SEPSModel, photo_batch_size
from seps.runs.bootstrap import bootstrap, estimate, ratio

WEIGHTS = ("word_map", "cosine", "gradient", "centre", "random")  # maps that are not below 0


class NoPairsError(ValueError):
    """A split without phrases that name different things."""


@dataclass(frozen=True)
class PhrasePair:
    """Two phrases of one image and their regions (2, N): the share of each patch inside."""

    phrases: tuple[str, str]
    overlaps: Floats


def image_pairs(
    sentences: Sequence[SentencePhrases], grid: tuple[int, int], scene: SceneObjects | None = None
) -> list[PhrasePair]:
    """Return the pairs of phrases of one image with disjoint regions: boxes, or the masks of its scene."""
    objects = Boxes(sentences, grid) if scene is None else Masks(scene, grid)
    pairs: dict[frozenset[str], PhrasePair] = {}
    for sentence in sentences:
        for both in combinations(counted(sentence), 2):
            texts = both[0].phrase, both[1].phrase
            key = frozenset(text.lower() for text in texts)
            if len(key) == 2 and key not in pairs and objects.apart(sentence.sentence, *both):
                overlaps = np.stack([objects.named(sentence.sentence, [phrase]).overlap for phrase in both])  # (2, N)
                if overlaps.any(axis=1).all():
                    pairs[key] = PhrasePair(texts, overlaps)
    return list(pairs.values())


def ranks_above(values: Floats, first: Floats, other: Floats) -> float:
    """Return 1.0 if a map's mean (N,) is higher in the first region (N,), 0.0 if lower, 0.5 if equal."""
    difference = values @ first / first.sum() - values @ other / other.sum()
    return float((np.sign(difference) + 1) / 2)


def patch_auc(values: Floats, first: Floats, other: Floats) -> float:
    """Return the probability that a patch of the first region has a higher value than one of the other."""
    mine, theirs = values[first > 0][:, None], values[other > 0]
    higher = (mine > theirs) + 0.5 * (mine == theirs)  # (patches of own, patches of other)
    return float(first[first > 0] @ higher @ other[other > 0] / (first.sum() * other.sum()))


def measure_pair(values: Floats, kept: Booleans, overlaps: Floats, are_weights: bool) -> Floats:
    """Return the figures of `CONTRAST` for one pair under one map, arrays (2, N), as means of both directions: (8,)."""
    fractions = (kept @ overlaps.T) / overlaps.sum(axis=1)  # (2, 2): of each region, what each decision keeps
    inside = np.full((2, 2), np.nan)  # of each map's weight, what is in each region; 0 without weight
    if are_weights:
        inside = np.nan_to_num(ratio(values @ overlaps.T, np.repeat(values.sum(axis=1, keepdims=True), 2, axis=1)))
    same, other = np.trace(fractions) / 2, np.trace(fractions[::-1]) / 2
    iou = kept.all(axis=0).sum() / kept.any(axis=0).sum()
    directions = ((values[0], *overlaps), (values[1], *overlaps[::-1]))
    above, auc = (np.mean([measure(*args) for args in directions]) for measure in (ranks_above, patch_auc))
    return np.array([same, other, same - other, iou, above, auc, np.trace(inside) / 2, np.trace(inside[::-1]) / 2])


def phrase_scores(net: CrossSparseAggrNet, image: ImageFeatures, words: Sequence[Tensor]) -> dict[str, Floats]:
    """Return the score of one image's patches under P captions (L, C), and its parts: (P, N) each."""
    directions = torch.stack([caption_direction(caption) for caption in words], dim=1)  # (C, P)
    s_st = text_attention(image.unit[0], directions).T  # (P, N)
    s_p = None if image.s_p[0] is None else image.s_p[0].expand_as(s_st)
    parts, score = net.sparse_net_cap.combine(s_p, {"s_st": s_st, "s_im": image.s_im.expand_as(s_st)})
    return {name: value.cpu().double().numpy() for name, value in {"score": score, **parts}.items()}


def rival_maps(
    net: CrossSparseAggrNet, image: Tensor, words: Sequence[Tensor], grid: tuple[int, int], numbers: Sequence[int]
) -> dict[str, Floats]:
    """Return the word maps of one image's P captions (L, C) and the baseline maps: (P, N) each."""
    gradients, patches, blob = Gradients(net, image), image[-net.num_patches :], centre_blob(grid)
    rows = []
    for caption, number in zip(words, numbers, strict=True):
        words_here = slice(1, len(caption) - 1)
        match = gradients.match(caption)
        best = match.alignments[0].matrix[0].argmax(dim=0)  # (L,)
        word_maps = token_maps(token_weights(match, 0, gradients.side.cls is not None))[best]  # (L, N)
        per_word = (values.detach().double().cpu().numpy() for values in (word_maps, cosines(caption, patches)))
        maps, plain = (mean_map(values, words_here) for values in per_word)
        random = np.random.default_rng((SEED, number)).random(net.num_patches)
        rows.append((maps, subtract_minimum(plain), gradients.map_of_words(match, words_here), blob, random))
    return dict(zip(WEIGHTS, map(np.stack, zip(*rows, strict=True)), strict=True))


def highest(values: Floats, count: int, scores: Floats | None = None) -> Booleans:
    """Mark the `count` highest values of each row (P, N); ties by score (P, N) if given, then by position."""
    ties = [None] * len(values) if scores is None else scores
    return np.stack([first(order_of(*row), count) for row in zip(values, ties, strict=True)])


def encoded_images(
    model: SEPSModel, split: Split, numbers: Sequence[int], progress: Progress
) -> Iterator[tuple[int, Tensor]]:
    """Yield the images of these numbers with their embeddings (N[+1], C)."""
    for part in batches(len(numbers), photo_batch_size(model.device), progress, "Contrasting"):
        photos = [open_image(split.image_files[i]) for i in numbers[part]]
        yield from zip(numbers[part], model.encode_photos(photos), strict=True)


def contrast(
    model: SEPSModel,
    split: Split,
    entities: Sequence[Sequence[SentencePhrases]],
    progress: Progress = False,
    name: str = "",
    scenes: Sequence[SceneObjects] | None = None,
) -> Contrast:
    """Measure how closely a model's maps follow the caption, on all pairs of phrases of a split."""
    check_images(split, entities, scenes)
    scene_of: Sequence[SceneObjects | None] = [None] * len(entities) if scenes is None else scenes
    of_images = (image_pairs(sentences, model.grid, scene_of[i]) for i, sentences in enumerate(entities))
    pairs = {i: of_image for i, of_image in enumerate(of_images) if of_image}
    if not pairs:
        raise NoPairsError(f"split {split.name} has 0 pairs of phrases that name things apart, but 1 is needed.")
    figures: defaultdict[str, list[Floats]] = defaultdict(list)
    owners, spreads, phrases, count = [], [], 0, 0
    for i, image in encoded_images(model, split, list(pairs), progress):
        texts = list(dict.fromkeys(text for pair in pairs[i] for text in pair.phrases))
        maps, kept = contrast_maps(model, image, texts, range(phrases, phrases + len(texts)))
        phrases, count = phrases + len(texts), int(kept["score"][0].sum())
        spreads.append(caption_spread(torch.from_numpy(maps["score"])))
        for pair in pairs[i]:
            rows = [texts.index(text) for text in pair.phrases]
            for method, values in maps.items():
                measured = measure_pair(values[rows], kept[method][rows], pair.overlaps, method in WEIGHTS)
                figures[method].append(measured)
            owners.append(i)
    owner, images = np.array(owners), np.array(list(pairs))
    share = bootstrap(np.array(spreads), images, lambda sums: ratio(sums[..., 0], sums[..., 1]))
    return Contrast(
        model=name,
        split=split.name,
        regions="boxes" if scenes is None else "masks",
        images=len(pairs),
        pairs=len(owners),
        phrases=phrases,
        kept=count,
        patches=model.cross_net.num_patches,
        caption_share=share,
        maps={method: estimates(np.stack(rows), owner) for method, rows in figures.items()},
    )


def contrast_maps(
    model: SEPSModel, image: Tensor, texts: Sequence[str], numbers: Sequence[int]
) -> tuple[dict[str, Floats], dict[str, Booleans]]:
    """Return every map of one image's phrases, (P, N) each, and the patches that each one keeps, (P, N)."""
    net = model.cross_net
    padded, lengths = model.encode_captions(texts)  # (P, L, C)
    words = [caption[:length] for caption, length in zip(padded, lengths.tolist(), strict=True)]
    with torch.no_grad(), torch.autocast(image.device.type, enabled=False):
        maps = phrase_scores(net, net.encode_images(image[None]), words)
        decided = net.sparse_net_cap.decide(torch.from_numpy(maps["score"])).numpy() > 0.5  # (P, N)
    maps |= rival_maps(net, image, words, model.grid, numbers)
    count = int(decided[0].sum())
    ties = {"word_map": maps["score"]}
    kept = {method: highest(values, count, ties.get(method)) for method, values in maps.items() if method != "score"}
    return maps, {"score": decided, **kept}


def estimates(figures: Floats, images: Integers) -> Figures:
    """Return the means of one map's figures (pairs, 8) with their intervals; images: (pairs,), the image of each."""
    columns = zip(CONTRAST, figures.T, strict=True)
    return {name: None if np.isnan(column).any() else estimate(column, images) for name, column in columns}

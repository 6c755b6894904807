"""Measurement of a split: explain every caption that names objects and collect the figures."""

from collections import Counter
from collections.abc import Container, Sequence
from functools import partial

import numpy as np
import torch
from torch import Tensor

from seps.common.progress import Progress, batches, with_progress
from seps.data import SentencePhrases, Split, open_image
from seps.data.objects import CaptionTruth, Region, SceneObjects, central_patches, counted, energy_inside, image_truth
from seps.encoders.tokenizer import word_tokens
from seps.evaluation.grounding.baselines import Gradients, centre_blob
from seps.evaluation.grounding.curves import CurveTask, area_estimates, curves, mean_curves, rescorer, step_counts
from seps.evaluation.grounding.maps import METHODS, OF_PHRASES, CaptionMaps, caption_maps, check_images
from seps.evaluation.grounding.measures import Booleans, Floats, Integers, first, measure_map
from seps.evaluation.grounding.report import POINTING, Figures, Grounding
from seps.models.model import SEPSModel, photo_batch_size
from seps.runs.bootstrap import Estimate, bootstrap, estimate, ratio

CURVES = 200  # captions with deletion and insertion curves


class Collected:
    """The figures of captions and phrases, one row each; `with_curves` has the numbers of captions with curves."""

    def __init__(self, model: SEPSModel, with_curves: Container[int] = ()) -> None:
        self.model, self.with_curves = model, with_curves
        self.seen = 0  # captions, skipped ones with them
        self.phrases: list[Floats] = []  # each (methods, 2): energy inside and pointing game
        self.phrase_images: list[int] = []
        self.kinds: list[str] = []
        self.kept: list[Floats] = []  # each (methods, 3): patches kept on mentioned, other objects, background
        self.areas: list[Floats] = []  # each (3,): patches there
        self.caption_images: list[int] = []
        self.tasks: list[CurveTask] = []
        self.cut_off = self.without_map = self.skipped = 0

    def add_image(self, owner: int, image: Tensor, truths: Sequence[CaptionTruth]) -> None:
        """Explain and measure the captions of image number `owner`, (N[+1], C)."""
        if not truths:
            return
        model, gradients = self.model, Gradients(self.model.cross_net, image)
        captions, lengths = model.encode_captions([truth.sentence for truth in truths])  # (B, L, C)
        for truth, padded, length in zip(truths, captions, lengths.tolist(), strict=True):
            number, self.seen = self.seen, self.seen + 1
            positions = word_tokens(model.tokenizer, truth.sentence)
            if positions is None:
                self.skipped += len(truth.phrases)
                continue
            ends = [(phrase.first_word, phrase.first_word + len(phrase.phrase.split()) - 1) for phrase in truth.phrases]
            tokens = [slice(positions[first].start, positions[last].stop) for first, last in ends]
            words = padded[:length]  # (L, C)
            maps = caption_maps(gradients, image, words, tokens, model.grid, number)
            if number in self.with_curves:
                self.tasks.append(CurveTask(image, owner, words, maps.orders))
            for phrase, region, of_phrase in zip(truth.phrases, truth.regions, maps.phrases, strict=True):
                self.cut_off += not of_phrase
                self.without_map += bool(of_phrase) and not of_phrase["seps"].any()
                self.phrases.append(measure_phrase(of_phrase, region, model.grid))
                self.phrase_images.append(owner)
                self.kinds.append(phrase.kind.split("/")[0])
            self.kept.append(measure_kept(maps, truth.areas))
            self.areas.append(truth.areas.sum(axis=1))
            self.caption_images.append(owner)


def measure_phrase(maps: dict[str, Floats], region: Region, grid: tuple[int, int]) -> Floats:
    """Compute energy inside and pointing game of each method: (methods, 2)."""
    overlap, hits = region.overlap, region.hits
    central = central_patches(grid).reshape(-1)  # (N,)
    measures = [measure_map(maps.get(method), overlap, hits) for method in OF_PHRASES]
    centre = energy_inside(centre_blob(grid), overlap), hits[central].mean()
    return np.array([*measures, centre, (overlap.mean(), hits.mean())])


def measure_kept(maps: CaptionMaps, areas: Floats) -> Floats:
    """Return the number of patches that each method keeps in each region: (methods, 3)."""
    count, uniform = int(maps.kept.sum()), np.full(len(maps.kept), maps.kept.mean())
    kept: dict[str, Booleans | Floats] = {"seps": maps.kept, "random": uniform}
    kept |= {method: first(maps.orders[method], count) for method in METHODS if method not in kept}
    return np.stack([areas @ kept[method] for method in METHODS])


def ground(
    model: SEPSModel,
    split: Split,
    entities: Sequence[Sequence[SentencePhrases]],
    progress: Progress = False,
    name: str = "",
    scenes: Sequence[SceneObjects] | None = None,
    curve_captions: int = CURVES,
) -> Grounding:
    """Measure a model on the phrases of a split."""
    check_images(split, entities, scenes)
    if curve_captions < 0:
        raise ValueError(f"{curve_captions} captions with curves were asked for, but 0 or more are needed.")
    total = sum(bool(counted(sentence)) for sentences in entities for sentence in sentences)
    if total == 0:
        raise ValueError(f"split {split.name} has 0 phrases with boxes that are no scenes, but at least 1 is needed.")
    with_curves = np.linspace(0, total - 1, min(curve_captions, total)).round().astype(int)
    collected, neutral = Collected(model, set(with_curves.tolist())), torch.zeros((), device=model.device)
    for part in batches(len(entities), photo_batch_size(model.device), progress, "Explaining"):
        photos = model.encode_photos([open_image(file) for file in split.image_files[part]])  # (B, N[+1], C)
        patches = photos[:, -model.cross_net.num_patches :]  # (B, N, C)
        neutral = neutral + patches.mean(dim=1).sum(dim=0) / len(entities)  # (C,)
        for owner, image in enumerate(photos, start=part.start):
            scene = None if scenes is None else scenes[owner]
            collected.add_image(owner, image, image_truth(entities[owner], model.grid, scene))
    if not collected.phrases:
        raise ValueError(f"split {split.name} has {collected.skipped} phrases, but the tokens of none could be found.")
    tasks, counts = collected.tasks, step_counts(model.cross_net.num_patches)  # counts: (S,)
    values = np.zeros((len(tasks), len(METHODS), 2, len(counts)))
    for task, rows in with_progress(list(zip(tasks, values, strict=True)), "Removing patches", progress):
        score = rescorer(model.cross_net, task.image, task.words, neutral)
        rows[:] = [curves(score, task.orders[method], counts) for method in METHODS]
    return Grounding(
        model=name,
        split=split.name,
        regions="boxes" if scenes is None else "masks",
        images=len(set(collected.phrase_images)),
        captions=len(collected.kept),
        phrases=len(collected.phrases),
        cut_off=collected.cut_off,
        without_map=collected.without_map,
        skipped=collected.skipped,
        methods=estimates(collected, values, counts),
        kinds=kind_means(np.stack(collected.phrases)[:, METHODS.index("seps")], collected.kinds),
        curves=mean_curves(values, counts, METHODS) if len(values) else None,
    )


def estimates(collected: Collected, values: Floats, counts: Integers) -> dict[str, Figures]:
    """Return every method's figures; curves as in `ground`."""
    phrases, phrase_images = np.stack(collected.phrases), np.array(collected.phrase_images)
    kept, areas = np.stack(collected.kept), np.stack(collected.areas)  # (captions, methods, 3), (captions, 3)
    caption_images = np.array(collected.caption_images)
    curve_images = np.array([task.owner for task in collected.tasks])
    result = {}
    for i, method in enumerate(METHODS):
        pointing = (estimate(phrases[:, i, j], phrase_images) for j in range(2))
        of_curves = area_estimates(values[:, i], counts, curve_images) if len(values) else (None, None)
        figures = *pointing, *compute_kept_rates(kept[:, i], areas, caption_images), *of_curves
        result[method] = dict(zip(POINTING, figures, strict=True))
    return result


def compute_kept_rates(kept: Floats, areas: Floats, images: Integers) -> list[Estimate | None]:
    """Compute kept rates of mentioned objects, other objects and background, and the ratio of first to last."""
    columns = np.concatenate([kept, areas], axis=1)  # (captions, 6)

    def rate(sums: Floats, region: int) -> Floats:
        return ratio(sums[..., region], sums[..., 3 + region])

    rates = [bootstrap(columns, images, partial(rate, region=i)) for i in range(3)]
    return [*rates, bootstrap(columns, images, lambda sums: ratio(rate(sums, 0), rate(sums, 2)))]


def kind_means(measures: Floats, kinds: Sequence[str]) -> dict[str, dict[str, float]]:
    """Compute count and means of both measures (phrases, 2) for each kind, the most frequent first."""
    counts = Counter(kinds).most_common()
    means = {kind: measures[np.array(kinds) == kind].mean(axis=0).tolist() for kind, _ in counts}
    return {kind: {"phrases": float(count), **dict(zip(POINTING, means[kind], strict=False))} for kind, count in counts}

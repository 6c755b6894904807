"""Effects in one batch against a plain loop of passes: time per picture, and difference of the results."""

import time
from collections.abc import Callable
from typing import Any

import numpy as np
import torch
from torch import Tensor

from seps import CrossSparseAggrNet, ScoringEngine, explain
from seps.explanation.attribution import split_similarity
from seps.explanation.blanking import measure_blanked
from seps.explanation.effects import measure_effects
from seps.explanation.minimal import smallest_change, smallest_set

WORDS = 12  # of the caption
GALLERY = 200  # images that a decision by hand is ranked among


@torch.no_grad()
def forced_loop(model: CrossSparseAggrNet, image: Tensor, words: Tensor) -> np.ndarray[Any, np.dtype[np.float64]]:
    """S minus S of a forced pass for each patch, (N,), with image-only quantities computed once."""
    features = model.encode_images(image[None])
    match = model.match(features, words)
    kept = match.sparse.selection.mask[0] > 0.5
    scores = []
    for patch in range(model.num_patches):
        mask = kept.clone()
        mask[patch] = ~mask[patch]
        scores.append(float(model.match(features, words, mask=mask).similarity[0]))
    return float(match.similarity[0]) - np.array(scores)


@torch.no_grad()
def blanked_loop(model: CrossSparseAggrNet, image: Tensor, words: Tensor) -> np.ndarray[Any, np.dtype[np.float64]]:
    """S minus S of a pass for each patch replaced by the mean patch, (N,)."""
    similarity = float(model.match(model.encode_images(image[None]), words).similarity[0])
    scores = []
    for patch in range(-model.num_patches, 0):
        changed = image.clone()
        changed[patch] = image[-model.num_patches :].mean(dim=0)
        scores.append(float(model.match(model.encode_images(changed[None]), words).similarity[0]))
    return similarity - np.array(scores)


def best(run: Callable[[], Any], rounds: int) -> tuple[float, Any]:
    """Return the seconds of the fastest call, and the last result."""
    seconds, result = [], None
    for _ in range(rounds):
        start = time.perf_counter()
        result = run()
        seconds.append(time.perf_counter() - start)
    return min(seconds), result


def effects_side_by_side(
    model: CrossSparseAggrNet, variant: str, device: torch.device, rounds: int
) -> dict[str, dict[str, float]]:
    """A picture and a caption of 12 words: effects and blanked patches in a batch and in a loop, the searches, the
    shares; printed, and by name in seconds."""
    generator = torch.Generator().manual_seed(0)
    image = torch.randn(model.num_patches + 1, model.embed_size, generator=generator).to(device)
    words = torch.randn(WORDS, model.embed_size, generator=generator).to(device)
    record = explain(model, image, words, grid=(1, model.num_patches))
    others = record.similarity + np.linspace(-0.1, 0.1, 200)  # of a gallery, close behind and before
    results: dict[str, dict[str, float]] = {}
    for name, batch, loop in (("effects", measure_effects, forced_loop), ("blanked", measure_blanked, blanked_loop)):
        seconds, measured = best(lambda run=batch: run(model, image, words), rounds)  # type: ignore[misc]
        plain, expected = best(lambda run=loop: run(model, image, words), 1)  # type: ignore[misc]
        off = float(np.nanmax(np.abs(measured.effects - expected)))
        results[name] = {"seconds": seconds, "loop_seconds": plain, "ratio": plain / seconds, "difference": off}
        print(
            f"{device.type:5} {variant:9} {name} of {model.num_patches} patches   loop {1e3 * plain:7.0f} ms   "
            f"batch {1e3 * seconds:6.1f} ms   ratio {plain / seconds:5.1f}   largest difference {off:.1e}",
            flush=True,
        )
    runs: dict[str, Callable[[], Any]] = {
        "smallest_set": lambda: smallest_set(model, image, words, others=others),
        "smallest_change": lambda: smallest_change(model, image, words, others=others),
        "shares": lambda: split_similarity(model, record),
        "forced_explain": lambda: explain(
            model, image, words, grid=(1, model.num_patches), mask=np.array(record.sparse.kept)
        ),
    }
    runs |= decisions_by_hand(model, image, words, device)
    for name, run in runs.items():
        results[name] = {"seconds": best(run, rounds)[0]}
    times = "   ".join(f"{name.replace('_', ' ')} {1e3 * results[name]['seconds']:.1f} ms" for name in runs)
    print(f"{device.type:5} {variant:9} {times}", flush=True)
    return results


def decisions_by_hand(
    model: CrossSparseAggrNet, image: Tensor, words: Tensor, device: torch.device
) -> dict[str, Callable[[], Any]]:
    """Time a manual decision in the app: the ranking of a gallery, once, and after it each decision with the
    rank that it gives the picture."""
    generator = torch.Generator().manual_seed(1)
    engine = ScoringEngine(model)
    images = engine.encode_images(torch.randn(GALLERY, *image.shape, generator=generator).to(device))
    captions = engine.encode_captions(words[None], [len(words)])
    scores = engine.score(images, captions)[:, 0]
    mask = torch.rand(model.num_patches, generator=generator) < 0.3

    def decided() -> int:
        record = explain(model, image, words, grid=(1, model.num_patches), mask=mask)
        return 1 + int((scores > record.similarity).sum())

    return {f"ranking_of_{GALLERY}": lambda: engine.score(images, captions), "decision_with_rank": decided}

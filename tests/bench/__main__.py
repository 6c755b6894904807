"""Compare the engine and the effects of patches with plain loops: `make bench`.

Both variants, on the CPU and, if available, on a GPU:
    64 images by 100 captions with dense captions: plain loop, engine, and the largest differences of their scores;
    1,000 images by 1,000 captions without dense ones: the engine's time, pairs per second, peak memory;
    1 image and 1 caption: effects of all patches in one batch and in a loop, the searches, and a manual decision.
"""

import argparse
from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
import torch
from torch import Tensor

from seps import CrossSparseAggrNet, ScoringEngine, explain
from seps.explanation.attribution import split_similarity
from seps.explanation.blanking import measure_blanked
from seps.explanation.effects import measure_effects
from seps.explanation.minimal import smallest_change, smallest_set
from tests.bench.plain import plain_similarity
from tests.bench.timing import peak_bytes, race

PATCHES, CHANNELS = 196, 512
WORDS = 12  # of the caption whose effects are measured
GALLERY = 200  # images among which a manual decision is ranked
VARIANTS = ("released", "paper")


def full_size(variant: str, device: torch.device, patches: int = PATCHES) -> CrossSparseAggrNet:
    """Build a seeded network of full size."""
    torch.manual_seed(0)
    return CrossSparseAggrNet(CHANNELS, patches, use_paper_version=variant == "paper").eval().to(device)


def draw(images: int, captions: int, dense: bool, device: torch.device, patches: int = PATCHES) -> list[Any]:
    """Draw the arguments of a forward pass: captions of 4 to 12 words, and dense captions of 40 to 60."""
    generator = torch.Generator().manual_seed(0)

    def texts(shortest: int, longest: int) -> tuple[Tensor, list[int]]:
        lengths = torch.randint(shortest, longest + 1, (captions,), generator=generator).tolist()
        return torch.randn(captions, longest, CHANNELS, generator=generator).to(device), lengths

    pixels = torch.randn(images, patches + 1, CHANNELS, generator=generator).to(device)
    return [pixels, *texts(4, 12), *(texts(40, 60) if dense else ())]


def engine_scores(model: CrossSparseAggrNet, images: Tensor, *texts: Any, progress: bool = False) -> Tensor:
    """Encode and score with the engine, (V, T) on the CPU."""
    engine = ScoringEngine(model, progress=progress)
    return engine.score(engine.encode_images(images), engine.encode_captions(*texts))


def largest(values: Tensor, others: Tensor) -> float:
    """Return the largest difference of two tensors."""
    return float((values.cpu() - others.cpu()).abs().max())


def compare_engine(
    model: CrossSparseAggrNet, title: str, device: torch.device, rounds: int, images: int = 64, captions: int = 100
) -> dict[str, float]:
    """Compare plain loop and engine, with dense captions and encoding in both; `peak_bytes` is the engine's."""
    inputs = draw(images, captions, True, device, model.num_patches)
    exact = partial(plain_similarity, score_dtype=torch.float64)(model, *inputs)
    with torch.no_grad():
        forward = model(*inputs)
    fast = partial(engine_scores, model, *inputs)
    scores, peak = peak_bytes(fast, device)
    title += f" {images} x {captions}, N {model.num_patches}, dense"
    seconds = race(title, {"plain": lambda: plain_similarity(model, *inputs), "engine": fast}, rounds)
    differences = {"difference_plain": largest(scores, exact), "difference_module": largest(scores, forward)}
    print(f"{title}: {differences}", flush=True)
    return {f"{name}_seconds": taken for name, taken in seconds.items()} | differences | {
        "ratio": seconds["plain"] / seconds["engine"],
        "peak_bytes": peak,
    }  # fmt: skip


def time_engine(
    model: CrossSparseAggrNet, title: str, device: torch.device, images: int, captions: int
) -> dict[str, float]:
    """Time the engine once, without dense captions."""
    run = partial(engine_scores, model, *draw(images, captions, False, device), progress=True)
    title += f" {images} x {captions}"
    seconds, peak = peak_bytes(lambda: race(title, {"engine": run}, 1)["engine"], device)
    speed = images * captions / seconds
    print(f"{title}: {speed:,.0f} pairs/s, {peak / 1e6:,.0f} MB above the inputs", flush=True)
    return {"seconds": seconds, "pairs_per_second": speed, "peak_bytes": peak}


@torch.no_grad()
def flipped_loop(model: CrossSparseAggrNet, image: Tensor, words: Tensor) -> list[float]:
    """S minus S of a forced pass for each patch, (N,), with image-only quantities computed once."""
    features = model.encode_images(image[None])
    match = model.match(features, words)
    every = torch.eye(model.num_patches, dtype=torch.bool, device=image.device)
    masks = (match.sparse.selection.mask[0] > 0.5) ^ every
    return [float(match.similarity[0] - model.match(features, words, mask=mask).similarity[0]) for mask in masks]


@torch.no_grad()
def blanked_loop(model: CrossSparseAggrNet, image: Tensor, words: Tensor) -> list[float]:
    """S minus S of a pass for each patch replaced by the mean patch, (N,)."""
    scores = [float(model.match(model.encode_images(image[None]), words).similarity[0])]
    for patch in range(-model.num_patches, 0):
        changed = image.clone()
        changed[patch] = image[-model.num_patches :].mean(dim=0)
        scores.append(float(model.match(model.encode_images(changed[None]), words).similarity[0]))
    return [scores[0] - score for score in scores[1:]]


def compare_effects(model: CrossSparseAggrNet, title: str, device: torch.device, rounds: int) -> None:
    """Compare effects and blanked patches in a batch and in a loop; time the searches, shares and manual decisions."""
    generator = torch.Generator().manual_seed(0)
    image = torch.randn(model.num_patches + 1, model.embed_size, generator=generator).to(device)
    words = torch.randn(WORDS, model.embed_size, generator=generator).to(device)
    pair = model, image, words
    compared: dict[str, tuple[Callable[..., Any], Callable[..., Any]]] = {
        "effects": (measure_effects, flipped_loop),
        "blanked": (measure_blanked, blanked_loop),
    }
    for name, (batch, loop) in compared.items():
        difference = np.nanmax(np.abs(batch(*pair).effects - loop(*pair)))
        race(f"{title} {name}", {"loop": partial(loop, *pair), "batch": partial(batch, *pair)}, rounds)
        print(f"{title} {name}: largest difference {difference:.1e}", flush=True)
    passed = partial(explain, *pair, grid=(1, model.num_patches))
    record = passed()
    others = record.similarity + np.linspace(-0.1, 0.1, GALLERY)  # of a gallery, close behind and before
    engine = ScoringEngine(model)
    gallery = engine.encode_images(torch.randn(GALLERY, *image.shape, generator=generator).to(device))
    caption = engine.encode_captions(words[None], [WORDS])
    mask = torch.rand(model.num_patches, generator=generator) < 0.3
    runs: dict[str, Callable[[], object]] = {
        "smallest set": lambda: smallest_set(*pair, others=others),
        "smallest change": lambda: smallest_change(*pair, others=others),
        "shares": lambda: split_similarity(model, record),
        f"ranking of {GALLERY}": lambda: engine.score(gallery, caption),
        "manual decision": lambda: passed(mask=mask),
    }
    for name, run in runs.items():
        race(f"{title} {name}", {"took": run}, rounds)


def main() -> None:
    """Run every comparison and print its lines."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=6, help="turns, of which the first is not counted (default 6)")
    parser.add_argument("--count", type=int, default=1000, help="images and captions of the large run (default 1000)")
    arguments = parser.parse_args()
    devices = ["cpu", "cuda"] if torch.cuda.is_available() else ["cpu"]
    print(f"torch {torch.__version__}, {torch.get_num_threads()} CPU threads, {PATCHES} patches, {CHANNELS} channels")
    for device in map(torch.device, devices):
        for variant in VARIANTS:
            model, title = full_size(variant, device), f"{device.type} {variant}"
            compare_engine(model, title, device, arguments.rounds)
            compare_effects(model, title, device, arguments.rounds)
            time_engine(model, title, device, arguments.count, arguments.count)
    if len(devices) == 1:
        print("cuda: no GPU on this machine, not measured")


if __name__ == "__main__":
    main()

"""The engine beside its former self, which decided which patches a caption keeps in float64 throughout."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager

import torch

import seps.search.decisions
from seps import CrossSparseAggrNet, ScoringEngine

PATCHES, CHANNELS = 196, 384  # of the shipped model of photographs, which has no [CLS]
SIZES = ((64, 200), (1000, 1))  # images and captions: a matrix, and a ranking for one caption


@contextmanager
def decided_in_float64() -> Iterator[None]:
    """Have every decision made in float64, as the engine did before it tried float32 first."""
    longest = seps.search.decisions.LONGEST
    seps.search.decisions.LONGEST = 0.0  # no patch is short enough for float32
    try:
        yield
    finally:
        seps.search.decisions.LONGEST = longest


def former_side_by_side(device: torch.device, rounds: int, sizes: tuple[tuple[int, int], ...] = SIZES) -> list[float]:
    """Score with the engine as it is and as it was, taking turns; print a line a size and return the ratios.

    Raises:
        RuntimeError: the two do not score alike, within 1e-5.
    """
    torch.manual_seed(0)
    model = CrossSparseAggrNet(CHANNELS, PATCHES, use_paper_version=True).eval().to(device)
    engine = ScoringEngine(model)
    ratios = []
    for images, captions in sizes:
        patches = torch.randn(images, PATCHES, CHANNELS).to(device)
        lengths = torch.randint(8, 21, (captions,)).tolist()
        words = torch.randn(captions, max(lengths), CHANNELS).to(device)
        indexed, asked = engine.encode_images(patches), engine.encode_captions(words, lengths)

        def seconds() -> tuple[float, torch.Tensor]:
            start = time.perf_counter()
            scores = engine.score(indexed, asked)  # noqa: B023
            return time.perf_counter() - start, scores

        seconds()
        now, former = [], []
        for _ in range(rounds):
            took, scores = seconds()
            now.append(took)
            with decided_in_float64():
                took, before = seconds()
            former.append(took)
        off = float((scores - before).abs().max())
        if off > 1e-5:
            raise RuntimeError(f"The engine's scores are {off:.1e} off those of its former self.")
        ratios.append(min(former) / min(now))
        print(
            f"{device.type:5} paper     {images} x {captions}, no dense   former engine {min(former):7.3f} s   "
            f"engine {min(now):7.3f} s   ratio {ratios[-1]:5.2f}   largest difference {off:.1e}",
            flush=True,
        )
    return ratios

"""The engine beside its former self, which decided which patches a caption keeps in float64 throughout, took 24
captions at a time, and worked on one part of the images after another."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager

import torch

import seps.search.decisions
import seps.search.engine
from seps import CrossSparseAggrNet, ScoringEngine

PATCHES, CHANNELS = 196, 384  # of the shipped model of photographs, which has no [CLS]
SIZES = ((64, 200), (1000, 1))  # images and captions: a matrix, and a ranking for one caption


@contextmanager
def former_self() -> Iterator[None]:
    """Have the engine score as it did."""
    engine, decisions = seps.search.engine, seps.search.decisions
    now = decisions.LONGEST, engine.CPU_CAPTIONS, engine.THREAD_BYTES
    decisions.LONGEST = 0.0  # no patch is short enough for float32
    engine.CPU_CAPTIONS = 24
    engine.THREAD_BYTES = 2**60  # no memory is enough for a second thread
    try:
        yield
    finally:
        decisions.LONGEST, engine.CPU_CAPTIONS, engine.THREAD_BYTES = now


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
            with former_self():
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

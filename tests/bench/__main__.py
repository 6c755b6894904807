"""Compare the engine with the plain loop: `make bench`.

Two sizes, both variants, on the CPU and, if available, on a GPU:
    64 images by 100 captions with dense captions: plain loop, engine, their ratio, their largest difference;
    1,000 images by 1,000 captions without dense ones: the engine's time, pairs a second, peak memory;
    1 image and 1 caption: effects of all patches in one batch, against a loop of forced passes, see `effects.py`;
The two take turns and each counts its best round, because a busy machine only ever makes a round slower.
"""

from __future__ import annotations

import argparse
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar

import torch
from torch import Tensor

from seps import CrossSparseAggrNet, ScoringEngine
from tests.bench.effects import effects_side_by_side
from tests.bench.plain import plain_similarity

PATCHES, CHANNELS = 196, 512
Embeddings = tuple[Tensor, list[int]]
Result = TypeVar("Result")


@dataclass(frozen=True)
class Batch:
    """Seeded random embeddings of images (V, N + 1, C), captions and, if any, dense captions."""

    images: Tensor
    captions: Embeddings
    dense: Embeddings | None

    @property
    def arguments(self) -> tuple[Tensor | list[int], ...]:
        """Inputs of the model's forward."""
        return (self.images, *self.captions, *(self.dense or ()))


def draw(images: int, captions: int, dense: bool, device: torch.device, patches: int = PATCHES) -> Batch:
    """Draw images of so many patches, captions of 4 to 12 words and dense captions of 40 to 60."""
    generator = torch.Generator().manual_seed(0)

    def texts(shortest: int, longest: int) -> Embeddings:
        lengths = torch.randint(shortest, longest + 1, (captions,), generator=generator).tolist()
        return torch.randn(captions, longest, CHANNELS, generator=generator).to(device), lengths

    pixels = torch.randn(images, patches + 1, CHANNELS, generator=generator).to(device)
    return Batch(pixels, texts(4, 12), texts(40, 60) if dense else None)


def timed(run: Callable[[], Tensor], device: torch.device) -> tuple[float, Tensor]:
    """Seconds and result of one call."""
    start = time.perf_counter()
    result = run()
    if device.type == "cuda":
        torch.cuda.synchronize()
    return time.perf_counter() - start, result


def resident() -> int:
    """Bytes of memory that the process holds now (Linux)."""
    return int(Path("/proc/self/statm").read_text().split()[1]) * 4096


class PeakMemory:
    """Watches the process's memory from a thread; `added` is the peak above the start, in bytes."""

    def __enter__(self) -> PeakMemory:
        self.start = self.peak = resident()
        self.running = True
        self.watcher = threading.Thread(target=self.watch, daemon=True)
        self.watcher.start()
        return self

    def watch(self) -> None:
        """Look every five milliseconds."""
        while self.running:
            self.peak = max(self.peak, resident())
            time.sleep(0.005)

    def __exit__(self, *_: object) -> None:
        self.running = False
        self.watcher.join()
        self.added = max(self.peak, resident()) - self.start


def peak_bytes(run: Callable[[], Result], device: torch.device) -> tuple[Result, float]:
    """Return a call's result, and its peak memory above what was held before: of the GPU, or of the process."""
    if device.type != "cuda":
        with PeakMemory() as memory:
            result = run()
        return result, float(memory.added)
    torch.cuda.reset_peak_memory_stats(device)
    held = torch.cuda.memory_allocated(device)
    result = run()
    return result, float(torch.cuda.max_memory_allocated(device) - held)


def side_by_side(
    model: CrossSparseAggrNet, variant: str, device: torch.device, rounds: int, images: int = 64, captions: int = 100
) -> dict[str, float]:
    """Compare plain loop and engine, with dense captions and encoding in both: print the numbers, return them by name.

    `peak_bytes` is the memory of the engine's first run on top of the inputs.
    """
    batch = draw(images, captions, True, device, model.num_patches)
    engine = ScoringEngine(model)
    assert batch.dense is not None

    def plain() -> Tensor:
        return plain_similarity(model, *batch.arguments).cpu()  # type: ignore[arg-type]

    def fast() -> Tensor:
        captions = engine.encode_captions(*batch.captions, *(batch.dense or ()))
        return engine.score(engine.encode_images(batch.images), captions)

    exact = plain_similarity(model, *batch.arguments, score_dtype=torch.float64).cpu()  # type: ignore[arg-type, misc]
    with torch.no_grad():
        forward = model(*batch.arguments).cpu()
    _, peak = peak_bytes(fast, device)
    rows = [(timed(plain, device)[0], *timed(fast, device)) for _ in range(rounds)]
    plain_best, fast_best = min(row[0] for row in rows), min(row[1] for row in rows)
    scores = rows[0][2]
    plain_off, module_off = float((scores - exact).abs().max()), float((scores - forward).abs().max())
    print(
        f"{device.type:5} {variant:9} {images} x {captions}, N {model.num_patches}, dense  plain {plain_best:7.3f} s   "
        f"engine {fast_best:7.3f} s   ratio {plain_best / fast_best:5.1f}   largest difference: plain {plain_off:.1e}, "
        f"module {module_off:.1e}",
        flush=True,
    )
    seconds = {"plain_seconds": plain_best, "engine_seconds": fast_best, "ratio": plain_best / fast_best}
    return seconds | {"difference_plain": plain_off, "difference_module": module_off, "peak_bytes": peak}


def large(
    model: CrossSparseAggrNet, variant: str, device: torch.device, count: int, captions: int | None = None
) -> dict[str, float]:
    """`count` images by `captions`, by default as many, without dense ones: only the engine; printed, and by
    name."""
    captions = captions or count
    batch = draw(count, captions, False, device)
    engine = ScoringEngine(model, progress=True)

    def run() -> Tensor:
        return engine.score(engine.encode_images(batch.images), engine.encode_captions(*batch.captions))

    (seconds, _), added = peak_bytes(lambda: timed(run, device), device)
    print(
        f"{device.type:5} {variant:9} {count} x {captions}, no dense   engine {seconds:7.1f} s   "
        f"{count * captions / seconds:,.0f} pairs/s   peak memory {added / 2**20:,.0f} MB above the inputs",
        flush=True,
    )
    return {"seconds": seconds, "pairs_per_second": count * captions / seconds, "peak_bytes": added}


def main() -> None:
    """Run every comparison and print a line for each."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=5, help="turns of plain loop and engine (default 5)")
    parser.add_argument("--count", type=int, default=1000, help="images and captions of the large run (default 1000)")
    arguments = parser.parse_args()
    devices = [torch.device("cpu")] + ([torch.device("cuda")] if torch.cuda.is_available() else [])
    print(f"torch {torch.__version__}, {torch.get_num_threads()} CPU threads, {PATCHES} patches, {CHANNELS} channels")
    for device in devices:
        for variant in ("released", "paper"):
            torch.manual_seed(0)
            model = CrossSparseAggrNet(CHANNELS, PATCHES, use_paper_version=variant == "paper").eval().to(device)
            side_by_side(model, variant, device, arguments.rounds)
            effects_side_by_side(model, variant, device, arguments.rounds)
            large(model, variant, device, arguments.count)
    if len(devices) == 1:
        print("cuda  no GPU on this machine: not measured")


if __name__ == "__main__":
    main()

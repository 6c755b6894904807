"""Time and memory, measured in the same way by all benchmarks."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TypeVar

import torch

Result = TypeVar("Result")


def race(title: str, runs: Mapping[str, Callable[[], object]], rounds: int) -> dict[str, float]:
    """Run functions in turn, and print and return the seconds of each one's best round.

    A busy machine only slows a round down. The first of several rounds is not counted. The printed ratio is that of the
    first function to the last.
    """
    seconds: dict[str, list[float]] = {name: [] for name in runs}
    for _ in range(rounds):
        for name, run in runs.items():
            start = time.perf_counter()
            run()
            if torch.cuda.is_initialized():
                torch.cuda.synchronize()
            seconds[name].append(time.perf_counter() - start)
    best = {name: min(taken[1:] or taken) for name, taken in seconds.items()}
    times = [f"{name} {1000 * taken:,.1f} ms" for name, taken in best.items()]
    first, *_, last = (*best.values(), *best.values())
    print(f"{title}:", "   ".join(times if len(best) == 1 else [*times, f"ratio {first / last:.1f}"]), flush=True)
    return best


def process_bytes(name: str, process: int | str = "self", file: str = "status") -> int:
    """Return a size of a process by its name in /proc, such as VmRSS (Linux)."""
    lines = Path(f"/proc/{process}/{file}").read_text(encoding="utf-8").splitlines()
    return next(int(line.split()[1]) * 1024 for line in lines if line.startswith(f"{name}:"))


class PeakMemory:
    """Measures the peak of this process's memory in a `with` block; `added` is the peak above the start, in bytes."""

    def __enter__(self) -> PeakMemory:
        Path("/proc/self/clear_refs").write_text("5")  # sets the peak, VmHWM, to the current size
        self.start = process_bytes("VmRSS")
        return self

    def __exit__(self, *_: object) -> None:
        self.added = process_bytes("VmHWM") - self.start


def peak_bytes(run: Callable[[], Result], device: torch.device) -> tuple[Result, float]:
    """Return a call's result, and its peak memory above the start: of the GPU, or of this process."""
    if device.type != "cuda":
        with PeakMemory() as memory:
            result = run()
        return result, float(memory.added)
    torch.cuda.reset_peak_memory_stats(device)
    held = torch.cuda.memory_allocated(device)
    result = run()
    return result, float(torch.cuda.max_memory_allocated(device) - held)

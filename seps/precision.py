"""Whether a CPU multiplies in bfloat16 at speed."""

from __future__ import annotations

from functools import cache
from time import perf_counter

import torch

SIDE_TRIED = 256  # of the matrices that tell how fast a CPU is


def in_bfloat16(enabled: bool) -> torch.autocast:
    """Run in bfloat16 on a CPU where that is wanted and fast; on a GPU the caller's own autocast decides."""
    return torch.autocast("cpu", torch.bfloat16, enabled=enabled and bfloat16_is_fast())


@cache
def bfloat16_is_fast() -> bool:
    """Tell whether this CPU multiplies matrices in bfloat16 at least as fast as in float32, tried once.

    Where it has no instructions for bfloat16, each product is emulated, at a hundredth of the speed.
    """
    best = {}
    for dtype in (torch.float32, torch.bfloat16):
        matrix = torch.ones(SIDE_TRIED, SIDE_TRIED, dtype=dtype)
        times = []
        for _ in range(3):
            start = perf_counter()
            matrix @ matrix
            times.append(perf_counter() - start)
        best[dtype] = min(times)
    return best[torch.bfloat16] <= best[torch.float32]

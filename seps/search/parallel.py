"""Large work in parts: slices of nearly equal length, threads that each take some, buffers that each uses again."""

from __future__ import annotations

import math
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from threading import Barrier

import torch
from torch import Tensor

from seps.progress import Progress, with_progress


def split(count: int, size: int) -> Iterator[slice]:
    """Cut a count into the fewest slices of at most `size`, of nearly equal length."""
    return divide(count, -(-count // size))


def divide(count: int, parts: int) -> Iterator[slice]:
    """Cut a count into so many slices of nearly equal length."""
    return (slice(count * i // parts, count * (i + 1) // parts) for i in range(parts))


def parallel_for(
    work: Callable[[slice], None], parts: list[slice], threads: int, title: str, progress: Progress
) -> None:
    """Call `work` with each part, on so many threads at once, each of which computes with its part of torch's threads.

    Products that are too small to be divided among cores fill them all in this way. What goes wrong in one part is
    raised, and the parts that wait are left. While the threads start, the default of new ones is a part: another
    thread that first uses torch in that moment keeps it.

    Args:
        work: writes its result where no other part's goes; sets its own inference mode, which is a thread's own.
        parts: what it is called with; threads: from 1, which works here and now.
        title, progress: of the bar, as in `with_progress`.
    """
    threads = min(threads, len(parts))
    if threads <= 1:
        for part in with_progress(parts, title, progress):
            work(part)
        return
    mine, ready = torch.get_num_threads(), Barrier(threads + 1)
    counts = [max(1, part.stop - part.start) for part in divide(mine, threads)]

    def prepare() -> None:
        torch.get_num_threads()  # a thread's first use takes the default, which would overrule what is set now
        torch.set_num_threads(counts.pop())  # this thread's, and the default of new ones
        ready.wait()

    with ThreadPoolExecutor(threads, initializer=prepare) as pool:
        try:
            futures: list[Future[None]] = [pool.submit(work, part) for part in parts]
            ready.wait()
        except BaseException:  # no thread can be started, or Ctrl-C: those that wait are let go
            ready.abort()
            raise
        finally:
            torch.set_num_threads(mine)  # the default is again what it was
        try:
            for future in with_progress(futures, title, progress):
                future.result()
        finally:
            pool.shutdown(cancel_futures=True)


class Workspace(threading.local):
    """Large buffers that blocks share: on a CPU fresh memory for each would cost as much as the arithmetic in it.

    Each thread has separate buffers.
    """

    def __init__(self, device: torch.device) -> None:
        self.device = device
        self.buffers: dict[str, Tensor] = {}

    def buffer(self, name: str, *shape: int) -> Tensor:
        """Return an uninitialised float32 tensor; what was taken under the same name before is gone."""
        count = math.prod(shape)
        buffer = self.buffers.get(name)
        if buffer is None or buffer.numel() < count:
            buffer = self.buffers[name] = torch.empty(count, device=self.device)
        return buffer[:count].view(shape)

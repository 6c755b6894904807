"""Large work in parts: slices of nearly equal length, threads that each take some, buffers that each uses again."""

import math
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from threading import Barrier

import torch
from torch import Tensor

from seps.common.progress import Progress, with_progress


def split(count: int, size: int) -> Iterator[slice]:
    """Cut a count into the fewest slices of at most `size`, of nearly equal length."""
    return divide(count, -(-count // size))


def divide(count: int, parts: int) -> Iterator[slice]:
    """Cut a count into so many slices of nearly equal length."""
    return (slice(count * i // parts, count * (i + 1) // parts) for i in range(parts))


def parallel_for(
    work: Callable[[slice], None], parts: list[slice], threads: int, title: str, progress: Progress
) -> None:
    """Call `work` with each part, on so many threads at once, each with its part of torch's threads."""
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
    """Large buffers that blocks share, separate per thread: fresh memory costs a CPU as much as the arithmetic."""

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

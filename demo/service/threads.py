"""The threads that rank and explain, one a core, each computing by itself; and the one that draws.

Requests come in dozens of threads. If each of them computed, every operation would ask for all cores, and each thread
would keep buffers of its own: twice as slow with 50 people at once, and memory that grows for a long time.
"""

from __future__ import annotations

import os
from collections import deque
from collections.abc import Callable, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import suppress
from functools import lru_cache, wraps
from threading import Barrier, current_thread
from typing import Generic, ParamSpec, TypeVar

import torch

PREFIX = "computing"
Parameters = ParamSpec("Parameters")
Result = TypeVar("Result")
Item = TypeVar("Item")
Answer = TypeVar("Answer")


def computing(function: Callable[Parameters, Result]) -> Callable[Parameters, Result]:
    """Let a function run in one of the computing threads, and its caller wait for it; errors come to the caller."""

    @wraps(function)
    def run(*args: Parameters.args, **options: Parameters.kwargs) -> Result:
        if current_thread().name.startswith(PREFIX):  # called by another one
            return function(*args, **options)
        return _pool().submit(function, *args, **options).result()

    return run


def drawing(function: Callable[Parameters, Result]) -> Callable[Parameters, Result]:
    """Let a function run in the one drawing thread, and its caller wait for it; errors come to the caller.

    Matplotlib promises nothing where several threads draw, and keeps buffers for each of them.
    """

    @wraps(function)
    def run(*args: Parameters.args, **options: Parameters.kwargs) -> Result:
        return _pencil().submit(function, *args, **options).result()

    return run


class Gathering(Generic[Item, Answer]):
    """Answers each caller's item; while all computing threads are busy items gather, and are then answered together.

    Args:
        answer: gives an answer for each of 1 to `most` items, in their order; its errors come to all of their callers.
        most: items that are answered together.
    """

    def __init__(self, answer: Callable[[list[Item]], Sequence[Answer]], most: int) -> None:
        self._answer, self._most = answer, most
        self._waiting: deque[tuple[Item, Future[Answer]]] = deque()

    def __call__(self, item: Item) -> Answer:
        """Wait for the item's answer."""
        future: Future[Answer] = Future()
        self._waiting.append((item, future))
        if current_thread().name.startswith(PREFIX):
            self._answer_waiting()
        else:
            _pool().submit(self._answer_waiting)
        return future.result()

    def _answer_waiting(self) -> None:
        """Answer those that wait, at most `most`; as often called as there are items, so that none is left."""
        taken: list[tuple[Item, Future[Answer]]] = []
        with suppress(IndexError):  # another thread has taken them
            while len(taken) < self._most:
                taken.append(self._waiting.popleft())
        if not taken:
            return
        try:
            answers = self._answer([item for item, _ in taken])
        except BaseException as error:
            for _, future in taken:
                future.set_exception(error)
        else:
            for (_, future), answer in zip(taken, answers, strict=True):
                future.set_result(answer)


@lru_cache(maxsize=1)
def _pencil() -> ThreadPoolExecutor:
    return ThreadPoolExecutor(1, "drawing")


@lru_cache(maxsize=1)
def _pool() -> ThreadPoolExecutor:
    """A thread for each core that this process may use, computing alone; other threads stay as they are."""
    count = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    usual = torch.get_num_threads()
    started = Barrier(count + 1)

    def start() -> None:
        torch.set_num_threads(1)  # for this thread, and for those that first compute after it
        assert torch.get_num_threads() == 1  # asking settles it for this thread
        started.wait()

    pool = ThreadPoolExecutor(count, PREFIX, start)
    for _ in range(count):
        pool.submit(int)
    started.wait()
    torch.set_num_threads(usual)
    return pool

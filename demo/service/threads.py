"""Thread pools: one single-threaded computing thread per core, and one drawing thread. If each of the dozens of request
threads computed, 50 users would get half the speed, and memory would grow steadily. On Spaces with ZeroGPU only uploads
are encoded on a leased GPU: ranking and explaining take less than a lease."""

import os
import sys
from collections import deque
from collections.abc import Callable, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import suppress
from functools import lru_cache, wraps
from threading import Barrier, current_thread
from typing import Any, Generic, ParamSpec, TypeVar

import torch
from PIL import Image
from torch import Tensor

from seps import SEPSModel, load_model

PREFIX = "computing"
PENCIL = ThreadPoolExecutor(1, "drawing")  # its thread starts with the first picture
Parameters = ParamSpec("Parameters")
Result = TypeVar("Result")
Item = TypeVar("Item")
Answer = TypeVar("Answer")

Encode = Callable[[Sequence[Image.Image]], Tensor]


def computing(function: Callable[Parameters, Result]) -> Callable[Parameters, Result]:
    """Decorate a function to run on a computing thread while its caller waits; errors are passed to the caller."""

    @wraps(function)
    def run(*args: Parameters.args, **options: Parameters.kwargs) -> Result:
        if current_thread().name.startswith(PREFIX):  # called by another one
            return function(*args, **options)
        return _pool().submit(function, *args, **options).result()

    return run


def drawing(function: Callable[Parameters, Result]) -> Callable[Parameters, Result]:
    """Decorate a function to run on the drawing thread: Matplotlib is not thread-safe and keeps buffers per thread."""

    @wraps(function)
    def run(*args: Parameters.args, **options: Parameters.kwargs) -> Result:
        return PENCIL.submit(function, *args, **options).result()

    return run


class Gathering(Generic[Item, Answer]):
    """Dynamic batching: at most `most` items that arrive while all computing threads are busy are answered together."""

    def __init__(self, answer: Callable[[list[Item]], Sequence[Answer]], most: int) -> None:
        self._answer, self._most = answer, most
        self._waiting: deque[tuple[Item, Future[Answer]]] = deque()

    def __call__(self, item: Item) -> Answer:
        """Return the item's result, waiting for its batch."""
        future: Future[Answer] = Future()
        self._waiting.append((item, future))
        if current_thread().name.startswith(PREFIX):
            self._answer_waiting()
        else:
            _pool().submit(self._answer_waiting)
        return future.result()

    def _answer_waiting(self) -> None:
        """Process at most `most` waiting items; called once per item, so that none is left."""
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
def _pool() -> ThreadPoolExecutor:
    """Return a pool with a single-threaded computing thread per available core; other threads are unchanged."""
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


@lru_cache(maxsize=1)
def _model_on_gpu(name: str) -> SEPSModel:
    return load_model(name).to("cuda")


def encode_photos(name: str, photos: Sequence[Image.Image]) -> Tensor:
    """Encode photographs as patch embeddings (B, N[+1], C) on the CPU, with the shipped model `name` on the GPU."""
    return _model_on_gpu(name).encode_photos(photos).cpu()


def zero_gpu() -> Any:
    """Return the package `spaces` on ZeroGPU, where `app.py` imports it in the main thread before PyTorch; else
    None."""
    spaces = sys.modules.get("spaces")
    return spaces if spaces is not None and spaces.config.Config.zero_gpu else None


def lease_encoder(name: str) -> Encode | None:
    """Return a function that encodes photographs on a leased GPU; None without ZeroGPU."""
    spaces = zero_gpu()
    if spaces is None:
        return None
    lent = spaces.GPU(encode_photos)
    return lambda photos: lent(name, photos)


def best_device() -> torch.device:
    """Return CUDA, then MPS, then the CPU; the CPU on ZeroGPU, which reports CUDA that does not exist."""
    if zero_gpu() is not None:
        return torch.device("cpu")
    if torch.cuda.is_available():
        return torch.device("cuda")
    return torch.device("mps" if torch.backends.mps.is_available() else "cpu")

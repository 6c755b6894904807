"""Precision: evaluation mode, true float32 on GPUs, and detection of fast bfloat16 on CPUs."""

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache, partial
from timeit import repeat
from typing import Any

import torch

SIDE_TRIED = 256  # size of the matrices that time the CPU


_LOCK = threading.Lock()
_USERS: list[object] = []  # of `true_float32` now, since torch's switches apply to the whole process
_SWITCHED: list[Any] = []  # switches that were on


@contextmanager
def true_float32() -> Iterator[None]:
    """Multiply and convolve in true float32 on CUDA, where cuDNN uses TF32 by default; threads may overlap."""
    conv, matmul = torch.backends.cudnn.conv, torch.backends.cuda.matmul  # type: ignore[attr-defined]
    with _LOCK:
        if not _USERS:
            switches = ((torch.backends.cudnn, conv), (matmul, matmul))
            _SWITCHED[:] = [owner for owner, kind in switches if kind.fp32_precision == "tf32"]
            for owner in _SWITCHED:
                owner.allow_tf32 = False
        _USERS.append(None)
    try:
        yield
    finally:
        with _LOCK:
            _USERS.pop()
            for owner in () if _USERS else _SWITCHED:
                owner.allow_tf32 = True


@contextmanager
def exact_precision(device: torch.device) -> Iterator[None]:
    """Switch autocast and TF32 off: scores and explanations are exact even inside a caller's mixed precision."""
    with torch.autocast(device.type, enabled=False), true_float32():
        yield


def in_bfloat16(enabled: bool) -> torch.autocast:
    """Use bfloat16 on a CPU if requested and fast; on a GPU the caller's autocast decides."""
    return torch.autocast("cpu", torch.bfloat16, enabled=enabled and bfloat16_is_fast())


@cache
def bfloat16_is_fast() -> bool:
    """Return whether this CPU multiplies bfloat16 matrices at least as fast as float32, measured once."""
    best = {}
    for dtype in (torch.float32, torch.bfloat16):
        matrix = torch.ones(SIDE_TRIED, SIDE_TRIED, dtype=dtype)
        best[dtype] = min(repeat(partial(torch.matmul, matrix, matrix), number=1, repeat=3))
    return best[torch.bfloat16] <= best[torch.float32]


@contextmanager
def evaluating(model: torch.nn.Module) -> Iterator[None]:
    """Switch to evaluation mode, no gradient and true float32; restore the mode of every module afterwards."""
    training = [module for module in model.modules() if module.training]
    for module in training:
        module.training = False
    try:
        with torch.no_grad(), true_float32():
            yield
    finally:
        for module in training:
            module.training = True

"""Progress bars: one argument that says whether, and through what, long work shows how far it is."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Any

from tqdm import tqdm

Progress = bool | Callable[..., Iterable[Any]]


def batch_numbers(count: int, size: int, progress: Progress, title: str) -> Iterator[range]:
    """The same as ranges of positions."""
    for batch in batches(count, size, progress, title):
        yield range(count)[batch]


def batches(count: int, size: int, progress: Progress, title: str) -> Iterable[slice]:
    """Slices of `size`, with progress where it is wanted."""
    slices = [slice(start, start + size) for start in range(0, count, size)]
    if progress is False:
        return slices
    return tqdm(slices, desc=title, leave=False) if progress is True else progress(slices, desc=title)

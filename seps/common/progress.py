"""Progress bars, selected by one argument."""

from collections.abc import Callable, Generator, Iterable, Iterator
from typing import Any, TypeVar

from tqdm import tqdm

Progress = bool | Callable[..., Iterable[Any]]
Item = TypeVar("Item")
Result = TypeVar("Result")
Words = TypeVar("Words")


def with_progress(items: Iterable[Item], title: str, progress: Progress) -> Iterable[Item]:
    """Iterate with progress: True shows a bar, False none; a callable is called like `tqdm` with items and `desc`."""
    if progress is False:
        return items
    return tqdm(items, desc=title, leave=False) if progress is True else progress(items, desc=title)


def batches(count: int, size: int, progress: Progress, title: str) -> Iterable[slice]:
    """Iterate over slices of `size` that cover `count`, the last one shorter, with progress as `with_progress`."""
    return with_progress([slice(start, start + size) for start in range(0, count, size)], title, progress)


def batch_indices(count: int, size: int, progress: Progress, title: str) -> Iterator[range]:
    """Iterate over the slices of `batches` as ranges of indices below `count`."""
    for batch in batches(count, size, progress, title):
        yield range(count)[batch]


def finish(steps: Generator[Any, None, Result]) -> Result:
    """Run a generator to its end and return its result."""
    while True:
        try:
            next(steps)
        except StopIteration as end:
            return end.value


def map_progress(
    steps: Generator[Item, None, Result], describe: Callable[[Item], Words]
) -> Generator[Words, None, Result]:
    """Map the items of a generator and return its result."""
    while True:
        try:
            step = next(steps)
        except StopIteration as end:
            return end.value
        yield describe(step)

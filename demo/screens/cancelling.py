"""Long work that a person may cancel: it looks, before each of its steps, whether somebody asked it to end."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Iterator
from typing import Any

from demo.service.recent import Recent

MOST = 1000  # cancelled pieces of work that are remembered


class Cancelled(Exception):  # noqa: N818 nothing is wrong
    """The work was cancelled by whoever asked for it."""


class Cancellations:
    """What was cancelled, by a key that whoever asks gives their work. Safe to call from several threads."""

    def __init__(self) -> None:
        self._keys: Recent[Hashable, bool] = Recent(MOST)

    def cancel(self, key: Hashable) -> None:
        """Let the work of this key end before its next step, or before it begins."""
        self._keys.put(key, True)

    def watched(self, progress: Callable[..., Iterable[Any]], key: Hashable) -> Callable[..., Iterator[Any]]:
        """Return a progress, as `seps.progress.with_progress` takes it, that raises `Cancelled` once its work is
        cancelled."""

        def follow(items: Iterable[Any], desc: str = "") -> Iterator[Any]:
            for item in progress(items, desc=desc):
                if key in self._keys:
                    raise Cancelled
                yield item

        return follow

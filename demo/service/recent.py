"""What was used last stays in memory, at most so much of it."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Hashable
from threading import Lock
from typing import Generic, TypeVar

Key = TypeVar("Key", bound=Hashable)
Value = TypeVar("Value")


class Recent(Generic[Key, Value]):
    """The values by key that were used last. Safe to call from several threads.

    Args:
        capacity: how many are kept, at least 1; the one that was not used for longest goes first.
    """

    def __init__(self, capacity: int) -> None:
        self._capacity = capacity
        self._values: OrderedDict[Key, Value] = OrderedDict()
        self._lock = Lock()

    def __contains__(self, key: Key) -> bool:
        """Return whether a value is kept; this does not count as use."""
        with self._lock:
            return key in self._values

    def get(self, key: Key) -> Value | None:
        """Return the value of a key, which is used now; None where none is kept."""
        with self._lock:
            if key not in self._values:
                return None
            self._values.move_to_end(key)
            return self._values[key]

    def put(self, key: Key, value: Value) -> None:
        """Keep a value, in place of the one that the key has."""
        self.update(key, lambda _: value)

    def update(self, key: Key, change: Callable[[Value | None], Value]) -> Value:
        """Keep what `change` makes of the value that the key has, None where it has none; nobody comes in between.

        Returns:
            The new value.
        """
        with self._lock:
            value = self._values[key] = change(self._values.get(key))
            self._values.move_to_end(key)
            while len(self._values) > self._capacity:
                self._values.popitem(last=False)
            return value

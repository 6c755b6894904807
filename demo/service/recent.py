"""Thread-safe LRU cache."""

from collections import OrderedDict
from collections.abc import Callable, Hashable
from functools import cache
from threading import Lock
from typing import Generic, TypeVar

Key = TypeVar("Key", bound=Hashable)
Value = TypeVar("Value")


def once(load: Callable[[], Value]) -> Callable[[], Value]:
    """Return a thread-safe function that loads a value on its first call; errors are not kept."""
    lock, kept = Lock(), cache(load)

    def open_once() -> Value:
        with lock:
            return kept()

    return open_once


class Recent(Generic[Key, Value]):
    """Thread-safe LRU cache of at least one value."""

    def __init__(self, capacity: int) -> None:
        self._capacity = capacity
        self._values: OrderedDict[Key, Value] = OrderedDict()
        self._lock = Lock()

    def __contains__(self, key: Key) -> bool:
        """Return whether a key is cached; this does not count as use."""
        with self._lock:
            return key in self._values

    def get(self, key: Key) -> Value | None:
        """Return the value of a key and mark it as used; None if it is not cached."""
        with self._lock:
            if key in self._values:
                self._values.move_to_end(key)
            return self._values.get(key)

    def put(self, key: Key, value: Value) -> None:
        """Store a value, replacing the one with the same key."""
        self.update(key, lambda _: value)

    def get_or_add(self, key: Key, compute: Callable[[], Value]) -> Value:
        """Return the value of a key, computed and stored if it is not cached; threads do not wait for each other."""
        value = self.get(key)
        if value is None:
            value = compute()
            self.put(key, value)
        return value

    def update(self, key: Key, change: Callable[[Value | None], Value]) -> Value:
        """Atomically replace a key's value (None if missing) by the result of `change`; return the new value."""
        with self._lock:
            value = self._values[key] = change(self._values.get(key))
            self._values.move_to_end(key)
            while len(self._values) > self._capacity:
                self._values.popitem(last=False)
            return value

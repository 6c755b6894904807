"""Resident memory that follows use: what many threads have freed goes back to the system.

By default glibc gives every thread a heap of its own and hardly ever returns one: after a few hundred uploads and
pictures the process is twice as large as it needs to be.
"""

from __future__ import annotations

import ctypes
import sys
import time
from collections.abc import Callable
from contextlib import suppress
from threading import Thread

M_ARENA_MAX, HEAPS = -8, 2  # glibc's name for the setting, and the heaps that all threads share
EVERY = 3.0  # seconds between two returns of free memory


def keep_memory_flat() -> bool:
    """Let threads share a few heaps, and return what is free every few seconds; returns whether the C library can.

    Side effect: a daemon thread for as long as the process lives. Call it before other threads begin.
    """
    if not sys.platform.startswith("linux"):
        return False
    with suppress(OSError, AttributeError):  # another C library than glibc
        library = ctypes.CDLL(None)
        trim, option = library.malloc_trim, library.mallopt
        option(M_ARENA_MAX, HEAPS)
        Thread(target=_return_for_ever, args=(trim,), name="memory", daemon=True).start()
        return True
    return False


def _return_for_ever(trim: Callable[[int], int]) -> None:
    while True:
        time.sleep(EVERY)
        trim(0)

"""Coroutines in tests: a browser of other tests keeps a loop running in this thread, beside which none can start."""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine
from concurrent.futures import ThreadPoolExecutor
from typing import Any


def awaited(coroutine: Coroutine[Any, Any, Any]) -> Any:
    """Return what a coroutine comes to, in a thread of its own."""
    with ThreadPoolExecutor(1) as thread:
        return thread.submit(asyncio.run, coroutine).result()

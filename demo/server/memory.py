"""A quick start, and resident memory that follows use: what many threads have freed goes back to the system.

Gradio's type stubs take a second at each start and serve only editors.
By default glibc gives every thread a separate heap and hardly ever returns one: after a few hundred uploads and
pictures the process is twice as large as it needs to be. And Python looks for objects that only hold each other, a
drawn figure with its pixels among them, when these are a quarter of all that it has: 800,000 objects of libraries and
page, so that hundreds of MB wait. MKL, which multiplies PyTorch's matrices, keeps buffers for each thread that has
called it: hundreds of MB with the threads that answer requests.
"""

from __future__ import annotations

import ctypes
import gc
import os
import sys
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from importlib.abc import MetaPathFinder
from importlib.machinery import ModuleSpec, PathFinder
from threading import Thread
from types import ModuleType

M_ARENA_MAX, HEAPS = -8, 2  # glibc's name for the setting, and the heaps that all threads share
EVERY = 3.0  # seconds between two returns of free memory

MODULE = "gradio.component_meta"
WRITES_STUBS = "create_or_modify_pyi"  # called for each component's class: parses its source, compares its stub file


def keep_memory_flat() -> bool:
    """Let threads share a few heaps, and release free memory every few seconds; return whether the C library can.

    Side effect: a daemon thread for as long as the process lives. Call it before other threads begin and before PyTorch
    is imported.
    """
    os.environ.setdefault("MKL_DISABLE_FAST_MM", "1")  # MKL returns its buffers
    if not sys.platform.startswith("linux"):
        return False
    with suppress(OSError, AttributeError):  # another C library than glibc
        library = ctypes.CDLL(None)
        trim, option = library.malloc_trim, library.mallopt
        option(M_ARENA_MAX, HEAPS)
        Thread(target=_return_for_ever, args=(trim,), name="memory", daemon=True).start()
        return True
    return False


def put_off_search() -> None:
    """Look for nothing that can be freed until `set_aside`: what an app imports and builds, it keeps.

    Such searches take 2 of the 11 seconds of building it, and free 80 objects.
    """
    gc.disable()


def set_aside() -> None:
    """Look from now on for what can be freed, but never at what there is already: 670,000 objects, for half a second
    in which every thread waits.

    Call it once, when the app has been built and before people come.
    """
    gc.collect()
    gc.freeze()
    gc.enable()


def _return_for_ever(trim: Callable[[int], int]) -> None:
    while True:
        time.sleep(EVERY)
        if gc.isenabled():
            gc.collect()
        trim(0)


def skip_stub_files() -> None:
    """Let Gradio be imported without reading its components' stub files; no-op if already imported."""
    if MODULE not in sys.modules:
        sys.meta_path.insert(0, _WithoutStubs())


class _WithoutStubs(MetaPathFinder):
    """Finds the one module as Python does, and replaces what writes stub files once it has been executed."""

    def find_spec(
        self, fullname: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        if fullname != MODULE:
            return None
        sys.meta_path.remove(self)
        spec = PathFinder.find_spec(fullname, path, target)
        if spec is None or spec.loader is None:
            return spec
        execute = spec.loader.exec_module

        def execute_without_stubs(module: ModuleType) -> None:
            execute(module)
            if hasattr(module, WRITES_STUBS):  # another release of Gradio may not have it
                setattr(module, WRITES_STUBS, lambda *arguments: None)

        spec.loader.exec_module = execute_without_stubs  # type: ignore[method-assign]
        return spec

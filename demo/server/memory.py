"""Faster start and flat memory. glibc hardly ever returns memory that many threads have freed, MKL keeps buffers for
each thread, and Python collects cycles (a figure with its pixels) only after a quarter of its 800,000 objects: each of
them holds hundreds of MB. Gradio's type stubs take a second at each start and serve only editors."""

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
    """Let threads share a few heaps, and return free memory every few seconds in a daemon thread. Call it before other
    threads begin and PyTorch is imported. Return whether the C library can."""
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
    """Disable garbage collection until `set_aside`: it takes 2 of the 11 seconds in which the app is built."""
    gc.disable()


def set_aside() -> None:
    """Enable garbage collection again, without the 670,000 objects that exist already, which take half a second each
    time."""
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
    """Let Gradio be imported without reading its components' stub files; no-op if it is imported already."""
    if MODULE not in sys.modules:
        sys.meta_path.insert(0, _WithoutStubs())


class _WithoutStubs(MetaPathFinder):
    """Import hook for one module, which replaces the function that writes stub files."""

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

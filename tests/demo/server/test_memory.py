"""Freed memory goes back to the system, whichever thread used it."""

from __future__ import annotations

import subprocess
import sys

import pytest

START = """
import gc, threading, time
from pathlib import Path
from demo.server import memory

def resident():
    return next(int(line.split()[1]) for line in Path("/proc/self/status").read_text().splitlines() if "VmRSS" in line)

memory.EVERY = 0.2
memory.put_off_search()
searches = [generation["collections"] for generation in gc.get_stats()]
libraries = [[] for _ in range(600_000)]  # what the app has from its start
assert [generation["collections"] for generation in gc.get_stats()] == searches
memory.set_aside()
assert gc.get_freeze_count() > 600_000
assert gc.isenabled()
if KEEP:
    assert memory.keep_memory_flat()
before = resident()
"""
THREADS = """
def use():
    blocks = [bytearray(30_000) for _ in range(2_000)]  # 60 MB in pieces that no thread's heap maps by themselves
    blocks = blocks[::100]
    time.sleep(0.5)
threads = [threading.Thread(target=use) for _ in range(6)]
[thread.start() for thread in threads]
[thread.join() for thread in threads]
"""
CYCLES = """
for _ in range(20):
    figure = {"pixels": bytearray(b"x" * 5_000_000)}
    figure["canvas"] = [figure]
del figure
"""
END = """
time.sleep(1)
print((resident() - before) // 1024)
"""


def rise(use: str, keep: bool) -> int:
    """MB that stay resident after some use, in a separate process."""
    program = (START + use + END).replace("KEEP", str(keep))
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=60, check=True)
    return int(done.stdout)


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="only glibc keeps heaps that can be returned")
def test_what_threads_freed_is_returned() -> None:
    kept = rise(THREADS, keep=True)
    assert kept < 60
    assert kept <= rise(THREADS, keep=False)


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="only glibc keeps heaps that can be returned")
def test_what_only_holds_itself_goes_though_the_app_holds_much_more() -> None:
    assert rise(CYCLES, keep=True) < 30
    assert rise(CYCLES, keep=False) > 70

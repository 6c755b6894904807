"""Freed memory goes back to the system, whichever thread used it."""

from __future__ import annotations

import subprocess
import sys

import pytest

USE = """
import threading, time
from pathlib import Path
from demo.server import memory

def resident():
    return next(int(line.split()[1]) for line in Path("/proc/self/status").read_text().splitlines() if "VmRSS" in line)

memory.EVERY = 0.2
if KEEP:
    assert memory.keep_memory_flat()
before = resident()
def use():
    blocks = [bytearray(30_000) for _ in range(2_000)]  # 60 MB in pieces that no thread's heap maps by themselves
    blocks = blocks[::100]
    time.sleep(0.5)
threads = [threading.Thread(target=use) for _ in range(6)]
[thread.start() for thread in threads]
[thread.join() for thread in threads]
time.sleep(1)
print((resident() - before) // 1024)
"""


def rise(keep: bool) -> int:
    """MB that stay resident after six threads have used 60 MB each, in a process of its own."""
    program = USE.replace("KEEP", str(keep))
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=60, check=True)
    return int(done.stdout)


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="glibc alone keeps heaps that can be returned")
def test_what_threads_freed_is_returned() -> None:
    assert rise(keep=True) < 60
    assert rise(keep=True) <= rise(keep=False)

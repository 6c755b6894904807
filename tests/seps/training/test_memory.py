import platform
import subprocess
import sys

import pytest

PROGRAM = """
import resource, sys
import torch
from seps.training.command import keep_freed_memory

if sys.argv[1] == "kept":
    assert keep_freed_memory()
for _ in range(16):  # the heap grows to what it needs
    torch.ones(2**24)
before = resource.getrusage(resource.RUSAGE_SELF).ru_minflt
for _ in range(8):
    torch.ones(2**24)
print(resource.getrusage(resource.RUSAGE_SELF).ru_minflt - before)
"""


def faults(mode: str) -> int:
    """How often the system had to give a page while 8 tensors of 64 MB came and went."""
    process = subprocess.run([sys.executable, "-c", PROGRAM, mode], capture_output=True, text=True, check=True)
    return int(process.stdout)


@pytest.mark.slow
def test_freed_memory_serves_the_next_tensors() -> None:
    if platform.libc_ver()[0] != "glibc":
        from seps.training.command import keep_freed_memory

        assert not keep_freed_memory()
        return
    assert faults("kept") < faults("plain") / 10

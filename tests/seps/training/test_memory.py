import platform
import subprocess
import sys

import pytest

PROGRAM = """
import resource
import torch
from seps.training.command import keep_freed_memory

def faults(before_counting):
    for _ in range(before_counting):  # the heap grows to what it needs
        torch.ones(2**24)
    before = resource.getrusage(resource.RUSAGE_SELF).ru_minflt
    for _ in range(8):
        torch.ones(2**24)
    return resource.getrusage(resource.RUSAGE_SELF).ru_minflt - before

plain = faults(0)
assert keep_freed_memory()
print(plain, faults(16))
"""


@pytest.mark.slow
def test_freed_memory_serves_the_next_tensors() -> None:
    """The system gives a page less often while 8 tensors of 64 MB come and go."""
    if platform.libc_ver()[0] != "glibc":
        from seps.training.command import keep_freed_memory

        assert not keep_freed_memory()
        return
    process = subprocess.run([sys.executable, "-c", PROGRAM], capture_output=True, text=True, check=True)
    plain, kept = map(int, process.stdout.split())
    assert kept < plain / 10

"""How the C library hands out memory, for work that asks for the same large tensors again and again."""

import ctypes

M_TRIM_THRESHOLD, M_TOP_PAD, M_MMAP_MAX = -1, -2, -4  # of glibc's mallopt(3)
NEVER = 2**31 - 1  # bytes that must be free at the end before they are given back
TOP_PAD = 2**28  # bytes asked of the system at once


def keep_freed_memory() -> bool:
    """Let the allocator keep freed memory, a quarter of a step's time on a CPU; return whether glibc accepted it."""
    try:
        mallopt = ctypes.CDLL(None).mallopt
    except (AttributeError, OSError, TypeError):  # another C library; Windows has no name None
        return False
    return all(
        mallopt(name, value) for name, value in ((M_MMAP_MAX, 0), (M_TRIM_THRESHOLD, NEVER), (M_TOP_PAD, TOP_PAD))
    )

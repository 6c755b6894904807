"""Stub of the package `spaces` (0.51.3) with its restrictions, for the app under test. With SPACES_ZERO_GPU it patches
PyTorch: CUDA is reported but not available, and in the importing thread sizes are plain tuples."""

import os
import sys
from collections.abc import Callable
from threading import current_thread, main_thread
from types import SimpleNamespace
from typing import Any

gradio = sys.modules.get("gradio")
if gradio is not None and not hasattr(gradio, "Blocks"):
    raise ImportError("gradio is only partly imported")

zero_gpu = os.environ.get("SPACES_ZERO_GPU", "").lower() in ("1", "t", "true")
config = SimpleNamespace(Config=SimpleNamespace(zero_gpu=zero_gpu))
Function = Callable[..., Any]


def GPU(function: Function) -> Function:  # noqa: N802 the package's name
    """Return the function unchanged, instead of lending it a GPU."""
    return function


def gradio_auto_wrap(function: Function) -> Function:
    """Return the function that Gradio calls for an event."""
    return function


def patch_torch() -> None:
    """Patch PyTorch as on ZeroGPU; RuntimeError in another thread, or if PyTorch was imported before."""
    if current_thread() is not main_thread() or "torch" in sys.modules:
        raise RuntimeError("spaces must be imported in the main thread, before torch")
    import torch
    from torch.overrides import TorchFunctionMode

    class PlainSizes(TorchFunctionMode):
        """Return sizes as tuples."""

        def __torch_function__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
            """Call the function."""
            result = func(*args, **(kwargs or {}))
            return tuple(result) if isinstance(result, torch.Size) else result

    def no_cuda() -> None:
        raise RuntimeError("CUDA is initialised outside a function to which a GPU is lent")

    PlainSizes().__enter__()
    torch.cuda.is_available = lambda: True
    torch._C._cuda_init = no_cuda  # as the package does


if zero_gpu:
    patch_torch()

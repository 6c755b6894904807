"""The path under which the app stands where something in front of it gives it one, GRADIO_ROOT_PATH."""

from __future__ import annotations

import os
from urllib.parse import urlsplit


def read_root() -> str:
    """GRADIO_ROOT_PATH as Gradio and the routes take it: "", "/path" or a whole address, without a slash at its end."""
    root = os.environ.get("GRADIO_ROOT_PATH", "").strip().rstrip("/")
    return root if not root or root.startswith(("/", "http://", "https://")) else f"/{root}"


def strip_root(path: str, root: str) -> str:
    """Return the path of a request as in the app's routes, whether or not a proxy strips the root."""
    root = root.rstrip("/")
    if root.startswith(("http://", "https://")):
        root = urlsplit(root).path
    return (path[len(root) :] or "/") if root and f"{path}/".startswith(f"{root}/") else path

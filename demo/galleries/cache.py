"""The cache folder of embeddings and downloaded photographs.

Uploads and files for programs are in the `TemporaryFolder` of demo.server, which is removed with the app.
"""

from __future__ import annotations

import os
from pathlib import Path
from secrets import token_hex

from seps.files import write_atomically


def default_cache() -> Path:
    """Return the cache folder: $SEPS_CACHE, else seps-explorer in $XDG_CACHE_HOME, else in ~/.cache."""
    chosen = os.environ.get("SEPS_CACHE")
    if chosen:
        return Path(chosen).expanduser()
    return Path(os.environ.get("XDG_CACHE_HOME") or "~/.cache").expanduser() / "seps-explorer"


def write_whole(file: Path, content: bytes) -> None:
    """Write a file atomically, creating missing folders.

    Raises:
        OSError: the file cannot be written.
    """
    with write_atomically(file, f".{token_hex(8)}.part") as part:  # several sessions may write it at once
        part.touch(mode=0o600, exist_ok=False)
        part.write_bytes(content)

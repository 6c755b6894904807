"""The cache folder, where embeddings and fetched photographs are kept from one run to the next.

Uploads and files for programs lie in the `TemporaryFolder` of demo.server, which goes with the app.
"""

from __future__ import annotations

import os
from pathlib import Path
from secrets import token_hex

from seps.files import written_whole


def default_cache() -> Path:
    """Find the cache folder: $SEPS_CACHE, else seps-explorer below $XDG_CACHE_HOME, else below ~/.cache."""
    chosen = os.environ.get("SEPS_CACHE")
    if chosen:
        return Path(chosen).expanduser()
    return Path(os.environ.get("XDG_CACHE_HOME") or "~/.cache").expanduser() / "seps-explorer"


def write_whole(file: Path, content: bytes) -> None:
    """Write a file so that nobody ever sees a part of it; folders are made where they lack.

    Raises:
        OSError: the file cannot be written.
    """
    with written_whole(file, f".{token_hex(8)}.part") as part:  # several sessions may write it at once
        part.touch(mode=0o600, exist_ok=False)
        part.write_bytes(content)


def former_embeddings(cache: Path) -> str:
    """Return a line about embeddings that an earlier version left in the cache, a file each; "" where there are
    none."""
    folder = cache / "embeddings"
    if not folder.is_dir():
        return ""
    return f"Embeddings are kept in {cache / 'tables'} now and are made anew: {folder} can be deleted."

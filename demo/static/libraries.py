"""What the page runs models and reads captions with, from npm: fetched once into a cache, never kept in the repo."""

from __future__ import annotations

import gzip
import shutil
import subprocess
from collections.abc import Mapping
from pathlib import Path

from demo.galleries.cache import default_cache

# Pinned: what to check after a change stands in assets/guide/static.md.
PACKAGES = {"onnxruntime-web": "1.30.0", "@huggingface/tokenizers": "0.2.0"}
ORT, WASM, TOKENIZERS = "ort.mjs", "ort.wasm.gz", "tokenizers.mjs"  # as the page calls them
FILES = {
    ORT: "onnxruntime-web/dist/ort.wasm.bundle.min.mjs",
    WASM: "onnxruntime-web/dist/ort-wasm-simd-threaded.wasm",
    TOKENIZERS: "@huggingface/tokenizers/dist/tokenizers.min.mjs",
}
# ONNX Runtime with WebGPU, for browsers that have it, in a folder of its own under the same names: of its builds the
# smallest, in which WebAssembly waits for the GPU by the browser's own means (JSPI).
GPU_FILES = {
    ORT: "onnxruntime-web/dist/ort.jspi.bundle.min.mjs",
    WASM: "onnxruntime-web/dist/ort-wasm-simd-threaded.jspi.wasm",
}
TIMEOUT = 300  # seconds


def library_files(cache: Path | None = None, named: Mapping[str, str] = FILES) -> dict[str, bytes]:
    """Return the libraries' files as the page calls them, WebAssembly compressed; fetched where the cache lacks them.

    Args:
        cache: as in `npm_packages`; named: paths below node_modules by the page's names, `FILES` or `GPU_FILES`.

    Raises:
        ValueError: npm is not there, or cannot fetch them.
    """
    modules = npm_packages(PACKAGES, cache)
    files = {name: (modules / path).read_bytes() for name, path in named.items()}
    return files | {WASM: gzip.compress(files[WASM], mtime=0)}


def npm_packages(packages: Mapping[str, str], cache: Path | None = None) -> Path:
    """Return the folder below which packages lie by their names, each of its version; fetched where the cache lacks
    them.

    Raises:
        ValueError: npm is not there, or cannot fetch them.
    """
    specs = [f"{name}@{version}" for name, version in packages.items()]
    name = "-".join(spec.replace("/", "-").replace("@", "") for spec in specs)
    folder = (cache or default_cache()) / "libraries" / name
    modules, ready = folder / "node_modules", folder / ".ready"
    if ready.exists():
        return modules
    npm = shutil.which("npm")
    if npm is None:
        raise ValueError("The page's libraries come from npm, which is not there: install Node.js with npm.")
    folder.mkdir(parents=True, exist_ok=True)
    command = [npm, "install", "--prefix", str(folder), "--no-save", "--ignore-scripts", "--silent", *specs]
    try:
        subprocess.run(command, check=True, timeout=TIMEOUT, capture_output=True)
    except (subprocess.SubprocessError, OSError) as error:
        raise ValueError(f"npm could not fetch {' and '.join(specs)}: check the network, and try again.") from error
    ready.touch()
    return modules

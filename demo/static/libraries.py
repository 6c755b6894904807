"""Libraries from npm that the static page uses to run models and read captions, downloaded into a cache."""

import gzip
import shutil
import subprocess
from collections.abc import Mapping
from pathlib import Path

from demo.galleries.reading.paths import default_cache

# Pinned; see assets/guide/static.md for the checks after a change.
PACKAGES = {"onnxruntime-web": "1.30.0", "@huggingface/tokenizers": "0.2.0"}
ORT, WASM, TOKENIZERS = "ort.js", "ort.wasm.gz", "tokenizers.js"  # as the page calls them
FILES = {
    ORT: "onnxruntime-web/dist/ort.wasm.bundle.min.mjs",
    WASM: "onnxruntime-web/dist/ort-wasm-simd-threaded.wasm",
    TOKENIZERS: "@huggingface/tokenizers/dist/tokenizers.min.mjs",
}
# ONNX Runtime with WebGPU, in a separate folder with the same file names: the smallest of its builds, in which
# WebAssembly waits for the GPU with the browser's JSPI.
GPU_FILES = {
    ORT: "onnxruntime-web/dist/ort.jspi.bundle.min.mjs",
    WASM: "onnxruntime-web/dist/ort-wasm-simd-threaded.jspi.wasm",
}
TIMEOUT = 300  # seconds


def library_files(cache: Path | None = None, named: Mapping[str, str] = FILES) -> dict[str, bytes]:
    """Return the libraries' files by the page's names, WebAssembly compressed; errors as `npm_packages`."""
    modules = npm_packages(PACKAGES, cache)
    files = {name: (modules / path).read_bytes() for name, path in named.items()}
    return files | {WASM: gzip.compress(files[WASM], mtime=0)}


def npm_packages(packages: Mapping[str, str], cache: Path | None = None) -> Path:
    """Return the folder of packages with these versions; ValueError if missing ones cannot be downloaded by npm."""
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

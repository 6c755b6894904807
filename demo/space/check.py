"""Test of the folder in the environment of a Space: a copy, with only Python's packages from this machine."""

import os
import shutil
import socket
import subprocess
import sys
import time
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory

PATIENCE = 300.0  # seconds until the page has to answer
STUB = Path(__file__).with_name("spaces_stub.py")
INHERITED = ("PATH", "LANG", "LC_ALL", "SYSTEMROOT", "LD_LIBRARY_PATH")  # of the environment; caches and paths are not


def check_start(folder: Path, patience: float = PATIENCE, zero_gpu: bool = False) -> float:
    """Start the app from a copy of a Space's folder with a stub of `spaces`, and return the seconds until its page
    answers; ValueError if it does not within `patience`."""
    begun = time.monotonic()
    with started(folder, patience, zero_gpu):
        return time.monotonic() - begun


@contextmanager
def started(folder: Path, patience: float = PATIENCE, zero_gpu: bool = False) -> Iterator[str]:
    """Run the app of a Space's folder from a copy and give its URL; ValueError as `check_start`."""
    with TemporaryDirectory(prefix="seps-space-") as name:
        place, log = Path(name), Path(name) / "log"
        copy, port = shutil.copytree(folder, place / "app"), free_port()
        with log.open("wb") as output:
            app = subprocess.Popen(
                [sys.executable, "app.py"],
                cwd=copy,
                env=environment(place, port, zero_gpu),
                stdout=output,
                stderr=output,
            )
        try:
            wait_for(app, f"http://127.0.0.1:{port}/config", log, patience)
            yield f"http://127.0.0.1:{port}"
        finally:
            stop(app)


def stop(app: subprocess.Popen[bytes]) -> None:
    """End the app within half a minute."""
    app.terminate()
    try:
        app.wait(30)
    except subprocess.TimeoutExpired:
        app.kill()
        app.wait()


def environment(place: Path, port: int, zero_gpu: bool = False) -> dict[str, str]:
    """Return environment variables with the stub of `spaces`, empty caches, and no access to the hub."""
    (place / "home").mkdir()
    package = place / "packages" / "spaces"
    package.mkdir(parents=True)
    shutil.copyfile(STUB, package / "__init__.py")
    inherited = {name: os.environ[name] for name in INHERITED if name in os.environ}
    return inherited | {
        "HOME": str(place / "home"),
        "PYTHONPATH": str(package.parent),
        "SPACES_ZERO_GPU": "true" if zero_gpu else "",
        "HF_HUB_OFFLINE": "1",
        "GRADIO_ANALYTICS_ENABLED": "False",
        "GRADIO_SERVER_NAME": "127.0.0.1",
        "GRADIO_SERVER_PORT": str(port),
        "GRADIO_TEMP_DIR": str(place / "uploads"),
    }


def wait_for(app: subprocess.Popen[bytes], address: str, log: Path, patience: float) -> None:
    """Wait until the app answers, after its models are loaded; ValueError as `check_start`."""
    deadline = time.monotonic() + patience
    while time.monotonic() < deadline:
        if app.poll() is not None:
            lines = log.read_text(encoding="utf-8", errors="replace").strip().splitlines()
            raise ValueError(
                f"The Space's app.py ended with exit code {app.returncode}: {lines[-1] if lines else 'it said nothing'}"
            )
        try:
            urllib.request.urlopen(address, timeout=5).close()
            return
        except OSError:  # nobody listens yet, or the page before the app has no such address
            time.sleep(0.1)
    raise ValueError(f"The Space's page did not answer within {patience:g} seconds.")


def free_port() -> int:
    """Return an unused port."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])

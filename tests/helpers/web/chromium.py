"""Chromium for the browser tests: find it, and install it if missing.

`python -m tests.helpers.web.chromium`, which `make test` runs first, installs it with apt-get as root, otherwise with
Playwright.
"""

import os
import shutil
import subprocess
import sys
from contextlib import suppress

NAMES = ("chromium", "chromium-browser")
MISSING = (
    "Browser tests are skipped: there is no Chromium that starts. Install it with `apt-get install chromium` as root, "
    "or with `python -m playwright install --with-deps chromium`, and run them again."
)
PLAYWRIGHT = "from playwright.sync_api import sync_playwright as s\nwith s() as p: print(p.chromium.executable_path)"
APT = "apt-get update -qq && DEBIAN_FRONTEND=noninteractive apt-get install -y -qq chromium >/dev/null"
LONGEST = 900  # seconds that an installation may take


def find_chromium() -> str | None:
    """Return the path of a Chromium that starts, the system's before Playwright's; None without one."""
    for name in NAMES:
        path = shutil.which(name)
        if path is not None and starts(path):
            return path
    path = subprocess.run([sys.executable, "-c", PLAYWRIGHT], capture_output=True, text=True).stdout.strip()
    return path if path and starts(path) else None


def starts(path: str) -> bool:
    """Return whether a program prints its version: Ubuntu's package is an empty shell, and libraries may be missing."""
    with suppress(OSError, subprocess.TimeoutExpired):
        return subprocess.run([path, "--version"], capture_output=True, timeout=60).returncode == 0
    return False


def main() -> None:
    """Install Chromium if missing; where that fails, the tests that need it are skipped."""
    has_apt = os.geteuid() == 0 and shutil.which("apt-get") is not None
    with_deps = ["--with-deps"] if has_apt else []
    commands = [["sh", "-c", APT]] if has_apt else []
    for command in [*commands, [sys.executable, "-m", "playwright", "install", *with_deps, "chromium"]]:
        if find_chromium() is not None:
            return
        line = command[-1] if command[0] == "sh" else " ".join(command)
        print(f"Chromium is missing. Installing it: {line}", flush=True)
        with suppress(OSError, subprocess.TimeoutExpired):
            subprocess.run(command, timeout=LONGEST)
    if find_chromium() is None:
        print(MISSING)


if __name__ == "__main__":
    main()

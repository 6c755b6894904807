"""Set-up by two commands: `make demo` installs what the app needs, `make test` the rest and Chromium."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

import pytest

from tests.helpers import chromium
from tests.helpers.chromium import MISSING

ROOT = Path(__file__).parents[1]
DEV = "requirements-dev.txt"
CHECKS = ["test", "lint", "test-slow", "coverage", "format", "bench", "static", "soak", "gpu"]


def planned(target: str, venv: Path, *arguments: str) -> str:
    """The commands of a make target, with its variables set only here."""
    environment = {"PATH": os.environ["PATH"], "HOME": "/nowhere"}
    command = ["make", "--dry-run", target, f"PYTHON={sys.executable}", f"VENV={venv}", *arguments]
    return subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, check=True).stdout


@pytest.mark.parametrize("target", ["demo", "space", "model"])
def test_the_app_does_not_install_what_tests_need(target: str, tmp_path: Path) -> None:
    lines = planned(target, tmp_path / "venv", "DIR=folder", "NAME=photos")
    assert "pip install -r requirements.txt\n" in lines
    assert DEV not in lines


@pytest.mark.parametrize("target", CHECKS)
def test_tests_and_checks_install_both(target: str, tmp_path: Path) -> None:
    lines = planned(target, tmp_path / "venv", "DIR=folder")
    app, _, rest = lines.partition("pip install -r requirements.txt\n")
    assert DEV not in app
    assert f"pip install -r requirements.txt -r {DEV}\n" in rest


def test_an_environment_is_not_installed_twice(tmp_path: Path) -> None:
    for stamp, target in ((".ready-app", "demo"), (".ready", "demo"), (".ready", "lint")):
        venv = tmp_path / stamp / target
        venv.mkdir(parents=True)
        (venv / stamp).touch()
        assert "pip" not in planned(target, venv)
    assert "pip install -r requirements.txt\n" not in planned("test", tmp_path / ".ready-app" / "demo")


@pytest.mark.parametrize("target", ["test", "test-slow", "coverage"])
def test_chromium_is_installed_before_the_browser_tests(target: str, tmp_path: Path) -> None:
    lines = planned(target, tmp_path)
    assert 0 < lines.index("-m tests.helpers.chromium") < lines.index("-m pytest")


def test_no_guide_asks_for_chromium_before_tests() -> None:
    for name in ("README.md", "README.zh-CN.md", "CONTRIBUTING.md", ".ci/run"):
        assert "install chromium" not in (ROOT / name).read_text(encoding="utf-8"), name


class Machine:
    """Programs that a test puts on PATH, and the commands that installation ran."""

    def __init__(self, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        self.folder = folder
        self.commands: list[str] = []
        self.brings: dict[str, int] = {}  # per command, the exit status of the Chromium that it installs
        self.user, self.run = 0, subprocess.run
        monkeypatch.setenv("PATH", str(folder))
        monkeypatch.setenv("PLAYWRIGHT_BROWSERS_PATH", str(folder / "none"))
        monkeypatch.setattr(os, "geteuid", lambda: self.user)
        monkeypatch.setattr(subprocess, "run", self.record)

    def add(self, name: str, status: int = 0) -> None:
        """Write a program that ends with this status."""
        (self.folder / name).write_text(f"#!/bin/sh\nexit {status}\n")
        (self.folder / name).chmod(0o755)

    def record(self, command: Sequence[str], **options: object) -> object:
        """Run what looks for Chromium; note what installs it."""
        installs = [name for name in ("apt-get", "playwright install") if name in " ".join(command)]
        if not installs:
            return self.run(command, **options)  # type: ignore[call-overload]
        self.commands += installs
        if installs[0] in self.brings:
            self.add("chromium", self.brings[installs[0]])
        return None


@pytest.fixture
def machine(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Machine:
    return Machine(tmp_path, monkeypatch)


def test_a_chromium_that_starts_is_taken(machine: Machine, capsys: pytest.CaptureFixture[str]) -> None:
    machine.add("chromium-browser")
    assert chromium.main() == 0
    assert chromium.find_chromium() == str(machine.folder / "chromium-browser")
    assert (machine.commands, capsys.readouterr().out) == ([], "")


def test_root_installs_it_with_apt(machine: Machine, capsys: pytest.CaptureFixture[str]) -> None:
    machine.add("apt-get")
    machine.brings = {"apt-get": 0}
    assert chromium.main() == 0
    assert machine.commands == ["apt-get"]
    assert MISSING not in capsys.readouterr().out


def test_a_package_that_does_not_start_is_followed_by_playwright(machine: Machine) -> None:
    machine.add("apt-get")
    machine.brings = {"apt-get": 1, "playwright install": 0}
    assert chromium.main() == 0
    assert machine.commands == ["apt-get", "playwright install"]


def test_others_than_root_install_it_with_playwright(machine: Machine) -> None:
    machine.add("apt-get")
    machine.user = 1000
    machine.brings = {"playwright install": 0}
    assert chromium.main() == 0
    assert machine.commands == ["playwright install"]
    assert list(chromium.installers(is_root=False)) == [[sys.executable, "-m", "playwright", "install", "chromium"]]


def test_where_neither_works_the_tests_go_on(machine: Machine, capsys: pytest.CaptureFixture[str]) -> None:
    machine.add("apt-get", 1)
    assert chromium.main() == 0
    assert machine.commands == ["apt-get", "playwright install"]
    assert capsys.readouterr().out.splitlines()[-1] == MISSING


def test_without_chromium_browser_tests_are_skipped_in_one_line(tmp_path: Path) -> None:
    environment = os.environ | {"PATH": str(tmp_path), "PLAYWRIGHT_BROWSERS_PATH": str(tmp_path)}
    command = [sys.executable, "-m", "pytest", "-p", "no:cacheprovider", "tests/demo/browser/test_modules.py"]
    result = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True)
    lines = result.stdout.splitlines()
    assert result.returncode == 0, result.stdout
    assert [line for line in lines if MISSING in line] == [lines[-2]]
    assert lines[-2].startswith("SKIPPED [")
    assert "failed" not in lines[-1]

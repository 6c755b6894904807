import os
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
DEV = "requirements-dev.txt"


def planned(target: str, venv: Path, *arguments: str) -> str:
    """The commands of a make target, with its variables set only here."""
    environment = {"PATH": os.environ["PATH"], "HOME": "/nowhere"}
    # PYTHON only names the venv, which is given here, and makes it, which a dry run does not.
    command = ["make", "--dry-run", target, "PYTHON=true", f"VENV={venv}", *arguments]
    return subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, check=True).stdout


def test_the_app_does_not_install_what_tests_need(tmp_path: Path) -> None:
    lines = planned("demo", tmp_path / "venv")
    assert "pip install -r requirements.txt\n" in lines
    assert DEV not in lines


@pytest.mark.parametrize("target", ["test", "lint", "soak"])
def test_tests_and_checks_install_both(target: str, tmp_path: Path) -> None:
    lines = planned(target, tmp_path / "venv", "DIR=folder")
    app, _, rest = lines.partition("pip install -r requirements.txt\n")
    assert DEV not in app
    assert f"pip install -r requirements.txt -r {DEV}\n" in rest
    if target == "test":
        assert 0 < rest.index("-m tests.helpers.web.chromium") < rest.index("-m pytest")


def test_an_environment_is_not_installed_twice(tmp_path: Path) -> None:
    for stamp, target in ((".ready-app", "demo"), (".ready", "lint")):
        venv = tmp_path / stamp / target
        venv.mkdir(parents=True)
        (venv / stamp).touch()
        assert "pip" not in planned(target, venv)
    assert "pip install -r requirements.txt\n" not in planned("test", tmp_path / ".ready-app" / "demo")

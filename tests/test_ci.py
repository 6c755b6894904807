"""What checks a change: the workflow runs .ci/run on every Python that is supported; scripts are checked with npm."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
TOOLS = "js-eslint-9.39-typescript-5.9"


def lint(programs: Path, cache: Path) -> subprocess.CompletedProcess[str]:
    """Run .ci/lint-js with the programs of a folder and no others."""
    for name in ("dirname", "timeout", "touch", "mkdir", "cat", "chmod"):
        path = shutil.which(name)
        assert path is not None
        (programs / name).symlink_to(path)
    command = ["/bin/bash", str(ROOT / ".ci" / "lint-js"), str(cache)]
    return subprocess.run(command, env={"PATH": str(programs)}, capture_output=True, text=True)


def program(file: Path, script: str) -> None:
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(f"#!/bin/bash\n{script}\n")
    file.chmod(0o755)


@pytest.fixture
def programs(tmp_path: Path) -> Path:
    (tmp_path / "bin").mkdir()
    return tmp_path / "bin"


def test_without_npm_scripts_are_not_checked_and_it_says_so(programs: Path, tmp_path: Path) -> None:
    result = lint(programs, tmp_path / "cache")
    assert (result.returncode, result.stdout) == (0, "JavaScript is not checked: npm is not there.\n")


def test_without_a_network_scripts_are_not_checked_and_it_says_so(programs: Path, tmp_path: Path) -> None:
    program(programs / "npm", "echo no network >&2; exit 1")
    result = lint(programs, tmp_path / "cache")
    message = "JavaScript is not checked: npm could not fetch eslint and typescript.\n"
    assert (result.returncode, result.stdout, result.stderr) == (0, message, "")


@pytest.mark.parametrize(("eslint", "tsc"), [(0, 0), (1, 0), (0, 2)])
def test_with_npm_both_are_asked_and_a_slip_fails(programs: Path, tmp_path: Path, eslint: int, tsc: int) -> None:
    tools = tmp_path / "cache" / TOOLS
    program(programs / "npm", f"mkdir -p {tools}; echo fetched >> {tools}/log")
    for name, code in (("eslint", eslint), ("tsc", tsc)):
        program(tools / "node_modules" / ".bin" / name, f"echo {name} $*; exit {code}")
    result = lint(programs, tmp_path / "cache")
    assert result.returncode == (eslint or tsc)
    assert "eslint --config .ci/eslint.config.mjs assets/js" in result.stdout
    assert ("tsc --project .ci/tsconfig.json" in result.stdout) == (eslint == 0)
    assert ("all checks passed" in result.stdout) == (eslint == tsc == 0)
    (tools / "log").unlink()
    shutil.rmtree(programs)
    programs.mkdir()
    program(programs / "npm", "exit 1")
    assert "could not fetch" not in lint(programs, tmp_path / "cache").stdout  # what is there is not fetched again


def test_the_workflow_runs_the_same_on_every_python_that_is_supported() -> None:
    workflow = (ROOT / ".github" / "workflows" / "ci.yml").read_text()
    (versions,) = re.findall(r"python: \[(.*)\]", workflow)
    supported = re.findall(r'"Programming Language :: Python :: ([\d.]+)"', (ROOT / "pyproject.toml").read_text())
    assert re.findall(r"[\d.]+", versions) == supported == ["3.10", "3.11", "3.12"]
    assert re.findall(r"- run: (.*)", workflow) == [".ci/run"]
    commands = (ROOT / ".ci" / "run").read_text()
    assert "make test\n" in commands
    assert os.access(ROOT / ".ci" / "run", os.X_OK)
    assert "@.ci/lint-js $(CACHE)" in (ROOT / "Makefile").read_text().split("\nlint:")[1].split("\n\n")[0]


def test_what_fails_is_run_once_more_alone_and_fails_where_it_fails_again(tmp_path: Path) -> None:
    (tmp_path / "test_it.py").write_text(
        "import pathlib\n"
        "def seen(name):\n"
        "    file = pathlib.Path(name)\n"
        "    file.write_text(file.read_text() + 'x' if file.exists() else 'x')\n"
        "    return len(file.read_text())\n"
        "def test_busy(): assert seen('busy') == 2\n"
        "def test_wrong(): assert seen('wrong') == 9\n"
        "def test_right(): assert seen('right')\n"
    )
    makefile = (ROOT / "Makefile").read_text()
    (alone,) = re.findall(r"^ALONE := OMP_NUM_THREADS=1 \$\(RUN\) -m (.+)$", makefile, re.MULTILINE)
    assert re.findall(r"\$\(PYTEST\) -m (\"not slow\"|slow) \|\| \$\(ALONE\) -m \1$", makefile, re.MULTILINE)
    command = [sys.executable, "-m", *alone.split(), "-q", "-c", os.devnull, "--rootdir", str(tmp_path), str(tmp_path)]
    first = [argument for argument in command if argument not in alone.split()[1:]]
    codes = [subprocess.run(arguments, cwd=tmp_path, capture_output=True).returncode for arguments in (first, command)]
    counts = [len((tmp_path / name).read_text()) for name in ("busy", "wrong", "right")]
    assert (codes, counts) == ([1, 1], [2, 2, 1])


def test_tests_are_handed_out_without_torch_and_all_that_needs_a_browser_to_one_process() -> None:
    program = """
import sys
from types import SimpleNamespace
from tests.conftest import pytest_xdist_make_scheduler
assert not {"torch", "transformers"} & sys.modules.keys()
option = SimpleNamespace(markexpr="not slow", loadscopereorder=True)
config = SimpleNamespace(option=option, getvalue=lambda name: ["popen"])
scope = pytest_xdist_make_scheduler(config, None)._split_scope
assert scope("tests/demo/browser/test_a.py::b[c::d]") == scope("tests/demo/browser/test_e.py::f")
assert scope("tests/demo/test_a.py::b[c::d]") == "tests/demo/test_a.py"
option.markexpr = "slow"
assert pytest_xdist_make_scheduler(config, None) is None
"""
    subprocess.run([sys.executable, "-c", program], cwd=ROOT, check=True)

import os
import re
import shutil
import subprocess
import sys
import sysconfig
import venv
from functools import cache
from importlib.metadata import distribution
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from packaging.requirements import Requirement

import seps
from seps.__main__ import COMMANDS, main
from seps.generator.generator import shipped_generators
from seps.judge.judge import shipped_judges
from seps.models.hub import shipped_models

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

ROOT = Path(__file__).parents[1]
PROJECT: dict[str, Any] = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
IMPORT = re.compile(r"^ *(?:import|from(?= \S+ import )) (\w+)", re.MULTILINE)
# The extras that a view may need on top of a base install; the app has all but dev.
NEEDS = {
    "models/export": "onnx",
    "static/model.py": "onnx",
    "media/heic.py": "heic",
    "indexing/cluster.py": "cluster",
    "generator/caption_metrics.py": "captions",
    "training": "train",
    "evaluation": "train",
    "runs": "train",
    "judge": "judge",
    "generator": "generator",
}


def declared(extra: str | None = None) -> set[str]:
    """The packages of an extra, with nested extras and the base package included."""
    if extra is None:
        return set(PROJECT["dependencies"])
    result: set[str] = declared()
    for requirement in PROJECT["optional-dependencies"][extra]:
        others = re.fullmatch(r"seps-explorer\[([a-z,]+)\]", requirement)
        result |= set.union(*map(declared, others[1].split(","))) if others else {requirement}
    return result


@cache
def modules_of(requirement: str) -> set[str]:
    """The top-level modules of an installed package."""
    package = distribution(Requirement(requirement).name)
    listed = package.read_text("top_level.txt")
    return set(listed.split()) if listed else {file.parts[0].removesuffix(".py") for file in package.files or ()}


@cache
def allowed(top: str, extra: str | None) -> set[str]:
    """The packages of others that a file of `seps` or of the app may import."""
    return set().union(*map(modules_of, declared(extra) | (set() if top == "seps" else declared("app"))))


def imported(file: Path) -> set[str]:
    """The packages of others that a file imports, wherever in it."""
    return set(IMPORT.findall(file.read_text(encoding="utf-8"))) - sys.stdlib_module_names - {"seps", "demo"}


def test_a_space_installs_what_the_extras_do() -> None:
    lines = (ROOT / "requirements.txt").read_text().split()
    assert lines == sorted(declared("app") | declared("train"))
    assert sorted((ROOT / "requirements-dev.txt").read_text().split()) == sorted(declared("dev") - declared())


def test_what_is_imported_is_declared() -> None:
    files = [*(ROOT / "seps").rglob("*.py"), *(ROOT / "demo").rglob("*.py"), ROOT / "app.py"]
    for file in files:
        top, room, inner, *_ = (*file.relative_to(ROOT).parts, "", "")
        needed = allowed(top, NEEDS.get(f"{room}/{inner}", NEEDS.get(room)))
        packages = imported(file) - {"spaces", "_typeshed"}  # a Space brings the one, type checkers the other
        assert packages <= needed, (str(file), packages - needed)


def test_the_command_lists_the_programs_and_knows_no_other(capsys: pytest.CaptureFixture[str]) -> None:
    assert main([]) == 0
    printed = capsys.readouterr().out
    assert main(["trian", "tiny"]) == 2
    error = capsys.readouterr().err
    assert error.startswith("error: There is no command 'trian': choose one of these.\n")
    assert all(f"  {name} " in text for text in (printed, error) for name in COMMANDS)
    assert main(["training.guide"]) == 0
    assert "| setting | usual |" in capsys.readouterr().out


def test_models_ship_in_small_files_and_without_pickles() -> None:
    folders = {*shipped_models().values(), *shipped_judges().values(), *shipped_generators().values()}
    assert {folder.name for folder in folders} == {"photos", "scenes", "judge", "generator", "captioner"}
    for file in [file for folder in folders for file in folder.rglob("*") if file.is_file()]:
        assert file.stat().st_size <= 10_000_000, file
        assert file.suffix in (".json", ".safetensors", ".md", ".csv"), file


def test_a_file_that_ships_is_found_by_its_name() -> None:
    assert seps.shipped_file("galleries/photos/china.jpg").is_file()
    with pytest.raises(ValueError, match=r"No file 'galleries/photos/cat\.jpg' ships with SEPS"):
        seps.shipped_file("galleries/photos/cat.jpg")


@pytest.mark.slow
def test_an_installed_wheel_runs_the_first_sample_from_any_folder(tmp_path: Path) -> None:
    source, env, folder = tmp_path / "source", tmp_path / "env", tmp_path / "elsewhere"
    for name in ("seps", "assets/models", "assets/galleries/photos"):
        shutil.copytree(ROOT / name, source / name, ignore=shutil.ignore_patterns("__pycache__"))
    for name in ("pyproject.toml", "setup.py", "README.md", "LICENSE"):
        shutil.copy(ROOT / name, source)
    offline = ["--no-deps", "--no-index", "--disable-pip-version-check"]
    pip = [sys.executable, "-m", "pip"]
    subprocess.run([*pip, "wheel", *offline, "--no-build-isolation", "-w", str(tmp_path), str(source)], check=True)
    (wheel,) = tmp_path.glob("*.whl")
    shutil.rmtree(source)
    venv.create(env, symlinks=True)
    subprocess.run([*pip, "--python", str(env / "bin" / "python"), "install", *offline, str(wheel)], check=True)
    (site,) = (env / "lib").glob("python*/site-packages")
    (site / "others.pth").write_text(sysconfig.get_path("purelib"))  # third-party packages are not installed again
    readme = (ROOT / "README.md").read_text()
    (sample,) = re.findall(r"<!-- quickstart -->\n```python\n(.*?)```", readme, re.DOTALL)
    folder.mkdir()
    (folder / "sample.py").write_text(sample + "\nprint(seps.__file__)\n")
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}

    def output(*command: str) -> str:
        result = subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, check=True)
        return result.stdout

    printed = output(str(env / "bin" / "python"), "sample.py")
    assert printed.splitlines()[-1].startswith(str(site))
    expected, scores = (
        np.array([float(number) for number in re.findall(r"\d\.\d{4}", text)[:4]]) for text in (sample, printed)
    )
    np.testing.assert_allclose(scores, expected, atol=2e-3)
    assert "usage: seps COMMAND" in output(str(env / "bin" / "seps"))
    assert "usage: python -m seps.evaluate" in output(str(env / "bin" / "seps"), "evaluate", "--help")

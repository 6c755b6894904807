"""The installed package: its metadata, the command `seps`, and a wheel that runs the README's sample."""

from __future__ import annotations

import argparse
import ast
import os
import re
import shutil
import subprocess
import sys
import sysconfig
import venv
from importlib.metadata import packages_distributions
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import seps
from seps.__main__ import COMMANDS, PACKAGES, main

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

ROOT = Path(__file__).parents[1]
PROJECT: dict[str, Any] = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
# The extras that a view may need on top of a base install; the app has all but dev.
NEEDS = {
    "models/export": "onnx",
    "static/model.py": "onnx",
    "heic.py": "heic",
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


def names(requirements: set[str]) -> set[str]:
    return {normal(re.split(r"[<>=[]", requirement)[0]) for requirement in requirements}


def normal(name: str) -> str:
    return re.sub(r"[-_.]+", "-", name).lower()


def imported(file: Path) -> set[str]:
    """The packages of others that a file imports, wherever in it."""
    result = set()
    for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
        modules = [alias.name for alias in node.names] if isinstance(node, ast.Import) else []
        modules += [node.module or ""] if isinstance(node, ast.ImportFrom) else []
        result |= {module.partition(".")[0] for module in modules}
    return result - sys.stdlib_module_names - {"seps", "demo"}


def test_a_space_installs_what_the_extras_do() -> None:
    lines = (ROOT / "requirements.txt").read_text().split()
    assert lines == sorted(declared("app") | declared("train"))
    assert sorted((ROOT / "requirements-dev.txt").read_text().split()) == sorted(declared("dev") - declared())


def test_what_is_imported_is_declared() -> None:
    distributions = packages_distributions()
    files = [*(ROOT / "seps").rglob("*.py"), *(ROOT / "demo").rglob("*.py"), ROOT / "app.py"]
    for file in files:
        top, room, inner, *_ = (*file.relative_to(ROOT).parts, "", "")
        needed = NEEDS.get(f"{room}/{inner}", NEEDS.get(room))
        allowed = names(declared(needed)) if top == "seps" else names(declared("app") | declared(needed))
        for package in imported(file) - {"spaces", "_typeshed"}:  # a Space brings the one, type checkers the other
            assert allowed & {normal(name) for name in distributions.get(package, [])}, (str(file), package)


def test_every_program_is_a_command() -> None:
    programs = set()
    for file in (ROOT / "seps").rglob("*.py"):
        if 'if __name__ == "__main__":' in file.read_text():
            programs.add(".".join(file.relative_to(ROOT / "seps").with_suffix("").parts))
    programs -= {"__main__", "scenes.vocabulary"}  # `seps` itself, and the maker of a package file
    assert {f"{name}.__main__" if name in PACKAGES else name for name in COMMANDS} == programs


@pytest.mark.parametrize("name", COMMANDS)
def test_a_command_runs_its_program(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as ended:
        main([name, "--help"])
    assert ended.value.code == 0
    assert f"python -m seps.{name}" in capsys.readouterr().out


def test_the_command_lists_the_programs_and_knows_no_other(capsys: pytest.CaptureFixture[str]) -> None:
    for arguments in ([], ["--help"]):
        assert main(arguments) == 0
        printed = capsys.readouterr().out
        assert all(f"  {name} " in printed for name in COMMANDS)
    assert main(["trian", "tiny"]) == 2
    error = capsys.readouterr().err
    assert error.startswith("error: There is no command 'trian': choose one of these.\n")
    assert all(f"  {name} " in error for name in COMMANDS)
    assert main(["training.guide"]) == 0
    assert "| setting | usual |" in capsys.readouterr().out


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


@pytest.mark.parametrize("package", ["search", "training"])
def test_what_a_package_is_made_of_is_named_in_its_docstring(package: str) -> None:
    folder = ROOT / "seps" / package
    text = ast.get_docstring(ast.parse((folder / "__init__.py").read_text(encoding="utf-8"))) or ""
    assert {file.stem for file in folder.glob("*.py")} - {"__init__"} <= set(re.findall(r"`(\w+)`", text))


def subcommands(parser: argparse.ArgumentParser) -> list[str]:
    """The commands that a program takes."""
    (commands,) = [action for action in parser._actions if isinstance(action, argparse._SubParsersAction)]
    return list(commands.choices)


def test_programs_list_their_commands() -> None:
    from demo import __main__ as app
    from demo.galleries.named import NAMES
    from seps.generator.program import arguments_parser as generator
    from seps.judge.program import arguments_parser as judge

    explained = {"judge": judge(), "generator": generator()}
    for name, parser in explained.items():
        for text in (COMMANDS[name], *(module_docstring(f"seps/{name}/{file}.py") for file in ("__main__", "program"))):
            assert set(subcommands(parser)) <= set(re.findall(r"\w+", text)), text
    taken = subcommands(app.parser())
    assert {f"python -m demo {name}" for name in taken} <= set(
        re.findall(r"python -m demo \w+", " ".join(module_docstring("demo/__main__.py").split()))
    )
    source = (ROOT / "demo" / "__main__.py").read_text(encoding="utf-8")
    assert set(NAMES) < set(re.findall(r"[\w-]+", source.partition('"--gallery", help="')[2].partition('"')[0]))


def module_docstring(path: str) -> str:
    """Return the docstring of a module of the repo."""
    return ast.get_docstring(ast.parse((ROOT / path).read_text(encoding="utf-8"))) or ""

"""Gradio's inside: all that the app touches is listed, and is there in the Gradio that is installed."""

from __future__ import annotations

import ast
import inspect
import re
from importlib import import_module
from pathlib import Path
from typing import Any

import gradio as gr
import pytest

from demo.server.internals import HELD, INTERNALS, SEEN, Internal

ROOT = Path(__file__).parents[3]
PUBLIC = {"gradio", "gradio.themes", "gradio.themes.utils", "gradio.components"}
FORM = re.compile(r"(?P<module>[\w.]+):(?P<name>[\w.]+)(?:\((?P<parameters>[\w, ]+)\))?")


def lacking(place: str) -> str:
    """The missing part of a dotted path, "" if complete."""
    match = FORM.fullmatch(place)
    assert match is not None, place
    try:
        part: Any = import_module(match["module"])
        for name in match["name"].split("."):
            part = getattr(part, name)
    except (ImportError, AttributeError) as error:
        return str(error)
    known = inspect.signature(part).parameters if match["parameters"] else {}
    return ", ".join(name for name in (match["parameters"] or "").split(", ") if name and name not in known)


@pytest.mark.parametrize("internal", INTERNALS, ids=lambda internal: internal.place)
def test_it_is_there(internal: Internal) -> None:
    missing = lacking(internal.place)
    assert not missing, (
        f"Gradio {gr.__version__} has changed {internal.place} (seen with {SEEN}; lacking: {missing}). "
        f"demo/server/{internal.file} needs it. Without it: {internal.without}."
    )


def test_what_is_lacking_is_told() -> None:
    assert "no attribute 'gone'" in lacking("gradio.blocks:Blocks.gone")
    assert "gradio.gone" in lacking("gradio.gone:Blocks")
    assert lacking("gradio.blocks:Blocks.launch(_frontend, gone)") == "gone"


@pytest.mark.parametrize("place", HELD)
def test_instances_hold_it(place: str) -> None:
    module, _, name = place.partition(":")
    made = getattr(import_module(module), name)
    source = inspect.getsource(made)
    missing = [name for name in HELD[place] if not hasattr(made, name) and f"self.{name}" not in source]
    assert not missing, f"Gradio {gr.__version__} has changed {place} (seen with {SEEN}): {missing} is not there."


def uses(file: Path) -> set[str]:
    """A file's imports of private Gradio names, and its reads of attributes that begin with "_"."""
    names = set()
    for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
        if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("gradio") and node.module not in PUBLIC:
            names |= {alias.name for alias in node.names}
        elif isinstance(node, ast.Attribute) and re.match("_[a-z]", node.attr):
            is_own = isinstance(node.value, ast.Name) and node.value.id in ("self", "cls", "os")
            names |= set() if is_own else {node.attr}
        elif isinstance(node, ast.keyword) and re.match("_[a-z]", node.arg or ""):
            names.add(str(node.arg))
    return names


def test_only_the_server_touches_it_and_all_is_listed() -> None:
    listed = {name for names in HELD.values() for name in names}
    for internal in INTERNALS:
        module, _, names = internal.place.partition("(")[0].partition(":")
        listed |= {module.rpartition(".")[2], *names.split("."), *re.findall("_[a-z]+", internal.place)}
        text = (ROOT / "demo" / "server" / internal.file).read_text(encoding="utf-8")
        assert names.rpartition(".")[2] in text, f"{internal.file} no longer needs {internal.place}"
    files = {*(ROOT / "demo").rglob("*.py"), ROOT / "app.py"} - {ROOT / "demo" / "space" / "spaces_stub.py"}
    touched = {file.relative_to(ROOT): uses(file) for file in sorted(files)}  # the stub patches PyTorch, not Gradio
    assert [str(file) for file, names in touched.items() if names and file.parts[:2] != ("demo", "server")] == []
    assert {name for names in touched.values() for name in names} <= listed

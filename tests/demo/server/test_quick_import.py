"""Gradio is imported without its stub files, and its components are unchanged."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

CODE = """
import sys
sys.path.insert(0, {folder!r})
{before}
import gradio as gr
import component
assert component.Own.EVENTS[0] == "change" and callable(component.Own.change)
print(component.__file__)
"""
COMPONENT = '''
from gradio.components import Textbox


class Own(Textbox):
    """A component of a module that has no stub file yet."""

    EVENTS = ["change"]
'''


@pytest.mark.parametrize("skips", [False, True])
def test_stub_files_are_not_written(tmp_path: Path, skips: bool) -> None:
    (tmp_path / "component.py").write_text(COMPONENT)
    before = "from demo.server.quick_import import skip_stub_files; skip_stub_files()" if skips else ""
    code = CODE.format(folder=str(tmp_path), before=before)
    subprocess.run([sys.executable, "-c", code], check=True, cwd=Path(__file__).parents[3])
    assert (tmp_path / "component.pyi").exists() is not skips


def test_nothing_is_left_behind_where_gradio_is_there() -> None:
    import gradio  # noqa: F401

    from demo.server.quick_import import skip_stub_files

    before = list(sys.meta_path)
    skip_stub_files()
    assert sys.meta_path == before

"""Importing Gradio without its type stubs, which take a second at each start and serve only editors."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from importlib.abc import MetaPathFinder
from importlib.machinery import ModuleSpec, PathFinder
from types import ModuleType
from typing import Any

MODULE = "gradio.component_meta"
WRITES_STUBS = "create_or_modify_pyi"  # called for each component's class: parses its source, compares its stub file


def skip_stub_files() -> None:
    """Let Gradio be imported without reading its components' stub files; no-op if already imported."""
    if MODULE not in sys.modules:
        sys.meta_path.insert(0, _WithoutStubs())


class _WithoutStubs(MetaPathFinder):
    """Finds the one module as Python does, and replaces what writes stub files once it has been executed."""

    def find_spec(
        self, fullname: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        if fullname != MODULE:
            return None
        sys.meta_path.remove(self)
        spec = PathFinder.find_spec(fullname, path, target)
        if spec is None or spec.loader is None:
            return spec
        execute = spec.loader.exec_module

        def execute_without_stubs(module: ModuleType) -> None:
            execute(module)
            if hasattr(module, WRITES_STUBS):  # another release of Gradio may not have it
                setattr(module, WRITES_STUBS, _nothing)

        spec.loader.exec_module = execute_without_stubs  # type: ignore[method-assign]
        return spec


def _nothing(*arguments: Any) -> None:
    """Does what a component's class needs of its stub file at run time."""

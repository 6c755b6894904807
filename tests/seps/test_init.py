"""`import seps` is quick: what takes seconds is imported when a name is first asked for."""

from __future__ import annotations

import subprocess
import sys
from importlib import import_module
from pathlib import Path

import seps
import seps.method
from tests.helpers.sentences import refused


def test_importing_the_library_imports_no_torch() -> None:
    program = "import seps, sys; assert not {'torch', 'numpy', 'transformers'} & sys.modules.keys(); seps.ScoringEngine"
    subprocess.run([sys.executable, "-c", program], check=True, cwd=Path(__file__).parents[2])


def test_every_public_name_is_the_one_of_its_module() -> None:
    homes = {name: module for module, names in seps.HOMES.items() for name in names.split()}
    assert sorted(homes) == sorted(seps.__all__)
    for name, module in homes.items():
        assert getattr(seps, name) is getattr(import_module(module), name)
        assert name in dir(seps)
    for former, name in seps.FORMER.items():
        assert getattr(seps, former) is getattr(seps, name)
    with refused(AttributeError):
        _ = seps.moon


def test_modules_that_moved_are_imported_under_their_former_names() -> None:
    for name, module in seps.method.MOVED.items():
        assert getattr(seps.method, name) is import_module(module)
    from seps.method import explanation

    assert explanation.explain is seps.explain and explanation.Explanation is seps.Explanation
    with refused(AttributeError):
        _ = seps.method.moon

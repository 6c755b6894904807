import subprocess
import sys
from importlib import import_module
from pathlib import Path

import pytest

import seps
import seps.method


def test_importing_the_library_imports_no_torch() -> None:
    program = "import seps, sys; assert not {'torch', 'numpy', 'transformers'} & sys.modules.keys()"
    subprocess.run([sys.executable, "-c", program], check=True, cwd=Path(__file__).parents[2])


def test_every_public_name_is_the_one_of_its_module() -> None:
    homes = {name: module for module, names in seps.HOMES.items() for name in names.split()}
    assert sorted(homes) == sorted(seps.__all__)
    for name, module in homes.items():
        assert getattr(seps, name) is getattr(import_module(module), name)
        assert name in dir(seps)
    for package in (seps, seps.method):
        with pytest.raises(AttributeError, match=rf"module '{package.__name__}' has no attribute 'moon'"):
            _ = package.moon

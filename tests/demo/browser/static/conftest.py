"""The page without a server, served from a folder."""

import os
from collections.abc import Iterator
from pathlib import Path

import pytest
from filelock import FileLock

from demo.static.__main__ import MODELS
from tests.helpers.web.static_site import served_folder


@pytest.fixture(scope="session")
def static_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the page without a server below it, with both models; the test processes share it."""
    from demo.static.write import write_site

    base = tmp_path_factory.getbasetemp()
    folder = (base.parent if "PYTEST_XDIST_WORKER" in os.environ else base) / "static"
    with FileLock(f"{folder}.lock"):
        if not folder.is_dir():
            write_site(folder.with_name("writing") / "below" / "it", MODELS)
            folder.with_name("writing").rename(folder)
    return folder


@pytest.fixture(scope="session")
def static_address(static_folder: Path) -> Iterator[str]:
    with served_folder(static_folder) as url:
        yield f"{url}/below/it/"

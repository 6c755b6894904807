"""The page without a server, served from a folder."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from demo.static.__main__ import MODELS
from tests.helpers.web.static_site import served_folder


@pytest.fixture(scope="session")
def static_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the page without a server below it, with both models."""
    from demo.static.write import write_site

    folder = tmp_path_factory.mktemp("static")
    write_site(folder / "below" / "it", MODELS)
    return folder


@pytest.fixture(scope="session")
def static_address(static_folder: Path) -> Iterator[str]:
    """The address of the page without a server."""
    with served_folder(static_folder) as url:
        yield f"{url}/below/it/"

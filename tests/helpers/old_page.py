"""The former page, for its tests: `python -m tests.helpers.old_page CACHE PORT`. No program serves it."""

from __future__ import annotations

import sys
from pathlib import Path

from demo import site
from demo.server.folder import TemporaryFolder
from demo.server.launching import launch
from demo.service.start import open_registry

if __name__ == "__main__":
    registry = open_registry(None, Path(sys.argv[1]), False)
    with TemporaryFolder() as uploads:
        launch(site.build(registry), "127.0.0.1", int(sys.argv[2]), **site.launch_options(uploads))

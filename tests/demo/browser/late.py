"""The app on a machine so busy that what fills a view comes LATE seconds after it is asked for, with room for a single
person's session."""

from __future__ import annotations

import sys
import time
from functools import partial
from pathlib import Path
from typing import Any

from demo import site
from demo.server import routes
from demo.server.folder import TemporaryFolder
from demo.server.sessions import Sessions
from demo.service.start import open_registry
from demo.views import session

LATE = 4.0
prompt_fill = session.fill


def late_fill(*args: Any, **options: Any) -> Any:
    """`session.fill`, late."""
    filled = prompt_fill(*args, **options)
    time.sleep(LATE)
    return filled


if __name__ == "__main__":
    session.fill = late_fill
    routes.Sessions = partial(Sessions, most=1)  # type: ignore[assignment, misc]
    registry = open_registry(cache=Path(sys.argv[1]), fetch=False)
    with TemporaryFolder() as uploads:
        site.build(registry).launch(server_port=int(sys.argv[2]), **site.launch_options(uploads))

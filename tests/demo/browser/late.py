"""The app on a machine so busy that what fills a view comes LATE seconds after it is asked for."""

from __future__ import annotations

import sys
import time
from pathlib import Path
from typing import Any

from demo import site
from demo.start import open_benches
from demo.views import session

LATE = 4.0
prompt_fill = session.fill


def late_fill(*args: Any, **options: Any) -> Any:
    """`session.fill`, late."""
    found = prompt_fill(*args, **options)
    time.sleep(LATE)
    return found


if __name__ == "__main__":
    session.fill = late_fill
    benches = open_benches(cache=Path(sys.argv[1]), fetch=False)
    site.build(benches).launch(server_port=int(sys.argv[2]), **site.launch_options())

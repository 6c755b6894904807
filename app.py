"""Open the app: `python app.py`, then visit the address that it prints. A Space runs this file too.

GRADIO_SERVER_NAME and GRADIO_SERVER_PORT are honoured.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import Any

from demo.opening.server import Opening


def main() -> int:
    """Read the command line, build the page and serve it until interrupted; returns the exit code."""
    parser = argparse.ArgumentParser(description="Serve SEPS Explorer on this machine.")
    parser.add_argument("--photos", type=Path, metavar="FOLDER", help="a folder of photographs to search")
    parser.add_argument("--cache", type=Path, metavar="FOLDER", help="where embeddings and fetched photographs lie")
    parser.add_argument("--no-fetch", action="store_true", help="fetch no photographs over the network")
    parser.add_argument("--port", type=int, help="port to serve on; without it, the first free one from 7860")
    options = parser.parse_args()
    try:
        opening = Opening(options.port, example=options.photos is None)
    except ValueError as error:
        print(error, file=sys.stderr)
        return 2
    print(f"SEPS Explorer is starting: open {opening.address}", flush=True)
    try:
        page, told = prepare(options.photos, options.cache, not options.no_fetch)
    except ValueError as error:
        print(error, file=sys.stderr)
        return 2
    finally:
        opening.close()
    page.launch(server_name=opening.host, server_port=opening.port, **told)
    return 0


def prepare(photos: Path | None, cache: Path | None, fetch: bool) -> tuple[Any, dict[str, Any]]:
    """The app's page and what its `launch` needs; its libraries take seconds, so they are imported here."""
    from tqdm import tqdm

    from demo import site
    from demo.start import open_benches

    return site.build(open_benches(photos, cache, fetch, tqdm, print)), site.launch_options()


if __name__ == "__main__":
    sys.exit(main())

"""Open the app: `python app.py`, then visit the address that it prints. A Space runs this file too.

GRADIO_SERVER_NAME and GRADIO_SERVER_PORT are honoured.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from tqdm import tqdm

from demo import site
from demo.start import open_workbench


def main() -> int:
    """Read the command line, build the page and serve it until interrupted; returns the exit code."""
    parser = argparse.ArgumentParser(description="Serve SEPS Explorer on this machine.")
    parser.add_argument("--photos", type=Path, metavar="FOLDER", help="a folder of photographs to search")
    parser.add_argument("--cache", type=Path, metavar="FOLDER", help="where embeddings and fetched photographs lie")
    parser.add_argument("--no-fetch", action="store_true", help="fetch no photographs over the network")
    parser.add_argument("--port", type=int, help="port to serve on; without it, the first free one from 7860")
    options = parser.parse_args()
    try:
        bench = open_workbench(options.photos, options.cache, not options.no_fetch, tqdm, print)
    except ValueError as error:
        print(error, file=sys.stderr)
        return 2
    site.build(bench).launch(server_port=options.port, **site.launch_options())
    return 0


if __name__ == "__main__":
    sys.exit(main())

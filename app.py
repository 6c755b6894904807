"""Open the app: `python app.py`, then visit the address that it prints. A Space runs this file too.

GRADIO_SERVER_NAME and GRADIO_SERVER_PORT are honoured.
"""

from __future__ import annotations

import argparse
import signal
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

from demo.opening.server import Opening
from demo.serving.folder import TemporaryFolder
from demo.serving.memory import keep_memory_flat


def main() -> int:
    """Read the command line, build the page and serve it until interrupted; returns the exit code."""
    parser = argparse.ArgumentParser(description="Serve SEPS Explorer on this machine.")
    parser.add_argument("--photos", type=Path, metavar="FOLDER", help="a folder of photographs to search")
    parser.add_argument("--cache", type=Path, metavar="FOLDER", help="where embeddings and fetched photographs lie")
    parser.add_argument("--no-fetch", action="store_true", help="fetch no photographs over the network")
    parser.add_argument("--port", type=int, help="port to serve on; without it, the first free one from 7860")
    options = parser.parse_args()
    signal.signal(signal.SIGTERM, signal.default_int_handler)  # a KeyboardInterrupt, after which all is cleared away
    keep_memory_flat()
    try:
        with TemporaryFolder() as folder:
            serve(options, folder)
    except ValueError as error:
        print(error, file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        pass
    return 0


def serve(options: argparse.Namespace, folder: TemporaryFolder) -> None:
    """Serve the worked example until the app is ready, then the app until interrupted.

    Raises:
        ValueError: an address that cannot be served, or a folder of photographs that cannot be used.
    """
    opening = Opening(options.port, example=options.photos is None)
    print(f"SEPS Explorer is starting: open {opening.address}", flush=True)
    try:
        page, launch = prepare(options.photos, options.cache, not options.no_fetch, folder)
    finally:
        opening.close()
    page.launch(server_name=opening.host, server_port=opening.port, **launch)


def prepare(
    photos: Path | None, cache: Path | None, fetch: bool, folder: TemporaryFolder
) -> tuple[Any, dict[str, Any]]:
    """The app's page and what its `launch` needs.

    Its libraries take seconds, so they are imported here: Gradio while the models load and photographs are encoded.
    """
    from tqdm import tqdm

    from demo.service.start import open_registry
    from demo.serving.quick_import import skip_stub_files

    skip_stub_files()
    with ThreadPoolExecutor(1) as beside:
        opening = beside.submit(open_registry, photos, cache, fetch, tqdm, print)
        from demo import site

        return site.build(opening.result()), site.launch_options(folder)


if __name__ == "__main__":
    sys.exit(main())

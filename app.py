"""Open the app: `python app.py`, then visit the address that it prints. A Space runs this file too.

GRADIO_SERVER_NAME and GRADIO_SERVER_PORT are honoured.
"""

from __future__ import annotations

import argparse
import signal
import sys
from concurrent.futures import ThreadPoolExecutor
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING

from demo.galleries.reading.paths import check_photos, photos_place
from demo.galleries.reading.video_worker import check_readable
from demo.opening.first import first_view
from demo.opening.server import Opening
from demo.page.html import app_page
from demo.server.files.folder import TemporaryFolder
from demo.server.frames import frame_rule
from demo.server.memory import keep_memory_flat, put_off_search, set_aside
from demo.service.models.own_models import fetch_model
from seps.common.cli import print_error, whole_number
from seps.models.shipped import shipped_models

if TYPE_CHECKING:
    from demo.page.server import PageServer


def main() -> int:
    """Read the command line, build the page and serve it until interrupted; returns the exit code."""
    parser = argparse.ArgumentParser(description="Serve SEPS Explorer on this machine.")
    parser.add_argument(
        "--photos",
        type=photos_place,
        metavar="FOLDER",
        help="a folder of photographs to search, without the folders below",
    )
    parser.add_argument("--recursive", action="store_true", help="read the folders below that folder too")
    parser.add_argument(
        "--video", type=Path, metavar="FILE", help="a video, at most 2 minutes of it, to follow captions through"
    )
    parser.add_argument(
        "--model",
        action="append",
        default=[],
        metavar="MODEL",
        help="a model of your own beside the shipped ones: a folder such as RUN/best, or a hub repo (owner/name), with "
        "a gallery that has its name: the examples, or for a model of drawn scenes those; may be given several times; "
        "the page begins with the first of them",
    )
    parser.add_argument("--cache", type=Path, metavar="FOLDER", help="where embeddings and fetched photographs lie")
    parser.add_argument("--no-fetch", action="store_true", help="fetch no photographs over the network")
    parser.add_argument("--port", type=whole_number, help="port to serve on; without it, the first free one from 7860")
    parser.add_argument(
        "--mcp", action="store_true", help="let assistants use the app too, by the Model Context Protocol (MCP)"
    )
    parser.add_argument(
        "--frame-ancestors",
        action="append",
        default=[],
        metavar="SITE",
        help="a site whose pages may show the app in a frame, such as https://course.example.org, or * for all; may be "
        "given several times; without it, none but the app's own",
    )
    options = parser.parse_args()
    try:
        check(options)
    except ValueError as error:
        return print_error(error)
    signal.signal(signal.SIGTERM, signal.default_int_handler)  # a KeyboardInterrupt, after which all is cleared away
    keep_memory_flat()
    put_off_search()
    try:
        with TemporaryFolder() as folder:
            serve(options, folder)
    except (ValueError, OSError) as error:
        return print_error(error)
    except KeyboardInterrupt:
        pass
    return 0


def check(options: argparse.Namespace) -> None:
    """Raise ValueError for a folder, a video or a model that is not there, before anything is opened."""
    if options.mcp and find_spec("mcp") is None:
        raise ValueError("--mcp needs the package mcp, which is not there: run pip install mcp.")
    frame_rule(options.frame_ancestors)
    if options.photos is not None:
        check_photos(options.photos)
    if options.video is not None:
        check_readable(options.video)
    for model in options.model:
        fetch_model(model)
        if model in shipped_models():
            raise ValueError(f"The model {model} is here already: --model takes one of your own, such as RUN/best.")


def serve(options: argparse.Namespace, folder: TemporaryFolder) -> None:
    """Serve the worked example until the app is ready, then the app; errors as `Opening`, `open_registry` and
    `launch`."""
    example = options.photos is None and options.video is None and not options.model
    page = app_page(first_view() if example else None)
    opening = Opening(options.port, page, frame_rule(options.frame_ancestors))
    print(f"SEPS Explorer is starting: open {opening.address}", flush=True)
    try:
        app = prepare(options, folder, opening.host, page)
    finally:
        opening.close()
    from demo.server.launching import launch

    if options.mcp:
        print(f"Assistants reach it at {opening.address}/gradio_api/mcp", flush=True)
    set_aside()
    launch(app, opening.host, opening.port)


def prepare(options: argparse.Namespace, folder: TemporaryFolder, host: str, page: str) -> PageServer:
    """Return the app, for `launch`. Its libraries take seconds: Gradio is imported while the models load."""
    import_spaces()
    from tqdm import tqdm

    from demo.service.models.start import GalleryOptions, open_registry

    given = (options.photos, options.cache, not options.no_fetch, tqdm, print, options.recursive)
    with ThreadPoolExecutor(1) as beside:
        galleries = GalleryOptions(*given, beside=True, video=options.video)
        opening = beside.submit(open_registry, galleries, options.model)
        from demo.page.server import PageServer

        registry, tools = opening.result(), None
        if options.mcp:
            from demo.assistant.serving import routes_of, tool_server

            tools = routes_of(tool_server(registry, host))
        return PageServer(registry, folder, page, tools, options.frame_ancestors)


def import_spaces() -> None:
    """Import the package `spaces` where it is installed before Gradio and PyTorch, which it patches, in the main
    thread."""
    from demo.server.memory import skip_stub_files

    skip_stub_files()  # on ZeroGPU, spaces imports Gradio
    if find_spec("spaces") is not None:
        import_module("spaces")


if __name__ == "__main__":
    sys.exit(main())

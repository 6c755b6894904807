"""The server before the server: it has the app's address until the app takes it over."""

import json
import os
import re
import sys
from collections.abc import Sequence
from errno import EACCES, EADDRINUSE
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from io import BytesIO
from socket import gaierror
from threading import Thread
from typing import Any
from urllib.parse import unquote

from demo.galleries.sources.packaged import load_examples
from demo.page.html import GALLERY, PREFIX
from demo.server.files.static import CACHING, MEDIA_TYPE, find_script, packed
from demo.server.frames import HEADER, frame_rule, read_root, strip_root

FIRST_PORT, PORTS = 7860, 100  # where Gradio looks too
PATIENCE = 20  # seconds for a request to be sent and its answer to be taken
SIZES = {"thumb": 192, "photo": 900}  # longest side, in pixels
# The address of an example where the app serves it too, see `demo.page.pictures`.
PICTURE = re.compile(rf"/{PREFIX}/{GALLERY}/(?P<size>{'|'.join(SIZES)})/(?P<index>[0-9]{{1,4}})")


class Opening:
    """Serves the page from a thread until `close`, on a port (by default GRADIO_SERVER_PORT, or the first free one from
    7860) of GRADIO_SERVER_NAME; ValueError if it is not free."""

    def __init__(self, port: int | None, page: str, rule: str | None = None) -> None:
        self.host = os.environ.get("GRADIO_SERVER_NAME", "127.0.0.1")
        given = port if port is not None else os.environ.get("GRADIO_SERVER_PORT")
        ports = range(FIRST_PORT, FIRST_PORT + PORTS) if given is None else [read_port(given)]
        self._server = listening(self.host, ports)
        self.port = int(self._server.server_address[1])
        self._server.root = read_root()
        self._server.rule = frame_rule() if rule is None else rule
        self._server.page = page.encode()
        self._thread = Thread(target=self._server.serve_forever, args=(0.05,), daemon=True)
        self._thread.start()

    @property
    def address(self) -> str:
        """Address to open in a browser."""
        host = "127.0.0.1" if self.host in ("0.0.0.0", "::", "") else self.host
        return f"http://{host}:{self.port}"

    def close(self) -> None:
        """Give the address free."""
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()


class Server(ThreadingHTTPServer):
    """Answers each request in a thread of its own."""

    daemon_threads = True
    block_on_close = False
    page = b""
    root = ""
    rule = ""

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Pass over those who leave before they are answered, or never say what they want."""
        if not isinstance(sys.exc_info()[1], ConnectionError | TimeoutError):
            super().handle_error(request, client_address)


class Handler(BaseHTTPRequestHandler):
    """The page, its scripts, the photographs on it, and to everything else that the app is on its way."""

    server: Server
    timeout = PATIENCE

    def do_GET(self) -> None:
        """Answer a request."""
        path = strip_root(unquote(self.path.partition("?")[0]), self.server.root)
        picture = PICTURE.fullmatch(path)
        if path == "/":
            self.answer(HTTPStatus.OK, "text/html; charset=utf-8", self.server.page)
        elif path == "/opening/state":
            self.answer(HTTPStatus.OK, "application/json", json.dumps({"opening": True}).encode())
        elif (script := find_script(path.removeprefix("/"))) is not None:
            self.answer(HTTPStatus.OK, MEDIA_TYPE, script, CACHING)
        elif picture is not None and int(picture["index"]) < len(load_examples()):
            self.answer(HTTPStatus.OK, "image/jpeg", jpeg(int(picture["index"]), SIZES[picture["size"]]))
        else:
            self.do_POST()

    def do_HEAD(self) -> None:
        """Answer as to GET, without the content."""
        self.do_GET()

    def do_POST(self) -> None:
        """Answer that the app is on its way; what was sent is not read."""
        self.close_connection = True
        self.answer(HTTPStatus.SERVICE_UNAVAILABLE, "text/plain", b"SEPS Explorer is starting: try again soon.")

    def answer(self, status: HTTPStatus, kind: str, content: bytes, caching: str = "no-store") -> None:
        """Send a whole answer that no cache keeps, unless `caching` says so; text is compressed where that is taken."""
        is_packed = kind.startswith("text/") and "gzip" in self.headers.get("Accept-Encoding", "")
        content = packed(content) if is_packed else content
        self.send_response(status)
        self.send_header("Content-Type", kind)
        if is_packed:
            self.send_header("Content-Encoding", "gzip")
        self.send_header("Content-Length", str(len(content)))
        self.send_header("Cache-Control", caching)
        self.send_header(HEADER, self.server.rule)
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(content)

    def log_message(self, format: str, *args: Any) -> None:  # noqa: A002 the base class names it
        """Stay silent, as Gradio does."""


def jpeg(index: int, longest: int) -> bytes:
    """Return an example's photograph, scaled down to `longest` pixels on its long side."""
    image = load_examples()[index].photo()
    image.thumbnail((longest, longest))
    stream = BytesIO()
    image.save(stream, "JPEG", quality=85)
    return stream.getvalue()


def read_port(given: int | str) -> int:
    """Return a port's number; ValueError where it is none."""
    try:
        port = int(given)
    except ValueError:
        port = -1
    if not 0 < port < 65536:
        raise ValueError(f"The port is {given!r}, but a whole number from 1 to 65535 is needed.")
    return port


def listening(host: str, ports: Sequence[int]) -> Server:
    """Return a server on the first of the ports that is free; ValueError where none is."""
    problem = ""
    for port in ports:
        try:
            return Server((host, port), Handler)
        except OSError as error:
            if error.errno not in (EADDRINUSE, EACCES) or isinstance(error, gaierror):
                reason = error.strerror or str(error)
                raise ValueError(
                    f"The host {host!r} cannot be served from here ({reason}): set GRADIO_SERVER_NAME to an address of "
                    "this machine, such as 127.0.0.1, or 0.0.0.0 for all of them."
                ) from error
            problem = "is taken" if error.errno == EADDRINUSE else "is not allowed"
    tried = f"Port {ports[0]}" if len(ports) == 1 else f"Every port from {ports[0]} to {ports[-1]}"
    raise ValueError(f"{tried} {problem} on {host or 'this machine'}: give another one with --port.")

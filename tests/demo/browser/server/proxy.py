"""A reverse proxy of a few lines that puts the app under a path, which it strips, as hosts do that embed it."""

import http.client
from collections.abc import Iterator
from contextlib import closing, contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import urlsplit

from tests.helpers.web.static_site import serving

HOP = {"connection", "transfer-encoding", "keep-alive", "content-length"}  # headers of only one connection


class Proxy(ThreadingHTTPServer):
    """Pass on requests below `root`, without it; `strays` lists the other requests."""

    daemon_threads = True
    block_on_close = False

    def __init__(self, behind: str, root: str) -> None:
        super().__init__(("127.0.0.1", 0), Handler)
        self.behind, self.root = urlsplit(behind).netloc, root
        self.strays: list[str] = []

    def handle_error(self, request: object, client_address: object) -> None:
        """Say nothing of pages that were closed."""


class Handler(BaseHTTPRequestHandler):
    """Passes a request on, and the answer back piece by piece as it comes."""

    server: Proxy

    def do_GET(self) -> None:
        """Pass a request on."""
        if not self.path.startswith(f"{self.server.root}/"):
            self.server.strays.append(self.path)
            self.send_error(404)
            return
        with closing(http.client.HTTPConnection(self.server.behind, timeout=300)) as connection:
            self.pass_on(connection)

    def pass_on(self, connection: http.client.HTTPConnection) -> None:
        """Ask the app, and return its answer."""
        headers = {name: value for name, value in self.headers.items() if name.lower() not in HOP}
        content = self.rfile.read(int(self.headers.get("Content-Length", 0)))
        try:
            connection.request(self.command, self.path.removeprefix(self.server.root), content or None, headers)
            answer = connection.getresponse()
        except OSError:  # the app is on its way
            self.send_error(502)
            return
        with answer:
            self.send_response(answer.status)
            for name, value in answer.getheaders():
                if name.lower() not in HOP:
                    self.send_header(name, value)
            self.end_headers()
            while piece := answer.read1(65536):
                self.wfile.write(piece)

    do_POST = do_GET  # noqa: N815 the base class names it
    do_HEAD = do_GET  # noqa: N815

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002 the base class names it
        """Stay silent."""


@contextmanager
def proxied(behind: str, root: str) -> Iterator[Proxy]:
    """A proxy in front of an address, for as long as it is needed."""
    proxy = Proxy(behind, root)
    with serving(proxy):
        yield proxy

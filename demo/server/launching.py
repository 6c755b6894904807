"""Start of Gradio's server on busy machines: Gradio waits only 5 s for the server, and 3 s for its page, which it
requests through a proxy if one is set."""

import os
import time
from typing import Any

from gradio import http_server
from gradio.exceptions import ServerFailedToStartError

from demo.server.frames import read_root


class PatientServer(http_server.Server):
    """Server without a time limit for its start."""

    def run_in_thread(self) -> None:
        """Start it; errors as Gradio's."""
        try:
            super().run_in_thread()
        except ServerFailedToStartError:
            while not self.started and self.thread.is_alive():
                time.sleep(0.01)
            if not self.started:
                raise


def launch(page: Any, host: str, port: int, **options: Any) -> None:
    """Serve Blocks, or an app of Server mode, until the server stops, or with `prevent_thread_lock` return at once;
    OSError if the address is unavailable."""
    # This machine is reached without a proxy, also by the programs that this process starts.
    given = os.environ.get("no_proxy") or os.environ.get("NO_PROXY") or ""
    names = [name for name in given.split(",") if name]
    os.environ["no_proxy"] = ",".join(dict.fromkeys([*names, "localhost", "127.0.0.1", host]))
    http_server.Server = PatientServer  # type: ignore[misc]
    where: dict[str, Any] = {"server_name": host, "server_port": port, "root_path": read_root()}
    page.launch(**where, _frontend=False, **options)  # False: without the check of 3 s

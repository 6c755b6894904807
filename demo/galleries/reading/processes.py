"""Separate processes for untrusted files: a new Python, not a fork, with which only bytes are exchanged, which nothing
unpickles. A process ends with its connection, however the app ends, or by an alarm, which also works inside C code."""

import signal
import sys
from contextlib import suppress
from multiprocessing.connection import Connection, Pipe
from pathlib import Path
from subprocess import Popen
from typing import Any, TypeAlias

ROOT = Path(__file__).resolve().parents[3]  # where a new process finds the package demo
Channel: TypeAlias = "Connection[Any, Any]"
ENDED = (OSError, EOFError)  # of a connection, if the process at the other end has ended


class Worker(Popen[bytes]):
    """A new Python that runs a module with the number of its connection's file and `arguments` on its command line."""

    def __init__(self, module: str, *arguments: str, **options: Any) -> None:
        self.connection, theirs = Pipe()
        with theirs:
            command = [sys.executable, "-m", module, str(theirs.fileno()), *arguments]
            # Ctrl-C is not for it: a new session
            super().__init__(command, cwd=ROOT, start_new_session=True, pass_fds=[theirs.fileno()], **options)

    def end(self) -> None:
        """End the process."""
        self.kill()
        self.wait()
        self.connection.close()


def limit_memory(memory: int) -> None:
    """Bound this process's address space in bytes, if the system supports it, and let alarms end it."""
    with suppress(ImportError, ValueError, OSError):
        import resource

        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))  # a crash writes nobody's file to the disk
        resource.setrlimit(resource.RLIMIT_AS, (memory, resource.getrlimit(resource.RLIMIT_AS)[1]))
    signal.signal(signal.SIGALRM, signal.SIG_DFL)


def open_connection() -> Channel:
    """Return this process's connection to the one that started it."""
    return Connection(int(sys.argv[1]))

"""Decoding of untrusted photographs in separate processes, which isolates crashes of the decoder.

A process is a new Python that imports Pillow and `decoding`, not a fork of the app, which its threads would break. It
starts with the first photograph, is reused, and ends when its standard input closes, which happens however the app
ends. An alarm ends it if a photograph takes too long; that works inside Pillow's C code and without a waiting parent.

For each photograph the process receives two messages, the start of error messages and the content, and returns two: the
image's mode, width, height and note, and its pixels; or nothing, and the error.
"""

from __future__ import annotations

import atexit
import os
import signal
import sys
from contextlib import suppress
from pathlib import Path
from queue import Empty, LifoQueue
from subprocess import PIPE, Popen

from PIL import Image

from demo.galleries.decoding import PhotoError, decode
from demo.galleries.pipes import is_open, read_message, write_messages
from seps.photos import readable_formats

PROCESSES = 2  # photographs that are decoded; others wait
SECONDS = 5.0  # that a photograph may take
PATIENCE = 30.0  # seconds that a photograph waits for others
MEMORY = 2 * 2**30  # bytes of address space of a process; 64 million pixels of WebP take half of it
ROOT = Path(__file__).resolve().parents[2]  # where a new process finds the package demo

_READY = b"ready"


class Decoders:
    """Thread-safe pool of processes that decode untrusted photographs.

    Args:
        processes: maximum number; started on demand.
        seconds: time limit per photograph, without the start of its process.
        patience: seconds that a photograph waits for a free process.
        memory: limit of a process's address space in bytes, if the system supports it.
    """

    def __init__(
        self, processes: int = PROCESSES, seconds: float = SECONDS, patience: float = PATIENCE, memory: int = MEMORY
    ) -> None:
        self.seconds, self.patience, self.memory = seconds, patience, memory
        self._free: LifoQueue[Popen[bytes] | None] = LifoQueue()  # the most recently used first: often one is enough
        for _ in range(processes):
            self._free.put(None)

    def decode(self, content: bytes, subject: str) -> Image.Image:
        """Decode a photograph as `decoding.decode`.

        Raises:
            PhotoError: as there; or it takes too long, waits too long, or crashes its process.
        """
        process = self._taken(subject)
        try:
            head, body = _asked(process, content, subject)
        except BaseException as error:
            _end(process)  # its state is unknown
            if not isinstance(error, OSError):
                raise
            late = process.returncode == -signal.SIGALRM
            reason = f"takes longer than {self.seconds:g} s to decode" if late else "makes its decoder fail"
            raise PhotoError(f"{subject} {reason}: save it smaller, as JPEG.") from error
        finally:
            self._free.put(process)
        if not head:
            raise PhotoError(body.decode())
        mode, width, height, note = head.decode().split(" ", 3)
        image = Image.frombytes(mode, (int(width), int(height)), body)
        image.info = {"note": note} if note else {}
        return image

    def close(self) -> None:
        """End the idle processes; the next photograph starts one."""
        free = []
        with suppress(Empty):
            while True:
                free.append(self._free.get_nowait())
        for process in free:
            _end(process)
            self._free.put(None)

    def _taken(self, subject: str) -> Popen[bytes]:
        """Return a free process, starting one if needed; PhotoError if none is available."""
        try:
            process = self._free.get(timeout=self.patience)
        except Empty:
            raise PhotoError(f"{subject} has waited {self.patience:g} s for other photos: try again later.") from None
        if process is not None and process.poll() is None:
            return process
        try:
            _end(process)
            return _started(self.seconds, self.memory)
        except BaseException as error:
            self._free.put(None)
            if not isinstance(error, OSError):
                raise
            raise PhotoError(f"{subject} cannot be decoded now, for its decoder does not start: try later.") from error


def _started(seconds: float, memory: int) -> Popen[bytes]:
    """Start a process; OSError if it does not start."""
    command = [sys.executable, "-m", __name__, str(seconds), str(memory)]
    process = Popen(command, stdin=PIPE, stdout=PIPE, cwd=ROOT, start_new_session=True)  # Ctrl-C is not for it
    try:
        read_message(is_open(process.stdout))
    except BaseException:
        _end(process)
        raise
    return process


def _asked(process: Popen[bytes], content: bytes, subject: str) -> tuple[bytes, bytes]:
    """Return a process's answer; OSError if it ends before answering."""
    write_messages(is_open(process.stdin), subject.encode("utf-8", "backslashreplace"), content)
    return read_message(is_open(process.stdout)), read_message(is_open(process.stdout))


def _end(process: Popen[bytes] | None) -> None:
    """End a process and close its pipes."""
    if process is not None:
        process.kill()
        process.communicate()


def serve(seconds: float, memory: int) -> None:
    """Decode photographs from standard input until it ends; arguments as `Decoders`."""
    with suppress(ImportError, ValueError, OSError):  # not every system bounds everything
        import resource

        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))  # a crash writes nobody's photograph to the disk
        resource.setrlimit(resource.RLIMIT_AS, (memory, resource.getrlimit(resource.RLIMIT_AS)[1]))
    signal.signal(signal.SIGALRM, signal.SIG_DFL)
    readable_formats()  # now rather than in the first photograph's time
    write_messages(sys.stdout.buffer, _READY)
    while True:
        subject = read_message(sys.stdin.buffer).decode()
        signal.setitimer(signal.ITIMER_REAL, seconds)
        answer = _answer(read_message(sys.stdin.buffer), subject)
        signal.setitimer(signal.ITIMER_REAL, 0)
        write_messages(sys.stdout.buffer, *answer)


def _answer(content: bytes, subject: str) -> tuple[bytes, bytes]:
    try:
        image = decode(content, subject)
    except PhotoError as error:
        return b"", str(error).encode()
    return f"{image.mode} {image.width} {image.height} {image.info.get('note', '')}".encode(), image.tobytes()


decoders = Decoders()
atexit.register(decoders.close)

if __name__ == "__main__":
    with suppress(BrokenPipeError):
        serve(float(sys.argv[1]), int(sys.argv[2]))
    os._exit(0)  # without flushing to a closed pipe

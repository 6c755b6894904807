"""Decoding in a process of its own: what a photograph does to its decoder, it does to that process alone.

The process is a fresh Python that imports Pillow and `decoding`, never a fork of the app, whose threads a fork would
break. It starts with the first photograph, stays for the next ones, and ends with its standard input, which is closed
when the app ends, in whatever way that happens. Where a photograph takes too long an alarm ends the process: that works
in the midst of Pillow's C code, and where nobody is left to wait.

For each photograph two messages go in, what sentences about it start with and its content, and two come out: the
image's mode, width and height, and its pixels; or nothing, and the sentence that refuses it.
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

PROCESSES = 2  # photographs that are decoded; others wait
SECONDS = 5.0  # that a photograph may take
PATIENCE = 30.0  # seconds that a photograph waits for others
MEMORY = 2 * 2**30  # bytes of address space of a process; 64 million pixels of WebP take half of it
ROOT = Path(__file__).resolve().parents[2]  # where a new process finds the package demo

_READY = b"ready"


class Decoders:
    """Decodes photographs that anyone may have made, a few at once. Safe to call from several threads.

    Args:
        processes: processes at most; one is started where the others are at work.
        seconds: that a photograph may take, without the start of its process.
        patience: seconds that a photograph waits for others.
        memory: bytes of address space that a process may use, where the system can bound it.
    """

    def __init__(
        self, processes: int = PROCESSES, seconds: float = SECONDS, patience: float = PATIENCE, memory: int = MEMORY
    ) -> None:
        self.seconds, self.patience, self.memory = seconds, patience, memory
        self._free: LifoQueue[Popen[bytes] | None] = LifoQueue()  # what was used last is used next: often one is enough
        for _ in range(processes):
            self._free.put(None)

    def decode(self, content: bytes, subject: str) -> Image.Image:
        """Return the photograph as `decoding.decode` gives it.

        Raises:
            PhotoError: as there; also where it takes too long, waits too long for others, or makes its process end.
        """
        process = self._taken(subject)
        try:
            head, body = _asked(process, content, subject)
        except BaseException as error:
            _end(process)  # whatever it is doing, it is in no state to be asked again
            if not isinstance(error, OSError):
                raise
            late = process.returncode == -signal.SIGALRM
            reason = f"takes longer than {self.seconds:g} s to decode" if late else "makes its decoder fail"
            raise PhotoError(f"{subject} {reason}: save it smaller, as JPEG.") from error
        finally:
            self._free.put(process)
        if not head:
            raise PhotoError(body.decode())
        mode, width, height = head.decode().split()
        return Image.frombytes(mode, (int(width), int(height)), body)

    def close(self) -> None:
        """End the processes that are not at work; the next photograph starts one again."""
        free = []
        with suppress(Empty):
            while True:
                free.append(self._free.get_nowait())
        for process in free:
            _end(process)
            self._free.put(None)

    def _taken(self, subject: str) -> Popen[bytes]:
        """A process that is free, started now where there is none; PhotoError where none can be had."""
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
    """A process that waits for photographs; OSError where it does not start."""
    command = [sys.executable, "-m", __name__, str(seconds), str(memory)]
    process = Popen(command, stdin=PIPE, stdout=PIPE, cwd=ROOT, start_new_session=True)  # Ctrl-C is not for it
    try:
        read_message(is_open(process.stdout))
    except BaseException:
        _end(process)
        raise
    return process


def _asked(process: Popen[bytes], content: bytes, subject: str) -> tuple[bytes, bytes]:
    """A process's answer; OSError where it ends before it has given one."""
    write_messages(is_open(process.stdin), subject.encode("utf-8", "backslashreplace"), content)
    return read_message(is_open(process.stdout)), read_message(is_open(process.stdout))


def _end(process: Popen[bytes] | None) -> None:
    """End a process and close what leads to it."""
    if process is not None:
        process.kill()
        process.communicate()


def serve(seconds: float, memory: int) -> None:
    """Decode what comes from standard input until it ends; arguments as `Decoders`."""
    with suppress(ImportError, ValueError, OSError):  # not every system bounds everything
        import resource

        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))  # a crash writes nobody's photograph to the disk
        resource.setrlimit(resource.RLIMIT_AS, (memory, resource.getrlimit(resource.RLIMIT_AS)[1]))
    signal.signal(signal.SIGALRM, signal.SIG_DFL)
    Image.init()  # now rather than in the first photograph's time
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
    return f"{image.mode} {image.width} {image.height}".encode(), image.tobytes()


decoders = Decoders()
atexit.register(decoders.close)

if __name__ == "__main__":
    with suppress(BrokenPipeError):
        serve(float(sys.argv[1]), int(sys.argv[2]))
    os._exit(0)  # without writing to what nobody reads any more

"""Decoding of untrusted photographs in separate processes, which are reused. Each photograph is sent in two messages
(start of error messages, content) and answered in two (mode, size and note, and pixels; or nothing and the error)."""

import atexit
import signal
import sys
from contextlib import suppress
from queue import Empty, LifoQueue

from PIL import Image

from demo.galleries.reading.decoding import PhotoError, decode
from demo.galleries.reading.processes import ENDED, Channel, Worker, limit_memory, open_connection
from seps.media.photos import readable_formats

PROCESSES = 2  # photographs that are decoded; others wait
SECONDS = 5.0  # that a photograph may take
PATIENCE = 30.0  # seconds that a photograph waits for others
MEMORY = 2 * 2**30  # bytes of address space of a process; 64 million pixels of WebP take half of it


class Decoders:
    """Thread-safe pool of processes, started on demand, that decode untrusted photographs in at most `seconds` and
    `memory` bytes each; a photograph waits at most `patience` seconds for a free process."""

    def __init__(
        self, processes: int = PROCESSES, seconds: float = SECONDS, patience: float = PATIENCE, memory: int = MEMORY
    ) -> None:
        self.seconds, self.patience, self.memory = seconds, patience, memory
        self._free: LifoQueue[Worker | None] = LifoQueue()  # the most recently used first: often one is enough
        for _ in range(processes):
            self._free.put(None)

    def decode(self, content: bytes, subject: str) -> Image.Image:
        """Decode a photograph as `decoding.decode`; PhotoError also if it takes or waits too long, or crashes its
        process."""
        worker = self._taken(subject)
        try:
            head, body = _asked(worker, content, subject)
        except BaseException as error:
            worker.end()  # its state is unknown
            if not isinstance(error, ENDED):
                raise
            late = worker.returncode == -signal.SIGALRM
            reason = f"takes longer than {self.seconds:g} s to decode" if late else "makes its decoder fail"
            raise PhotoError(f"{subject} {reason}: save it smaller, as JPEG.") from error
        finally:
            self._free.put(worker)
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
        for worker in free:
            if worker is not None:
                worker.end()
            self._free.put(None)

    def _taken(self, subject: str) -> Worker:
        """Return a free process, starting one if needed; PhotoError if none is available."""
        try:
            worker = self._free.get(timeout=self.patience)
        except Empty:
            raise PhotoError(f"{subject} has waited {self.patience:g} s for other photos: try again later.") from None
        if worker is not None and worker.poll() is None:
            return worker
        try:
            if worker is not None:
                worker.end()
            return _started(self.seconds, self.memory)
        except BaseException as error:
            self._free.put(None)
            if not isinstance(error, ENDED):
                raise
            raise PhotoError(f"{subject} cannot be decoded now, for its decoder does not start: try later.") from error


def _started(seconds: float, memory: int) -> Worker:
    """Start a process; one of `ENDED` if it does not start."""
    worker = Worker(__name__, str(seconds), str(memory))
    try:
        worker.connection.recv_bytes()
    except BaseException:
        worker.end()
        raise
    return worker


def _asked(worker: Worker, content: bytes, subject: str) -> tuple[bytes, bytes]:
    """Return a process's answer; one of `ENDED` if it ends before answering."""
    worker.connection.send_bytes(subject.encode("utf-8", "backslashreplace"))
    worker.connection.send_bytes(content)
    return worker.connection.recv_bytes(), worker.connection.recv_bytes()


def serve(connection: Channel, seconds: float, memory: int) -> None:
    """Decode photographs until the connection closes; other arguments as `Decoders`."""
    limit_memory(memory)
    readable_formats()  # now rather than in the first photograph's time
    connection.send_bytes(b"ready")
    while True:
        subject = connection.recv_bytes().decode()
        signal.setitimer(signal.ITIMER_REAL, seconds)
        answer = _answer(connection.recv_bytes(), subject)
        signal.setitimer(signal.ITIMER_REAL, 0)
        for message in answer:
            connection.send_bytes(message)


def _answer(content: bytes, subject: str) -> tuple[bytes, bytes]:
    try:
        image = decode(content, subject)
    except PhotoError as error:
        return b"", str(error).encode()
    return f"{image.mode} {image.width} {image.height} {image.info.get('note', '')}".encode(), image.tobytes()


decoders = Decoders()
atexit.register(decoders.close)

if __name__ == "__main__":
    with suppress(*ENDED):
        serve(open_connection(), float(sys.argv[2]), int(sys.argv[3]))

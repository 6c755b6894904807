"""Reading of untrusted videos in a separate process. It reports the number of read frames every half second, then sends
the selected ones as JPEG, and remarks or the error. Closing the generator ends it."""

import json
import os
import signal
import sys
import time
from collections.abc import Generator, Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from io import BytesIO
from pathlib import Path
from subprocess import DEVNULL
from typing import TypeVar

from demo.galleries.reading.paths import printable
from demo.galleries.reading.processes import ENDED, Channel, Worker, limit_memory, open_connection

FRAMES = 120  # how many are looked at where nobody says: encoding takes a sixth of a second each
LONGEST = 120.0  # seconds of a video that the app takes
PIXELS = 2**35  # that are decoded of one in the app: 2 minutes of 4K at 30 frames a second
SECONDS = 90.0  # that a file may take
READING = 0.6  # of them, after which what was read is used
MEMORY = 3 * 2**30  # bytes of address space
EVERY = 0.5  # seconds between two reports of progress, however many frames were read
QUALITY = 92  # of JPEG
Item = TypeVar("Item")
READ, KEPT, END, REFUSED = b"read", b"kept", b"end", b"refused"
OPTIONS = {"OPENBLAS_NUM_THREADS": "1"}


@dataclass(frozen=True)
class ReadVideo:
    """The frames read from a video, remarks on it, and the seconds that were read."""

    frames: tuple[tuple[float, bytes], ...]  # (seconds, JPEG) of each, in order of time
    notes: tuple[str, ...]
    seconds: float


def frames_of(
    file: Path,
    most: int,
    longest: float,
    at: str = "even",
    seconds: float = SECONDS,
    memory: int = MEMORY,
    pixels: int = PIXELS,
    every: float = EVERY,
) -> Generator[int, None, ReadVideo]:
    """Read frames of a video as `seps.media.videos.read_frames` with these arguments, in at most `seconds` and `memory`
    bytes; the process ends with the generator. Yields the number of read frames at most once in `every` seconds.
    ValueError if it is no video, or not readable within the limits."""
    limits = json.dumps([most, longest, at, seconds, memory, pixels, every])
    worker = Worker(__name__, os.fspath(file.absolute()), limits, stderr=DEVNULL, env=os.environ | OPTIONS)
    try:
        return (yield from _messages(worker.connection))
    except ENDED as error:
        late = worker.wait() == -signal.SIGALRM
        reason = f"takes longer than {seconds:g} s to read" if late else "makes its decoder fail"
        raise ValueError(f'"{printable(file.name)}" {reason}: cut it, or save it smaller, as MP4.') from error
    finally:
        worker.end()


def _messages(connection: Channel) -> Generator[int, None, ReadVideo]:
    """Receive a process's messages; one of `ENDED` if it ends before the last one."""
    frames = list[tuple[float, bytes]]()
    while True:
        kind, content = connection.recv_bytes(), connection.recv_bytes()
        if kind == READ:
            yield int(content)
        elif kind == KEPT:
            frames.append((float(content), connection.recv_bytes()))
        elif kind == REFUSED:
            raise ValueError(content.decode())
        else:
            notes, length = json.loads(content)
            return ReadVideo(tuple(frames), tuple(notes), length)


def check_readable(file: Path) -> None:
    """Raise ValueError, as `frames_of`, for a video with an unreadable first frame."""
    for _ in frames_of(file, most=1, longest=0.0):
        pass


def serve(
    connection: Channel,
    file: Path,
    most: int,
    longest: float,
    at: str,
    seconds: float,
    memory: int,
    pixels: int,
    every: float,
) -> None:
    """Read a video and send it through the connection; other arguments as `frames_of`."""
    limit_memory(memory)
    signal.setitimer(signal.ITIMER_REAL, seconds)

    def send(*messages: bytes) -> None:
        for message in messages:
            connection.send_bytes(message)

    def report(frames: Iterable[Item], desc: str) -> Iterator[Item]:
        reported = time.monotonic()
        for number, frame in enumerate(frames, start=1):
            if time.monotonic() - reported >= every:
                reported = time.monotonic()
                send(READ, str(number).encode())
            yield frame

    try:
        from seps.media.videos import read_frames

        video = read_frames(file, at, most, report, longest, READING * seconds, pixels)
    except ValueError as error:
        send(REFUSED, str(error).encode("utf-8", "backslashreplace"))
        return
    except MemoryError:
        sentence = f'"{printable(file.name)}" needs more memory than a video may take: save it smaller, as MP4.'
        send(REFUSED, sentence.encode())
        return
    for frame in video.frames:
        content = BytesIO()
        frame.image.save(content, "JPEG", quality=QUALITY)
        send(KEPT, str(frame.seconds).encode(), content.getvalue())
    send(END, json.dumps([[printable(note) for note in video.notes], video.seconds]).encode())


if __name__ == "__main__":
    with suppress(*ENDED):
        serve(open_connection(), Path(sys.argv[2]), *json.loads(sys.argv[3]))

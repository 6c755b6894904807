"""Reading of untrusted videos in a separate process, which isolates crashes of the decoder.

The process is a new Python that imports FFmpeg, with limited memory; an alarm ends it if a file takes too long, and
closing the generator ends it too. Every half second it reports the number of processed frames, then sends the selected
frames as JPEG (a message with the time and one with the picture), and finally remarks on the video or the error. The
app and the command line both read videos here.
"""

from __future__ import annotations

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
from subprocess import DEVNULL, PIPE, Popen
from typing import TypeVar

from demo.galleries.paths import printable
from demo.galleries.pipes import is_open, read_message, write_messages

FRAMES = 120  # how many are looked at where nobody says: encoding takes a sixth of a second each
LONGEST = 120.0  # seconds of a video that the app takes
PIXELS = 2**35  # that are decoded of one in the app: 2 minutes of 4K at 30 frames a second
SECONDS = 90.0  # that a file may take
READING = 0.6  # of them, after which what was read is used
MEMORY = 3 * 2**30  # bytes of address space
EVERY = 0.5  # seconds between two reports of progress, however many frames were read
QUALITY = 92  # of JPEG
Item = TypeVar("Item")
ROOT = Path(__file__).resolve().parents[2]  # where a new process finds the package demo
READ, KEPT, END, REFUSED = b"read", b"kept", b"end", b"refused"
OPTIONS = {"OPENBLAS_NUM_THREADS": "1"}


@dataclass(frozen=True)
class ReadVideo:
    """The frames read from a video.

    Attributes:
        frames: (seconds, JPEG) of each, in order of time; notes: remarks on the video.
        seconds: duration of the part that was read.
    """

    frames: tuple[tuple[float, bytes], ...]
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
) -> Generator[int, None, ReadVideo]:
    """Read frames of a video as `seps.videos`; the process ends with the generator.

    Args:
        file: recognised by its content; most, longest, at, pixels: as for `seps.videos.read_frames`.
        seconds: time limit; memory: limit of the process's address space in bytes.

    Yields:
        The number of processed frames, at most once in `EVERY` seconds.

    Raises:
        ValueError: not a video, or not readable within the limits.
    """
    limits = json.dumps([most, longest, at, seconds, memory, pixels])
    command = [sys.executable, "-m", __name__, os.fspath(file.absolute()), limits]
    process = Popen(command, stdout=PIPE, stderr=DEVNULL, cwd=ROOT, env=os.environ | OPTIONS, start_new_session=True)
    try:
        return (yield from _messages(process))
    except OSError as error:
        late = process.wait() == -signal.SIGALRM
        reason = f"takes longer than {seconds:g} s to read" if late else "makes its decoder fail"
        raise ValueError(f'"{printable(file.name)}" {reason}: cut it, or save it smaller, as MP4.') from error
    finally:
        process.kill()
        process.communicate()


def _messages(process: Popen[bytes]) -> Generator[int, None, ReadVideo]:
    """Receive a process's messages; OSError if it ends before the last one."""
    stream, frames = is_open(process.stdout), list[tuple[float, bytes]]()
    while True:
        kind, content = read_message(stream), read_message(stream)
        if kind == READ:
            yield int(content)
        elif kind == KEPT:
            frames.append((float(content), read_message(stream)))
        elif kind == REFUSED:
            raise ValueError(content.decode())
        else:
            notes, length = json.loads(content)
            return ReadVideo(tuple(frames), tuple(notes), length)


def check_readable(file: Path) -> None:
    """Raise ValueError, as `frames_of`, for a video with an unreadable first frame."""
    for _ in frames_of(file, most=1, longest=0.0):
        pass


def serve(file: Path, most: int, longest: float, at: str, seconds: float, memory: int, pixels: int) -> None:
    """Read a video and send it to standard output; arguments as `frames_of`."""
    with suppress(ImportError, ValueError, OSError):  # not every system bounds everything
        import resource

        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))  # a crash writes nobody's video to the disk
        resource.setrlimit(resource.RLIMIT_AS, (memory, resource.getrlimit(resource.RLIMIT_AS)[1]))
    signal.signal(signal.SIGALRM, signal.SIG_DFL)
    signal.setitimer(signal.ITIMER_REAL, seconds)
    stream = sys.stdout.buffer

    def tell(frames: Iterable[Item], desc: str) -> Iterator[Item]:
        reported = time.monotonic()
        for number, frame in enumerate(frames, start=1):
            if time.monotonic() - reported >= EVERY:
                reported = time.monotonic()
                write_messages(stream, READ, str(number).encode())
            yield frame

    try:
        from seps.videos import read_frames

        video = read_frames(file, at, most, tell, longest, READING * seconds, pixels)
    except ValueError as error:
        write_messages(stream, REFUSED, str(error).encode("utf-8", "backslashreplace"))
        return
    except MemoryError:
        sentence = f'"{printable(file.name)}" needs more memory than a video may take: save it smaller, as MP4.'
        write_messages(stream, REFUSED, sentence.encode())
        return
    for frame in video.frames:
        content = BytesIO()
        frame.image.save(content, "JPEG", quality=QUALITY)
        write_messages(stream, KEPT, str(frame.seconds).encode(), content.getvalue())
    write_messages(stream, END, json.dumps([[printable(note) for note in video.notes], video.seconds]).encode())


if __name__ == "__main__":
    with suppress(BrokenPipeError):
        serve(Path(sys.argv[1]), *json.loads(sys.argv[2]))
    os._exit(0)  # without flushing to a closed pipe

"""Reading a video in a process of its own: what the file does to its decoder, it does to that process alone.

The process is a fresh Python that imports OpenCV, bounded in memory, and ended by an alarm where a file takes too long
or by whoever lets go of it. It tells how many frames it has gone through, then gives the frames that it keeps as JPEG,
a message with the time and one with the picture, and at last what should be known of the video; or the sentence that
refuses it.
"""

from __future__ import annotations

import json
import os
import signal
import sys
from collections.abc import Generator, Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from io import BytesIO
from pathlib import Path
from subprocess import DEVNULL, PIPE, Popen

from demo.galleries.paths import printable
from demo.galleries.pipes import is_open, read_message, write_messages

FRAMES = 120  # how many are looked at where nobody says: encoding takes a sixth of a second each
LONGEST = 120.0  # seconds of a video that the app takes
SECONDS = 90.0  # that a file may take
READING = 0.6  # of them, after which what was read is used
MEMORY = 3 * 2**30  # bytes of address space
EVERY = 25  # frames between two tellings
QUALITY = 92  # of JPEG
ROOT = Path(__file__).resolve().parents[2]  # where a new process finds the package demo
READ, KEPT, END, REFUSED = b"read", b"kept", b"end", b"refused"
# One thread decodes: several would hold a picture each, and the app's own work goes on beside.
OPTIONS = {"OPENCV_FFMPEG_CAPTURE_OPTIONS": "protocol_whitelist;file|threads;1", "OPENBLAS_NUM_THREADS": "1"}


@dataclass(frozen=True)
class ReadVideo:
    """What was read of a video: (seconds, JPEG) of each frame, in the order of their times, and sentences on it."""

    frames: tuple[tuple[float, bytes], ...]
    notes: tuple[str, ...]


def frames_of(
    file: Path, most: int, longest: float, seconds: float = SECONDS, memory: int = MEMORY
) -> Generator[int, None, ReadVideo]:
    """Read frames of a video as `seps.videos` does; the process ends with the generator, whoever closes it.

    Args:
        file: known by its content; most: frames at most; longest: seconds of the video that are read.
        seconds: that it may take; memory: bytes of address space that the process may use.

    Yields:
        How many frames it has gone through, again and again.

    Raises:
        ValueError: no video, or none that can be read in this time and memory.
    """
    command = [sys.executable, "-m", __name__, os.fspath(file), *map(str, (most, longest, seconds, memory))]
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
    """What a process tells; OSError where it ends before its last message."""
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
            return ReadVideo(tuple(frames), tuple(json.loads(content)))


def serve(file: Path, most: int, longest: float, seconds: float, memory: int) -> None:
    """Read a video and tell of it; arguments as `frames_of`."""
    with suppress(ImportError, ValueError, OSError):  # not every system bounds everything
        import resource

        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))  # a crash writes nobody's video to the disk
        resource.setrlimit(resource.RLIMIT_AS, (memory, resource.getrlimit(resource.RLIMIT_AS)[1]))
    signal.signal(signal.SIGALRM, signal.SIG_DFL)
    signal.setitimer(signal.ITIMER_REAL, seconds)
    import cv2

    from seps.videos import read_frames

    stream = sys.stdout.buffer

    def tell(numbers: Iterable[int], desc: str) -> Iterator[int]:
        for number in numbers:
            if number % EVERY == 0:
                write_messages(stream, READ, str(number).encode())
            yield number

    try:
        video = read_frames(file, "even", most, tell, longest, READING * seconds)
    except ValueError as error:
        write_messages(stream, REFUSED, str(error).encode("utf-8", "backslashreplace"))
        return
    except (cv2.error, MemoryError):
        sentence = f'"{printable(file.name)}" needs more memory than a video may take: save it smaller, as MP4.'
        write_messages(stream, REFUSED, sentence.encode())
        return
    for frame in video.frames:
        content = BytesIO()
        frame.image.save(content, "JPEG", quality=QUALITY)
        write_messages(stream, KEPT, str(frame.seconds).encode(), content.getvalue())
    write_messages(stream, END, json.dumps([printable(note) for note in video.notes]).encode())


if __name__ == "__main__":
    with suppress(BrokenPipeError):
        serve(Path(sys.argv[1]), int(sys.argv[2]), float(sys.argv[3]), float(sys.argv[4]), int(sys.argv[5]))
    os._exit(0)  # without writing to what nobody reads any more

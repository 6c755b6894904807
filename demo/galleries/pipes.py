"""Messages through a pipe, each led by its length: what the app and a process that decodes for it tell each other."""

from __future__ import annotations

from struct import Struct
from typing import IO

_LENGTH = Struct(">I")  # leads each message


def write_messages(stream: IO[bytes], *messages: bytes) -> None:
    """Send messages, at once."""
    for message in messages:
        stream.write(_LENGTH.pack(len(message)))
        stream.write(message)
    stream.flush()


def read_message(stream: IO[bytes]) -> bytes:
    """Receive the next message; BrokenPipeError where the stream ends."""
    length = stream.read(_LENGTH.size)
    if len(length) == _LENGTH.size:
        message = stream.read(_LENGTH.unpack(length)[0])
        if len(message) == _LENGTH.unpack(length)[0]:
            return message
    raise BrokenPipeError("The other end is closed.")


def is_open(stream: IO[bytes] | None) -> IO[bytes]:
    """Return the end of a pipe that a process was started with."""
    assert stream is not None
    return stream

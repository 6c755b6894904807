"""Length-prefixed messages through a pipe, between the app and a decoding process."""

from __future__ import annotations

from struct import Struct
from typing import IO

_LENGTH = Struct(">I")  # leads each message


def write_messages(stream: IO[bytes], *messages: bytes) -> None:
    """Send messages and flush."""
    for message in messages:
        stream.write(_LENGTH.pack(len(message)))
        stream.write(message)
    stream.flush()


def read_message(stream: IO[bytes]) -> bytes:
    """Receive the next message; BrokenPipeError at the end of the stream."""
    length = stream.read(_LENGTH.size)
    if len(length) == _LENGTH.size:
        message = stream.read(_LENGTH.unpack(length)[0])
        if len(message) == _LENGTH.unpack(length)[0]:
            return message
    raise BrokenPipeError("The other end is closed.")


def is_open(stream: IO[bytes] | None) -> IO[bytes]:
    """Return a process's pipe, which must exist."""
    assert stream is not None
    return stream

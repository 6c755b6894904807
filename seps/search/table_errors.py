"""Errors of a table, and the lock that lets one process write it."""

import os
import re
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

FULL = ("no space left", "file too large", "disk quota", "os error 28", "os error 27", "storagefull")
CLOSED = ("permission denied", "read-only", "access denied", "accessdenied", "forbidden", "os error 13", "os error 30")
NO_ADDRESS = ("no object store provider", "could not parse bucket")
DAMAGED = "damaged"
SOURCE_PLACE = re.compile(r",? *\S*/rust/\S*")  # where in Lance's own code an error was raised


class StoreError(ValueError):
    """A table that cannot be used; the message says why and what to do."""


class DamagedTableError(StoreError):
    """A table that is missing, incomplete, or makes Lance fail."""


@contextmanager
def lance_errors(uri: str) -> Iterator[None]:
    """Raise as StoreError what Lance raises in the block."""
    try:
        yield
    except StoreError:
        raise
    except (OSError, ValueError, RuntimeError) as error:
        raise table_error(uri, str(error)) from error
    except BaseException as error:
        if type(error).__name__ != "PanicException":  # how Lance's own code ends on a damaged file; no Exception
            raise
        raise table_error(uri, DAMAGED) from error


def table_error(uri: str, message: str) -> StoreError:
    """Say of a table what an error of Lance means for whoever uses it."""
    lower = message.lower()
    if any(word in lower for word in FULL):
        return StoreError(f"The table {uri} cannot be written, its disk is full: make room and run this once more.")
    if any(word in lower for word in CLOSED):
        return StoreError(f"The table {uri} is read-only: write into another folder.")
    reason = SOURCE_PLACE.sub("", " ".join(message.split()))[:120]
    if any(word in lower for word in NO_ADDRESS):
        return StoreError(f"{uri} is no address of a table ({reason}): give a folder, or one such as s3://BUCKET/NAME.")
    if "nosuchbucket" in lower:
        return StoreError(f"The bucket of {uri} does not exist: make it, or name another.")
    if "conflict" in lower:
        return StoreError(f"Another process changed the table {uri} meanwhile: run this once more.")
    if "not found" in lower or "no such file" in lower:
        return DamagedTableError(f"There is no table {uri}, or a part of it was deleted: index the photographs again.")
    kind = DamagedTableError if message == DAMAGED else StoreError  # what is not known may pass
    return kind(f"The table {uri} cannot be used ({reason}): index the photographs again.")


def damaged(uri: str, reason: str) -> DamagedTableError:
    """Make the error for a table that this library did not write."""
    return DamagedTableError(f"The table {uri} is damaged ({reason}): delete it, and index the photographs again.")


def is_local(uri: str) -> bool:
    """Return whether a uri names a folder of this machine."""
    return "://" not in uri


def location(uri: str) -> str:
    """Return a table's place as Lance takes it; folders are absolute, since "a:b" would be an address."""
    if not uri:
        raise StoreError("The table has no name: give a folder, or an address such as s3://BUCKET/NAME.")
    return os.path.abspath(uri) if is_local(uri) else uri  # noqa: PTH100, which would follow links


class WriterLock:
    """Lock of the one process that writes a table; object storage has none, and its commits collide instead."""

    def __init__(self, uri: str) -> None:
        self._file: int | None = None
        if not is_local(uri):
            return
        try:
            import fcntl
        except ImportError:
            return
        file = Path(f"{uri}.lock")
        try:
            file.parent.mkdir(parents=True, exist_ok=True)
            self._file = os.open(file, os.O_CREAT | os.O_RDWR, 0o600)
        except OSError as error:
            raise StoreError(f"The table {uri} cannot be written ({error.strerror}): write elsewhere.") from error
        try:
            fcntl.flock(self._file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError as error:
            self.close()
            raise StoreError(f"Another process is writing the table {uri}: wait until it has ended.") from error

    def close(self) -> None:
        """Let another process write."""
        if self._file is not None:
            with suppress(OSError):
                os.close(self._file)
            self._file = None

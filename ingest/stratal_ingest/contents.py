"""The bytes of a file, whole and not too many, or why there are none."""

import os
import stat

from stratal_ingest.errors import DocumentError, LimitExceeded, UnreadableFile
from stratal_memory.errors import NotFound


def problem_of(path: str, error: OSError | ValueError) -> DocumentError | NotFound:
    """The error of ours that tells what the system said of `path`."""
    if isinstance(error, FileNotFoundError):
        return NotFound(f"there is no {path!r}", hint="Check the path, or quote the pattern.")
    reason = error.strerror if isinstance(error, OSError) else str(error)
    return UnreadableFile(f"{path!r} can't be read: {reason}")


def content(path: str, *, limit: int) -> bytes:
    """The bytes of the file at `path`.

    Raises `NotFound`, `UnreadableFile` (also for devices and pipes, which may never end, and for a
    file that is written while it is read, twice), and `LimitExceeded` beyond `limit` bytes.
    """
    for _ in range(2):
        data, whole = _read(path, limit)
        if whole:
            return data
    raise UnreadableFile(
        f"{path!r} was written while it was read", hint="Ingest it again once it is complete."
    )


def _read(path: str, limit: int) -> tuple[bytes, bool]:
    """The bytes of a file, and whether it stayed the same meanwhile."""
    try:
        with os.fdopen(os.open(path, os.O_RDONLY | getattr(os, "O_NONBLOCK", 0)), "rb") as file:
            status = os.fstat(file.fileno())
            if not stat.S_ISREG(status.st_mode):
                raise UnreadableFile(f"{path!r} is no ordinary file")
            if status.st_size > limit:
                raise too_large(status.st_size, limit)
            data = file.read(limit + 1)
            after = os.fstat(file.fileno())
    except (OSError, ValueError) as error:
        raise problem_of(path, error) from error
    if len(data) > limit:
        raise too_large(len(data), limit)
    return data, (status.st_size, status.st_mtime_ns) == (after.st_size, after.st_mtime_ns)


def too_large(size: int, limit: int) -> LimitExceeded:
    """The refusal of a file of `size` bytes or more."""
    return LimitExceeded(f"it has {size:,} bytes, {limit:,} are allowed")

"""The bytes of a workspace's files: no link is followed, and nothing is written by half."""

import os
import stat
import tempfile
from contextlib import suppress
from pathlib import Path

from stratal.errors import InputError, NotFound

LARGEST = 1_000_000  # bytes of one file

# A link at the end is not followed, a pipe not waited for, where the system knows such a wish.
PLAINLY = os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0)


def missing(name: str) -> NotFound:
    """The error for a file that is not there."""
    return NotFound(f"there is no {name[:80]!r} in the workspace", hint="file_list shows all.")


def read_whole(path: Path, name: str) -> tuple[bytes, os.stat_result]:
    """What a plain file holds, and how it lies there.

    A link, a pipe or a second name of another file is not opened.
    """
    try:
        with os.fdopen(os.open(path, PLAINLY), "rb") as file:
            found = os.fstat(file.fileno())
            if not stat.S_ISREG(found.st_mode) or found.st_nlink > 1:
                raise InputError(f"{name} is no plain file", hint="Links are not followed.")
            data = file.read(LARGEST + 1)
    except OSError as error:
        raise missing(name) from error
    if len(data) > LARGEST:
        raise InputError(f"{name} has over {LARGEST:,} bytes", hint="Ask for it as a document.")
    return data, found


def encoded(text: str) -> bytes:
    """The text as a file holds it; `InputError` for what is no text, or too much."""
    try:
        data = text.encode("utf-8")
    except UnicodeEncodeError as error:
        raise InputError(f"the text can't be written: {error.reason}") from error
    if "\0" in text:
        raise InputError("the text holds a NUL, so it is no text", hint="Only text is written.")
    if len(data) > LARGEST:
        raise InputError(
            f"the text has {len(data):,} bytes, a file may have {LARGEST:,}",
            hint="Write several files.",
        )
    return data


def write_whole(path: Path, data: bytes) -> os.stat_result:
    """How the file lies there with these bytes, durably, for its owner alone.

    Raises `OSError`; what was there before stays then.
    """
    handle, unfinished = tempfile.mkstemp(dir=path.parent, prefix=".", suffix=".part")
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
            written = os.fstat(file.fileno())
        Path(unfinished).replace(path)
    except BaseException:
        with suppress(OSError):
            Path(unfinished).unlink()
        raise
    return written

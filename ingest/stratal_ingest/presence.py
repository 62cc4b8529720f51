"""Whether a file is still where it was."""

import os
import re
import stat

_ESCAPED = re.compile(r"\\u(dc[89a-f][0-9a-f])")


def on_disk(path: str) -> str:
    """The path the system knows a stored one by: bytes that are no Unicode are stored escaped."""
    if not _ESCAPED.search(path) or os.path.lexists(path):
        return path
    return _ESCAPED.sub(lambda byte: chr(int(byte[1], 16)), path)


def gone(path: str) -> bool:
    """Whether there is no file at `path`; False for a link, and when that can't be told."""
    try:
        mode = os.lstat(on_disk(path)).st_mode
    except (FileNotFoundError, NotADirectoryError):
        return True
    except (OSError, ValueError):
        return False
    return not (stat.S_ISREG(mode) or stat.S_ISLNK(mode))


def replaced(path: str) -> bool:
    """Whether a folder, a pipe or a device stands where a file was."""
    return gone(path) and os.path.lexists(on_disk(path))


def has_files(folder: str) -> bool:
    """Whether any file lies below `folder`: where a disk was unplugged, none does."""
    return any(files for _, _, files in os.walk(folder))

"""Which files a list of paths, folders and patterns names."""

import glob
import os
import stat
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from stratal_ingest.errors import DocumentError, LimitExceeded, UnreadableFile
from stratal_memory.errors import NotFound

STDIN = "-"
STDIN_NAME = "stdin"


@dataclass(frozen=True, slots=True, kw_only=True)
class Source:
    """One file to be read, or a path that can't be, with the reason."""

    path: str  # as it was named
    problem: DocumentError | NotFound | None = None

    @property
    def shown(self) -> str:
        """The path as Unicode that can be printed and stored, whatever bytes the name holds."""
        return STDIN_NAME if self.path == STDIN else _unicode(self.path)

    @property
    def key(self) -> str:
        """The absolute path, by which a document is found again; links are not followed in it."""
        return STDIN_NAME if self.path == STDIN else _unicode(os.path.abspath(self.path))  # noqa: PTH100


def _unicode(path: str) -> str:
    return path.encode("utf-8", "backslashreplace").decode("utf-8")


def sources(paths: Sequence[str]) -> list[Source]:
    """The files of `paths`, in the order given, folders and patterns sorted, each file once.

    Folders are read with all below them; hidden files and linked folders inside them are passed
    over. What is missing or can't be read is in the list too, with its problem.
    """
    found: dict[str, Source] = {}
    for path in paths:
        for source in _expanded(path):
            found.setdefault(source.key, source)
    return list(found.values())


def _expanded(path: str) -> Iterator[Source]:
    if path == STDIN:
        yield Source(path=path)
        return
    try:
        mode = os.stat(path).st_mode  # noqa: PTH116 - a Path would lose a leading `./`
    except (OSError, ValueError) as error:
        yield from _matches(path, error)
        return
    if stat.S_ISDIR(mode):
        yield from _folder(path)
    else:
        yield Source(path=path)


def _matches(pattern: str, error: OSError | ValueError) -> Iterator[Source]:
    # Path.glob takes no absolute pattern.
    names = sorted(glob.glob(pattern, recursive=True)) if glob.has_magic(pattern) else []  # noqa: PTH207
    for name in names:
        yield from _expanded(name)
    if not names:
        yield Source(path=pattern, problem=_problem(pattern, error))


def _folder(path: str) -> Iterator[Source]:
    problems: list[OSError] = []
    for folder, folders, files in os.walk(path, onerror=problems.append):
        folders[:] = sorted(name for name in folders if not name.startswith("."))
        for name in sorted(files):
            if not name.startswith("."):
                yield Source(path=str(Path(folder, name)))
        while problems:
            yield _refused(problems.pop())
    while problems:
        yield _refused(problems.pop())


def _refused(error: OSError) -> Source:
    path = str(error.filename)
    return Source(path=path, problem=_problem(path, error))


def _problem(path: str, error: OSError | ValueError) -> DocumentError | NotFound:
    if isinstance(error, FileNotFoundError):
        return NotFound(f"there is no {path!r}", hint="Check the path, or quote the pattern.")
    reason = error.strerror if isinstance(error, OSError) else str(error)
    return UnreadableFile(f"{path!r} can't be read: {reason}")


def content(path: str, *, limit: int) -> bytes:
    """The bytes of the file at `path`.

    Raises `NotFound`, `UnreadableFile` (also for devices and pipes, which may never end), and
    `LimitExceeded` beyond `limit` bytes.
    """
    try:
        with os.fdopen(os.open(path, os.O_RDONLY | getattr(os, "O_NONBLOCK", 0)), "rb") as file:
            status = os.fstat(file.fileno())
            if not stat.S_ISREG(status.st_mode):
                raise UnreadableFile(f"{path!r} is no ordinary file")
            if status.st_size > limit:
                raise too_large(status.st_size, limit)
            data = file.read(limit + 1)
    except (OSError, ValueError) as error:
        raise _problem(path, error) from error
    if len(data) > limit:
        raise too_large(len(data), limit)
    return data


def too_large(size: int, limit: int) -> LimitExceeded:
    """The refusal of a file of `size` bytes or more."""
    return LimitExceeded(f"it has {size:,} bytes, {limit:,} are allowed")

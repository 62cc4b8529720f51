"""Which files a list of paths, folders, patterns and addresses names."""

import glob
import os
import stat
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from pathlib import Path, PurePath

from stratal_ingest.errors import DocumentError, LimitExceeded, UnreadableFile
from stratal_memory.errors import NotFound

STDIN = "-"
STDIN_NAME = "stdin"
_ADDRESS = ("http://", "https://")


class Origin(StrEnum):
    """Where the bytes of a source come from."""

    FILE = "file"
    STDIN = "stdin"
    WEB = "web"


@dataclass(frozen=True, slots=True, kw_only=True)
class Source:
    """One file to be read, or a path that can't be, with the reason."""

    path: str  # as it was named
    origin: Origin = Origin.FILE
    root: str = ""  # what it was found by: a folder, a pattern, or itself
    name: str = ""  # standard input: what the user calls it; its suffix tells the format
    problem: DocumentError | NotFound | None = None

    @property
    def shown(self) -> str:
        """The path as Unicode that can be printed and stored, whatever bytes the name holds."""
        if self.origin is Origin.STDIN:
            return self.name or STDIN_NAME
        return _unicode(self.path)

    @property
    def key(self) -> str:
        """What a document is found by again; empty where only the content can tell.

        The absolute path, in which links are not followed, the address, or the name that standard
        input was given.
        """
        if self.origin is Origin.STDIN:
            return f"{STDIN_NAME}:{self.name}" if self.name else ""
        return absolute(self.path) if self.origin is Origin.FILE else _unicode(self.path)

    @property
    def suffix(self) -> str:
        """The ending of the name, which may decide how it is read."""
        return PurePath(self.shown).suffix.lower()


@dataclass(frozen=True, slots=True, kw_only=True)
class Root:
    """A folder or pattern that was looked through: what came from it and is gone has ended."""

    path: str  # absolute
    folder: bool  # all below it was looked at
    alone: bool = False  # a single file that is not there: nothing but itself


@dataclass(frozen=True, slots=True, kw_only=True)
class Found:
    """What was named: the sources in order, each once, and the roots they were looked for in."""

    sources: tuple[Source, ...]
    roots: tuple[Root, ...] = ()
    keys: frozenset[str] = field(default_factory=frozenset[str])  # of all sources


def absolute(path: str) -> str:
    """The absolute form of a path, as it is stored."""
    return _unicode(os.path.abspath(path))  # noqa: PTH100 - Path.resolve would follow links


def _unicode(path: str) -> str:
    return path.encode("utf-8", "backslashreplace").decode("utf-8")


def gone(path: str) -> bool:
    """Whether there is nothing at `path`; False when that can't be told."""
    try:
        os.lstat(path)
    except (FileNotFoundError, NotADirectoryError):
        return True
    except (OSError, ValueError):
        return False
    return False


def find(paths: Sequence[str], *, stdin_name: str = "") -> Found:
    """The files of `paths`, in the order given, folders and patterns sorted, each file once.

    Folders are read with all below them; hidden files and linked folders inside them are passed
    over. What is missing or can't be read is in the list too, with its problem.
    """
    found: dict[str, Source] = {}
    roots: list[Root] = []
    for path in paths:
        for source in _named(path, stdin_name):
            found.setdefault(source.key, source)
        root = _root(path)
        if root is not None:
            roots.append(root)
    return Found(sources=tuple(found.values()), roots=tuple(roots), keys=frozenset(found))


def sources(paths: Sequence[str]) -> list[Source]:
    """The sources of `find`."""
    return list(find(paths).sources)


def _named(path: str, stdin_name: str) -> Iterator[Source]:
    if path == STDIN:
        yield Source(path=path, origin=Origin.STDIN, name=stdin_name)
    elif path.lower().startswith(_ADDRESS):
        yield Source(path=path, origin=Origin.WEB)
    else:
        yield from _expanded(path, root=absolute(path))


def _root(path: str) -> Root | None:
    if path == STDIN or path.lower().startswith(_ADDRESS):
        return None
    if os.path.isdir(path):  # noqa: PTH112 - a Path raises for a name that is too long
        return Root(path=absolute(path), folder=True)
    if glob.has_magic(path) and gone(path):
        return Root(path=absolute(path), folder=False)
    return Root(path=absolute(path), folder=False, alone=True) if gone(path) else None


def _expanded(path: str, *, root: str) -> Iterator[Source]:
    try:
        mode = os.stat(path).st_mode  # noqa: PTH116 - a Path would lose a leading `./`
    except (OSError, ValueError) as error:
        yield from _matches(path, error, root=root)
        return
    if stat.S_ISDIR(mode):
        yield from _folder(path, root=root)
    else:
        yield Source(path=path, root=root)


def _matches(pattern: str, error: OSError | ValueError, *, root: str) -> Iterator[Source]:
    # Path.glob takes no absolute pattern.
    names = sorted(glob.glob(pattern, recursive=True)) if glob.has_magic(pattern) else []  # noqa: PTH207
    for name in names:
        yield from _expanded(name, root=root)
    if not names:
        yield Source(path=pattern, root=root, problem=_problem(pattern, error))


def _folder(path: str, *, root: str) -> Iterator[Source]:
    problems: list[OSError] = []
    for folder, folders, files in os.walk(path, onerror=problems.append):
        folders[:] = sorted(name for name in folders if not name.startswith("."))
        for name in sorted(files):
            if not name.startswith("."):
                yield Source(path=str(Path(folder, name)), root=root)
        while problems:
            yield _refused(problems.pop(), root=root)
    while problems:
        yield _refused(problems.pop(), root=root)


def _refused(error: OSError, *, root: str) -> Source:
    path = str(error.filename)
    return Source(path=path, root=root, problem=_problem(path, error))


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

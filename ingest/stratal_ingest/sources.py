"""Which files a list of paths, folders, patterns and addresses names."""

import glob
import os
import stat
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from pathlib import Path, PurePath

from stratal_ingest.addressed import is_address, refusal, without_credentials
from stratal_ingest.contents import problem_of
from stratal_ingest.errors import DocumentError, UnreadableFile
from stratal_ingest.presence import gone
from stratal_memory.errors import NotFound

STDIN = "-"
STDIN_NAME = "stdin"


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
    home: str = ""  # the folder that must be there, with a file in it, for anything to have ended


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


def _fixed(pattern: str) -> str:
    """The folder that a pattern looks in: what stands before its first part with a `*`."""
    folder = pattern
    while glob.has_magic(folder):
        folder = os.path.dirname(folder)  # noqa: PTH120 - a Path would lose a leading `./`
    return absolute(folder or ".")


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
    elif is_address(path):
        kept = without_credentials(path)
        yield Source(path=kept, origin=Origin.WEB, problem=refusal(path))
    else:
        yield from _expanded(path, root=absolute(path))


def _root(path: str) -> Root | None:
    if path == STDIN or is_address(path):
        return None
    if os.path.isdir(path):  # noqa: PTH112 - a Path raises for a name that is too long
        return Root(path=absolute(path), folder=True, home=path)
    if not gone(path):
        return None
    if glob.has_magic(path):
        return Root(path=absolute(path), folder=False, home=_fixed(path))
    home = os.path.dirname(path) or "."  # noqa: PTH120 - as in `_fixed`
    return Root(path=absolute(path), folder=False, alone=True, home=home)


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
        yield Source(path=pattern, root=root, problem=problem_of(pattern, error))


def _folder(path: str, *, root: str) -> Iterator[Source]:
    problems: list[OSError] = []
    for folder, folders, files in os.walk(path, onerror=problems.append):
        folders[:] = sorted(name for name in folders if not name.startswith("."))
        for name in sorted(files):
            if not name.startswith("."):
                file = str(Path(folder, name))
                yield Source(path=file, root=root, problem=_led_out(file, path))
        while problems:
            yield _refused(problems.pop(), root=root)
    while problems:
        yield _refused(problems.pop(), root=root)


def _led_out(file: str, folder: str) -> UnreadableFile | None:
    """The refusal of a link to a file outside of the folder that was named."""
    if not os.path.islink(file):  # noqa: PTH114
        return None
    home, real = os.path.realpath(folder), os.path.realpath(file)
    if real.startswith(os.path.join(home, "")):  # noqa: PTH118 - it ends in one separator
        return None
    return UnreadableFile(
        "it is a link to a file outside of the folder", hint="Name the file itself to have it read."
    )


def _refused(error: OSError, *, root: str) -> Source:
    path = str(error.filename)
    return Source(path=path, root=root, problem=problem_of(path, error))

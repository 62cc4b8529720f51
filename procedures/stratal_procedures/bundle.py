"""Every file of a skill's folder, and one digest over all their bytes."""

import hashlib
import os
import stat
from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum
from functools import cached_property
from pathlib import Path

from stratal_procedures.errors import SkillError
from stratal_procedures.skill import MAX_BYTES, Skill, file_of, parse

MAX_FILES = 2_000  # of one skill; a folder of dependencies is no skill
MAX_SIZE = 64 * 1024 * 1024  # bytes of all files of one skill
PIECE = 1024 * 1024  # bytes hashed at a time


class Item(StrEnum):
    """What lies at a path."""

    FILE = "file"
    LINK = "link"  # never followed: where it leads is what counts
    OTHER = "other"  # a pipe, a socket, a device: never opened


@dataclass(frozen=True, slots=True, kw_only=True)
class Entry:
    """One path below a skill's folder. `digest` is the SHA-256 of a file, or of a link's text."""

    path: str  # with / between its parts
    item: Item
    size: int  # bytes
    digest: str


@dataclass(frozen=True, kw_only=True)
class Bundle:
    """What a skill's folder holds, by path. The bytes of its `SKILL.md` are those it is read by."""

    folder: Path
    entries: tuple[Entry, ...]
    main: bytes

    @cached_property
    def digest(self) -> str:
        """SHA-256 in hex over every path, what lies there and its bytes; any change gives another.

        The folder's own name and place are not in it: the same bytes are the same skill.
        """
        whole = hashlib.sha256()
        for entry in self.entries:
            path = os.fsencode(entry.path)
            whole.update(f"{entry.item} {entry.digest} {len(path)} ".encode() + path + b"\n")
        return whole.hexdigest()

    @property
    def size(self) -> int:
        """Bytes of all files."""
        return sum(entry.size for entry in self.entries)

    def skill(self) -> Skill:
        """The skill in these very bytes; raises `SkillError`."""
        return parse(self.main, file=file_of(self.folder))

    def entry(self, path: str) -> Entry | None:
        """What lies at `path`; None when nothing does."""
        return next((entry for entry in self.entries if entry.path == path), None)


def read_bundle(folder: Path) -> Bundle:
    """All of a folder, each file read once.

    Raises `SkillError` where a file can't be read, where there are over 2,000 or over 64 MB of
    them, and where the `SKILL.md` is missing, too large or a link: what is approved lies inside.
    """
    main = file_of(folder)
    entries: list[Entry] = []
    kept, size = b"", 0
    for path in _paths(folder):
        if len(entries) == MAX_FILES:
            raise _too_much(folder, f"it holds over {MAX_FILES:,} files")
        entry, content = _entry(path, folder, keep=path == main)
        size += entry.size
        if size > MAX_SIZE:
            raise _too_much(folder, f"it holds over {MAX_SIZE // 2**20} MB")
        entries.append(entry)
        kept = content or kept
    if not any(folder / entry.path == main and entry.item is Item.FILE for entry in entries):
        raise _unfit(
            main, "it is not a file of its own", "A link may lead to other bytes tomorrow."
        )
    if len(kept) > MAX_BYTES:
        raise _unfit(
            main,
            f"it is over {MAX_BYTES // 1024} KB",
            "Keep the steps here and put long material in references/ beside it.",
        )
    entries.sort(key=lambda entry: os.fsencode(entry.path))
    return Bundle(folder=folder, entries=tuple(entries), main=kept)


def read_entry(folder: Path, entry: Entry) -> bytes:
    """The bytes of a file as they were when the bundle was read.

    Raises `SkillError` when they are others now: what was looked at is what is taken.
    """
    content = b"".join(_pieces(folder / entry.path))
    if hashlib.sha256(content).hexdigest() != entry.digest:
        raise _unfit(
            folder / entry.path,
            "it was changed after it was looked at",
            "Look at the skill again: stratal skills show NAME.",
        )
    return content


def open_file(path: Path) -> int:
    """A descriptor of a plain file; never waits for a pipe, never follows a link at its end.

    Raises `OSError`, for what is no plain file too.
    """
    found = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_NOFOLLOW | os.O_CLOEXEC)
    if not stat.S_ISREG(os.fstat(found).st_mode):
        os.close(found)
        raise OSError(0, "it is not a plain file", str(path))
    return found


def _paths(folder: Path) -> Iterator[Path]:
    """Every path below `folder` that is no folder itself, links among them."""
    waiting, looked = [folder], 0
    while waiting:
        looked += 1
        if looked > MAX_FILES:
            raise _too_much(folder, f"it holds over {MAX_FILES:,} folders")
        here = waiting.pop()
        try:
            with os.scandir(here) as found:
                entries = sorted(found, key=lambda entry: entry.name)
        except OSError as error:
            raise _unreadable(here, error) from error
        for entry in entries:
            if entry.is_dir(follow_symlinks=False):
                waiting.append(Path(entry.path))
            else:
                yield Path(entry.path)


def _entry(path: Path, root: Path, *, keep: bool) -> tuple[Entry, bytes]:
    """What lies at `path`, and its bytes when they are to be kept."""
    name = path.relative_to(root).as_posix()
    try:
        mode = path.lstat().st_mode
        if stat.S_ISLNK(mode):
            target = os.fsencode(path.readlink())
            found = Entry(path=name, item=Item.LINK, size=0, digest=_sha(target))
            return found, b""
        if not stat.S_ISREG(mode):
            return Entry(path=name, item=Item.OTHER, size=0, digest=_sha(b"")), b""
    except OSError as error:
        raise _unreadable(path, error) from error
    digest, size, kept = hashlib.sha256(), 0, bytearray()
    for piece in _pieces(path):
        digest.update(piece)
        size += len(piece)
        if keep:
            kept += piece
    return Entry(path=name, item=Item.FILE, size=size, digest=digest.hexdigest()), bytes(kept)


def _pieces(path: Path) -> Iterator[bytes]:
    try:
        with os.fdopen(open_file(path), "rb") as stream:
            size = 0
            while piece := stream.read(PIECE):
                size += len(piece)
                if size > MAX_SIZE:
                    raise _too_much(path, f"it has over {MAX_SIZE // 2**20} MB")
                yield piece
    except OSError as error:
        raise _unreadable(path, error) from error


def _sha(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()


def _unreadable(path: Path, error: OSError) -> SkillError:
    return _unfit(path, f"it can't be read: {error.strerror}", "Check that it may be read by you.")


def _too_much(path: Path, problem: str) -> SkillError:
    return _unfit(path, problem, "Keep what the skill needs and nothing else in its folder.")


def _unfit(path: Path, problem: str, hint: str) -> SkillError:
    return SkillError(problem, file=path, field="file", hint=hint)

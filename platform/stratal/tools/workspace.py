"""A user's folder of text files for the agent: nothing outside of it, nothing half written."""

import os
import re
import stat
import tempfile
import unicodedata
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from threading import Lock

from stratal.errors import InputError, NotFound, StorageError
from stratal_memory.erase.files import WORKSPACES, workspace_name

LARGEST = 1_000_000  # bytes of one file
QUOTA = 50_000_000  # bytes of all files of a user
MOST_FILES = 1_000
DEEPEST = 8  # folders and the file
LONGEST_NAME = 100  # bytes of one part of a path; file systems take 255

# A link at the end is not followed, a pipe not waited for, where the system knows such a wish.
PLAINLY = os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0)

_UNFIT = re.compile(r'[\x00-\x1f\x7f<>:"|?*\\]')  # of these some file system makes something else
_DEVICE = re.compile(r"(con|prn|aux|nul|com\d|lpt\d)(\..*)?", re.IGNORECASE)
_writing = Lock()  # a change is read, made and written before the next one begins


@dataclass(frozen=True, slots=True)
class Workspace:
    """The files of one user below the data directory."""

    root: Path

    @classmethod
    def of(cls, data: Path, user: str) -> "Workspace":
        """That of `user`; nothing is made before something is written."""
        return cls(data / WORKSPACES / workspace_name(user))

    def paths(self, folder: str = "") -> list[tuple[str, int]]:
        """The files below `folder` with their bytes, by path; `NotFound` where there is none."""
        whole = folder.strip() in ("", ".", "/", "./")
        start = self.root if whole else self._place(folder, folder=True)
        return [(path.relative_to(self.root).as_posix(), size) for path, size in _walk(start)]

    def read(self, name: str) -> str:
        """The text of a file.

        Raises `NotFound`, and `InputError` for what is no text, is too large, or is a link.
        """
        data = _bytes(self._place(name), name)
        try:
            text = data.decode("utf-8")
        except UnicodeDecodeError as error:
            raise InputError(f"{name} is no text in UTF-8", hint="Only text is read.") from error
        if "\0" in text:
            raise InputError(f"{name} is no text", hint="Only text is read.")
        return text

    def write(self, name: str, text: str) -> int:
        """Make the file hold `text`, whole or not at all; how many bytes it has now.

        Raises `InputError` for a path that could lead elsewhere, for what is no text or too much,
        and when the quota is used up; `StorageError` when the disk refuses.
        """
        with _writing:
            return self._write(name, text)

    def replace(self, name: str, old: str, new: str) -> int:
        """Put `new` where `old` stands in a file; how many bytes it has now.

        Raises `InputError` unless `old` stands there exactly once, and as `read` and `write`.
        """
        with _writing:
            text = self.read(name)
            count = text.count(old) if old else 0
            if count != 1:
                raise InputError(
                    f"the old text stands {count} times in {name}, not once",
                    hint="Give it with more of the lines around it, exactly as it is there.",
                )
            return self._write(name, text.replace(old, new))

    def _write(self, name: str, text: str) -> int:
        data = _encoded(text)
        parts = _parts(name)
        path = self.root.joinpath(*parts)
        try:
            self._check_way(parts, name)
            self._check_quota(path, len(data))
            path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
            _write_whole(path, data)
        except OSError as error:
            raise StorageError(
                f"{name} could not be written: {error.strerror}",
                hint="Another path may do, or free some space.",
            ) from error
        return len(data)

    def _place(self, name: str, *, folder: bool = False) -> Path:
        """Where a file or `folder` is; `NotFound` unless it is one."""
        parts = _parts(name)
        path = self.root.joinpath(*parts)
        try:
            self._check_way(parts, name)
            mode = path.lstat().st_mode
        except OSError as error:
            raise _missing(name) from error
        if not (stat.S_ISDIR(mode) if folder else stat.S_ISREG(mode)):
            raise _missing(name)
        return path

    def _check_way(self, parts: tuple[str, ...], name: str) -> None:
        """Raises `InputError` for a link on the way, or a name that differs in case alone."""
        here = self.root
        for part in ("", *parts):
            other = _alike(here, part) if part else ""
            if other:
                raise InputError(
                    f"{name}: there is {other} already, written otherwise",
                    hint="Use the name as it is listed.",
                )
            here = here / part
            if here.is_symlink():
                raise InputError(f"{name} leads over a link", hint="Links are not followed.")

    def _check_quota(self, path: Path, size: int) -> None:
        every = dict(_walk(self.root))
        used = sum(every.values()) - every.get(path, 0) + size
        if used > QUOTA:
            raise InputError(
                f"the workspace would hold {used:,} bytes, {QUOTA:,} are allowed",
                hint="Make other files smaller first.",
            )
        if path not in every and len(every) >= MOST_FILES:
            raise InputError(
                f"the workspace holds {len(every):,} files, {MOST_FILES:,} are allowed",
                hint="Write into a file that is there.",
            )


def _parts(name: str) -> tuple[str, ...]:
    """The parts of a path below the workspace; `InputError` for any that could lead elsewhere."""
    plain = unicodedata.normalize("NFC", name.strip())
    if plain.startswith(("/", "\\", "~")) or not plain:
        raise InputError(
            f"{name[:80]!r} is no path inside the workspace", hint="Write it like notes/plan.md."
        )
    parts = tuple(part for part in plain.split("/") if part not in ("", "."))
    if not 0 < len(parts) <= DEEPEST:
        raise InputError(f"{name[:80]!r} has {len(parts)} parts, 1 to {DEEPEST} are allowed")
    for part in parts:
        _check_part(part)
    return parts


def _check_part(part: str) -> None:
    try:
        size = len(part.encode("utf-8"))
    except UnicodeEncodeError:
        size = LONGEST_NAME + 1
    hidden = part.startswith((".", " ")) or part.endswith((".", " "))
    if hidden or size > LONGEST_NAME or _UNFIT.search(part) or _DEVICE.fullmatch(part):
        raise InputError(
            f"{part[:80]!r} can't be the name of a file or folder here",
            hint='No dot or blank at its ends, none of <>:"|?*\\, at most 100 bytes.',
        )


def _alike(folder: Path, part: str) -> str:
    """Another name in `folder` that some file system takes for `part`; empty where none is."""
    if not folder.is_dir():
        return ""
    names = (path.name for path in folder.iterdir() if path.name != part)
    return next((name for name in names if _folded(name) == _folded(part)), "")


def _folded(name: str) -> str:
    return unicodedata.normalize("NFC", unicodedata.normalize("NFKD", name).casefold())


def _missing(name: str) -> NotFound:
    return NotFound(f"there is no {name[:80]!r} in the workspace", hint="file_list shows all.")


def _walk(folder: Path) -> Iterator[tuple[Path, int]]:
    """The plain files below `folder` with their bytes, by path; links and hidden ones are none."""
    try:
        entries = sorted(os.scandir(folder), key=lambda entry: entry.name)
    except OSError:
        return
    for entry in entries:
        if entry.name.startswith(".") or entry.is_symlink():
            continue
        if entry.is_dir(follow_symlinks=False):
            yield from _walk(Path(entry.path))
        elif entry.is_file(follow_symlinks=False):
            yield Path(entry.path), entry.stat(follow_symlinks=False).st_size


def _bytes(path: Path, name: str) -> bytes:
    """What a plain file holds; a link, a pipe or a second name of another file is not opened."""
    try:
        with os.fdopen(os.open(path, PLAINLY), "rb") as file:
            found = os.fstat(file.fileno())
            if not stat.S_ISREG(found.st_mode) or found.st_nlink > 1:
                raise InputError(f"{name} is no plain file", hint="Links are not followed.")
            data = file.read(LARGEST + 1)
    except OSError as error:
        raise _missing(name) from error
    if len(data) > LARGEST:
        raise InputError(f"{name} has over {LARGEST:,} bytes", hint="Ask for it as a document.")
    return data


def _encoded(text: str) -> bytes:
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


def _write_whole(path: Path, data: bytes) -> None:
    """The bytes in the file, durably, or what was there before; for its owner alone."""
    handle, unfinished = tempfile.mkstemp(dir=path.parent, prefix=".", suffix=".part")
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        Path(unfinished).replace(path)
    except BaseException:
        with suppress(OSError):
            Path(unfinished).unlink()
        raise

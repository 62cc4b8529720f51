"""A user's folder of text files for the agent: nothing outside of it, nothing half written."""

import logging
import os
import stat
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from threading import Lock

from stratal.errors import InputError, StorageError
from stratal.tools.file_bytes import encoded, missing, read_whole, write_whole
from stratal.tools.file_names import alike, parts_of
from stratal.tools.file_trust import OUTSIDE, RECORD, Mark, mark_of, marks, packed, trust_of
from stratal_memory.erase.files import WORKSPACES, workspace_name
from stratal_memory.records import Trust, lowest_trust

QUOTA = 50_000_000  # bytes of all files of a user
MOST_FILES = 1_000

log = logging.getLogger(__name__)
_writing = Lock()  # a change is read, made and written before the next one begins


@dataclass(frozen=True, slots=True, kw_only=True)
class Look:
    """What a file holds, and whose word it is."""

    text: str
    trust: Trust


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
        """The text of a file; raises as `look`."""
        return self.look(name).text

    def trust(self, names: Iterable[str]) -> Trust:
        """The lowest trust of the files of these names; that of the system for none."""
        known = marks(self.root)
        found = [_trust(known, self.root, name) for name in names]
        return lowest_trust(Trust.SYSTEM, *found)

    def look(self, name: str) -> Look:
        """The text of a file, and whose word it is.

        Raises `NotFound`, and `InputError` for what is no text, is too large, or is a link.
        """
        return self._look(name, marks(self.root))

    def looks(self, folder: str = "") -> Iterator[tuple[str, Look]]:
        """What each file below `folder` holds, by path; one that is no text is passed over."""
        known = marks(self.root)
        for name, _ in self.paths(folder):
            try:
                found = self._look(name, known)
            except InputError:
                continue
            yield name, found

    def _look(self, name: str, known: Mapping[str, Mark]) -> Look:
        path = self._place(name)
        data, state = read_whole(path, name)
        try:
            text = data.decode("utf-8")
        except UnicodeDecodeError as error:
            raise InputError(f"{name} is no text in UTF-8", hint="Only text is read.") from error
        if "\0" in text:
            raise InputError(f"{name} is no text", hint="Only text is read.")
        inside = path.relative_to(self.root).as_posix()
        return Look(text=text, trust=trust_of(known, inside, state))

    def write(self, name: str, text: str, *, trust: Trust = OUTSIDE) -> int:
        """Make the file hold `text`, whole or not at all; how many bytes it has now.

        `trust` is the lowest of what the writer had read. Raises `InputError` for a path that could
        lead elsewhere, for what is no text or too much, and when the quota is used up;
        `StorageError` when the disk refuses.
        """
        with _writing:
            return self._write(name, text, trust)

    def replace(self, name: str, old: str, new: str, *, trust: Trust = OUTSIDE) -> int:
        """Put `new` where `old` stands in a file; how many bytes it has now.

        Raises `InputError` unless `old` stands there exactly once, and as `look` and `write`.
        """
        with _writing:
            found = self.look(name)
            text = found.text
            count = text.count(old) if old else 0
            if count != 1:
                raise InputError(
                    f"the old text stands {count} times in {name}, not once",
                    hint="Give it with more of the lines around it, exactly as it is there.",
                )
            return self._write(name, text.replace(old, new), lowest_trust(found.trust, trust))

    def _write(self, name: str, text: str, trust: Trust) -> int:
        data = encoded(text)
        parts = parts_of(name)
        path = self.root.joinpath(*parts)
        try:
            self._check_way(parts, name)
            self._check_quota(path, len(data))
            path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
            written = write_whole(path, data)
        except OSError as error:
            raise StorageError(
                f"{name} could not be written: {error.strerror}",
                hint="Another path may do, or free some space.",
            ) from error
        self._mark("/".join(parts), mark_of(written, trust))
        return len(data)

    def _mark(self, inside: str, mark: Mark) -> None:
        """Note whose word the file is that was just written; those that are gone are forgotten."""
        known = marks(self.root)
        if mark.trust is OUTSIDE and inside not in known:
            return
        left = {path: one for path, one in known.items() if (self.root / path).is_file()}
        try:
            write_whole(self.root / RECORD, packed({**left, inside: mark}))
        except OSError as error:  # the file is there; without a mark nobody vouches for it
            log.warning("whose word a file is could not be kept: %s", error.strerror)

    def _place(self, name: str, *, folder: bool = False) -> Path:
        """Where a file or `folder` is; `NotFound` unless it is one."""
        parts = parts_of(name)
        path = self.root.joinpath(*parts)
        try:
            self._check_way(parts, name)
            mode = path.lstat().st_mode
        except OSError as error:
            raise missing(name) from error
        if not (stat.S_ISDIR(mode) if folder else stat.S_ISREG(mode)):
            raise missing(name)
        return path

    def _check_way(self, parts: tuple[str, ...], name: str) -> None:
        """Raises `InputError` for a link on the way, or a name that differs in case alone."""
        here = self.root
        for part in ("", *parts):
            other = alike(here, part) if part else ""
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


def _trust(known: Mapping[str, Mark], root: Path, inside: str) -> Trust:
    try:
        return trust_of(known, inside, (root / inside).lstat())
    except OSError:  # it has gone meanwhile
        return OUTSIDE

"""The files of a skill, read one piece at a time and never outside its folder."""

import difflib
import hashlib
import os
import stat
from pathlib import Path, PurePosixPath

from stratal_memory.errors import InputError, NotFound
from stratal_memory.text import storable
from stratal_procedures.bundle import open_file
from stratal_procedures.library import Found
from stratal_procedures.listing import of_folder
from stratal_procedures.skill import FILE_NAME

MAX_READ = 4 * 1024 * 1024  # bytes of a file that is shown piece by piece
MAX_PATH = 1_000  # characters


def read_text(found: Found, path: str) -> str:
    """A file of a skill as text, with LF line ends.

    Of a skill that was approved exactly the approved bytes. Raises `NotFound`, and `InputError` for
    what leads out of the folder, is a folder, no plain file, over 4 MB, no text, or was changed.
    """
    target = _inside(found.skill.folder, path)
    content = _content(target, path)
    _check_approved(found, target, content, path)
    return _decoded(content, path)


def _inside(folder: Path, path: str) -> Path:
    """The place that `path` names below `folder`, links followed."""
    written = storable(path).replace("\\", "/").strip()
    parts = PurePosixPath(written)
    if not written or len(written) > MAX_PATH or parts.is_absolute() or ".." in parts.parts:
        raise _outside(path)
    try:
        base = folder.resolve(strict=True)
        target = (base / parts).resolve()
        kind = target.stat().st_mode if target.is_relative_to(base) else 0
    except (OSError, RuntimeError) as error:  # nothing there; too long; links in a circle
        raise NotFound(f"the skill has no file {path[:80]!r}", hint=_hint(folder, path)) from error
    if not target.is_relative_to(base):
        raise _outside(path)
    if stat.S_ISDIR(kind):
        raise InputError(f"{path[:80]!r} is a folder", hint=_hint(folder, path))
    return target


def _outside(path: str) -> InputError:
    return InputError(
        f"{path[:80]!r} is no path inside the skill",
        hint="Name a file below its folder, as references/guide.md.",
    )


def _content(target: Path, path: str) -> bytes:
    try:
        with os.fdopen(open_file(target), "rb") as stream:
            content = stream.read(MAX_READ + 1)
    except OSError as error:
        raise InputError(f"{path[:80]!r} can't be read: {error.strerror}") from error
    if len(content) > MAX_READ:
        size = target.stat().st_size
        raise InputError(
            f"{path[:80]!r} has {size:,} bytes, files of up to {MAX_READ:,} are shown",
            hint="Work on it with a program; it is too long to read.",
        )
    return content


def _check_approved(found: Found, target: Path, content: bytes, path: str) -> None:
    if found.bundle is None:
        return
    name = target.relative_to(found.skill.folder.resolve()).as_posix()
    entry = found.bundle.entry(name)
    if entry is None or entry.digest != hashlib.sha256(content).hexdigest():
        raise InputError(
            f"{path[:80]!r} is not what was approved",
            hint=f"A person looks at it again: stratal skills show {found.skill.name}.",
        )


def _decoded(content: bytes, path: str) -> str:
    """The text of UTF-8, or of UTF-16 that says so."""
    wide = content.startswith((b"\xff\xfe", b"\xfe\xff"))
    try:
        text = content.decode("utf-16" if wide else "utf-8-sig")
    except UnicodeDecodeError:
        text = "\0"
    if "\0" in text:
        raise InputError(
            f"{path[:80]!r} is no text: {len(content):,} bytes of another kind",
            hint="Its name and size are all there is to tell; don't guess what it holds.",
        )
    return storable(text.replace("\r\n", "\n").replace("\r", "\n"))


def _hint(folder: Path, path: str) -> str:
    """The files there are, those with a name like `path` first."""
    names = [name for name, _ in of_folder(folder).files]
    close = difflib.get_close_matches(path, names, n=3, cutoff=0.5)
    shown = [*close, *(name for name in names if name not in close)][:10]
    return f"Its files: {', '.join(shown)}." if shown else f"It has only {FILE_NAME}."

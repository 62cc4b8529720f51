"""ZIP and TAR of documents: each member is a document of its own."""

import bz2
import gzip
import io
import lzma
import stat
import tarfile
import zipfile
import zlib
from collections.abc import Iterator
from pathlib import PurePosixPath
from typing import IO

from stratal_ingest.document import Enclosed, ReadDocument, Refusal
from stratal_ingest.errors import CorruptDocument, DocumentError, LimitExceeded
from stratal_ingest.limits import Limits
from stratal_ingest.outcome import refusal_of
from stratal_ingest.readers.archive import check_sizes, opened, unpacked

_NOT_MEANT = frozenset({"__macosx", "thumbs.db", "desktop.ini"})
_UTF8 = 0x800  # flag of an entry whose name is UTF-8; others are said to be cp437
_PACKINGS = ((b"\x1f\x8b", gzip.open), (b"BZh", bz2.open), (b"\xfd7zXZ", lzma.open))
_BROKEN_TAR = (
    *(tarfile.TarError, OSError, EOFError, ValueError, KeyError, IndexError),
    *(zlib.error, lzma.LZMAError, OverflowError),
)
_CHUNK = 1 << 20
_BLOCK = 512  # bytes of a header in a TAR
_NOT_A_FILE = Refusal(
    type="UnsupportedFormat", message="it is a link or a device, which is not followed"
)


class ZipReader:
    """Reads an archive of documents; hidden files are passed over."""

    formats = ("zip",)
    libraries: tuple[str, ...] = ()

    def read(self, data: bytes, name: str) -> ReadDocument:
        """No text of its own; the members are enclosed in the order of the directory."""
        left = Limits().archive_bytes
        members: list[Enclosed] = []
        with opened(data) as archive:
            for entry in archive.infolist():
                if not entry.is_dir() and _is_meant(entry.filename):
                    members.append(_unzipped(archive, entry, left))
                    left -= len(members[-1].data)
        return ReadDocument(format="zip", blocks=(), enclosed=tuple(members))


def _unzipped(archive: zipfile.ZipFile, entry: zipfile.ZipInfo, left: int) -> Enclosed:
    name = _name(entry)
    if stat.S_IFMT(entry.external_attr >> 16) not in {0, stat.S_IFREG}:
        return Enclosed(name=name, refusal=_NOT_A_FILE)
    try:
        return Enclosed(name=name, data=unpacked(archive, entry, limit=left))
    except DocumentError as error:
        return Enclosed(name=name, refusal=refusal_of(error))


def _name(entry: zipfile.ZipInfo) -> str:
    """The name; many programs write UTF-8 without saying so."""
    if entry.flag_bits & _UTF8:
        return entry.filename
    try:
        return entry.filename.encode("cp437").decode("utf-8")
    except UnicodeError:
        return entry.filename


def _is_meant(name: str) -> bool:
    """Whether somebody packed it on purpose."""
    parts = PurePosixPath(name.replace("\\", "/")).parts
    return not any(
        (part.startswith(".") and part != "..") or part.lower() in _NOT_MEANT for part in parts
    )


class TarReader:
    """Reads a TAR, packed or not, and a single document packed with gzip, bzip2 or xz."""

    formats = ("tar",)
    libraries: tuple[str, ...] = ()

    def read(self, data: bytes, name: str) -> ReadDocument:
        """No text of its own; the members are enclosed in the order of the archive."""
        limits = Limits()
        plain = _unpacked(data, limits)
        if _is_tar(plain):
            members = tuple(_members(plain, limits))
        else:
            members = (Enclosed(name=PurePosixPath(name).stem or name, data=plain),)
        return ReadDocument(format="tar", blocks=(), enclosed=members)


def _unpacked(data: bytes, limits: Limits) -> bytes:
    """`data` without its packing, counted while it grows."""
    opener = next((opener for mark, opener in _PACKINGS if data.startswith(mark)), None)
    if opener is None:
        return data
    parts: list[bytes] = []
    size = 0
    try:
        with opener(io.BytesIO(data)) as stream:
            while part := stream.read(_CHUNK):
                parts.append(part)
                size += len(part)
                check_sizes(entries=1, unpacked=size, packed=len(data), limits=limits)
    except _BROKEN_TAR as error:
        raise CorruptDocument(f"it can't be unpacked: {error}") from error
    return b"".join(parts)


def _is_tar(data: bytes) -> bool:
    """Whether the first header is one; the oldest have no mark, but their sum is right."""
    head = data[:_BLOCK]
    if len(head) < _BLOCK or not head.strip(b"\0"):
        return False
    written = head[148:156].strip(b" \0")
    total = sum(head[:148]) + 8 * ord(" ") + sum(head[156:])
    return written.isdigit() and not written.strip(b"01234567") and int(written, 8) == total


def _members(data: bytes, limits: Limits) -> Iterator[Enclosed]:
    try:
        with tarfile.open(fileobj=io.BytesIO(data), mode="r:") as archive:
            left = limits.archive_bytes
            for entry in _entries(archive, limits):
                if not entry.isdir() and _is_meant(entry.name):
                    member = _untarred(archive, entry, left)
                    left -= len(member.data)
                    yield member
    except _BROKEN_TAR as error:
        raise CorruptDocument(f"its TAR can't be read: {error}") from error


def _entries(archive: tarfile.TarFile, limits: Limits) -> list[tarfile.TarInfo]:
    entries: list[tarfile.TarInfo] = []
    declared = 0
    for entry in archive:
        entries.append(entry)
        declared += entry.size if entry.isreg() else 0
        check_sizes(entries=len(entries), unpacked=declared, packed=declared, limits=limits)
    return entries


def _untarred(archive: tarfile.TarFile, entry: tarfile.TarInfo, left: int) -> Enclosed:
    if not entry.isreg():
        return Enclosed(name=entry.name, refusal=_NOT_A_FILE)
    stream: IO[bytes] | None = archive.extractfile(entry)
    data = stream.read(left + 1) if stream is not None else b""
    if len(data) > left:
        error = LimitExceeded(f"{entry.name!r} has more than the {left:,} bytes allowed")
        return Enclosed(name=entry.name, refusal=refusal_of(error))
    return Enclosed(name=entry.name, data=data)

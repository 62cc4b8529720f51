"""What a ZIP says about itself, checked before anything in it is unpacked."""

import io
import zipfile
import zlib

from stratal_ingest.errors import CorruptDocument, EncryptedDocument, LimitExceeded
from stratal_ingest.limits import Limits

_LOCAL_HEADER = 30  # bytes before the name of an entry
_ENCRYPTED = 0x1  # bit of an entry's flags
_PROLOGUE = 4096  # characters before the root element in which a DTD would stand
_RATIO_FREE = 1 << 16  # bytes an archive may unpack to whatever its ratio: so few harm nobody

# All that `zipfile` raises on bytes that are no ZIP, or no longer one.
BROKEN_ZIP = (
    *(zipfile.BadZipFile, zipfile.LargeZipFile, zlib.error, NotImplementedError),
    *(ValueError, EOFError, OSError, RuntimeError, KeyError),
)


def opened(data: bytes, limits: Limits | None = None) -> zipfile.ZipFile:
    """The ZIP in `data`, once its directory was checked; close it.

    Raises `CorruptDocument` for a broken directory, `EncryptedDocument`, and `LimitExceeded` for
    too many entries, too many bytes or a bomb's ratio of packed to unpacked.
    """
    try:
        archive = zipfile.ZipFile(io.BytesIO(data))
    except BROKEN_ZIP as error:
        raise CorruptDocument(f"its ZIP directory can't be read: {error}") from error
    _check(archive.infolist(), packed=len(data), limits=limits or Limits())
    return archive


def entry_names(data: bytes, limits: Limits | None = None) -> frozenset[str]:
    """The names of the entries, as data: nothing is written anywhere by them.

    Raises what `opened` raises.
    """
    with opened(data, limits) as archive:
        return frozenset(archive.namelist())


def member(data: bytes, name: str, *, limit: int) -> bytes:
    """The bytes of the entry `name`.

    Raises what `opened` and `unpacked` raise, and `CorruptDocument` where there is none.
    """
    with opened(data) as archive:
        try:
            entry = archive.getinfo(name)
        except KeyError as error:
            raise CorruptDocument(f"it holds no {name}") from error
        return unpacked(archive, entry, limit=limit)


def unpacked(archive: zipfile.ZipFile, entry: zipfile.ZipInfo, *, limit: int) -> bytes:
    """The bytes of `entry`, counted while they come: a directory may lie.

    Raises `LimitExceeded` over `limit` bytes, `CorruptDocument` where they can't be unpacked.
    """
    try:
        with archive.open(entry) as stream:
            data = stream.read(limit + 1)
    except BROKEN_ZIP as error:
        raise CorruptDocument(f"{entry.filename!r} can't be unpacked: {error}") from error
    if len(data) > limit:
        raise LimitExceeded(f"{entry.filename!r} has more than the {limit:,} bytes allowed")
    return data


def check_sizes(*, entries: int, unpacked: int, packed: int, limits: Limits) -> None:
    """Raise `LimitExceeded` for an archive that is too much; all but `entries` are bytes."""
    if entries > limits.archive_entries:
        raise LimitExceeded(f"{entries:,} entries, {limits.archive_entries:,} are allowed")
    if unpacked > limits.archive_bytes:
        raise LimitExceeded(
            f"it unpacks to {unpacked:,} bytes, {limits.archive_bytes:,} are allowed"
        )
    if unpacked > max(_RATIO_FREE, limits.archive_ratio * packed):
        raise LimitExceeded(
            f"it unpacks to {unpacked // packed:,} times its size, "
            f"{limits.archive_ratio} times are allowed"
        )


def _check(entries: list[zipfile.ZipInfo], *, packed: int, limits: Limits) -> None:
    declared = sum(entry.file_size for entry in entries)
    check_sizes(entries=len(entries), unpacked=declared, packed=packed, limits=limits)
    _check_places(entries)
    if any(entry.flag_bits & _ENCRYPTED for entry in entries):
        raise EncryptedDocument("a password is needed", hint="Save it without a password.")


def _check_places(entries: list[zipfile.ZipInfo]) -> None:
    """Entries that share bytes make a small file unpack to a huge one; no program packs so."""
    end = 0
    for entry in sorted(entries, key=lambda entry: entry.header_offset):
        if entry.header_offset < end:
            raise CorruptDocument(f"its entries overlap at {entry.filename!r}")
        end = entry.header_offset + _LOCAL_HEADER + entry.compress_size


def refuse_document_types(data: bytes) -> None:
    """Raise `CorruptDocument` where an XML part declares a document type.

    No Office program writes one; entity expansion and external entities need one.
    """
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            for entry in archive.infolist():
                if entry.filename.endswith((".xml", ".rels")):
                    with archive.open(entry) as part:
                        _check_prologue(part.read(_PROLOGUE), entry.filename)
    except BROKEN_ZIP as error:
        raise CorruptDocument(f"its ZIP can't be unpacked: {error}") from error


def _check_prologue(head: bytes, name: str) -> None:
    if b"<!DOCTYPE" in head.replace(b"\0", b""):
        raise CorruptDocument(f"{name} declares a document type, which no Office program writes")

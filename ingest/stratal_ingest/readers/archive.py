"""What a ZIP says about itself, checked before anything in it is unpacked."""

import io
import zipfile

from stratal_ingest.errors import CorruptDocument, EncryptedDocument, LimitExceeded
from stratal_ingest.limits import Limits

_ENCRYPTED = 0x1  # bit of an entry's flags
_PROLOGUE = 4096  # characters before the root element in which a DTD would stand


def entry_names(data: bytes, limits: Limits | None = None) -> frozenset[str]:
    """The names of the entries, as data: nothing is written anywhere by them.

    Raises `CorruptDocument` for a broken directory, `EncryptedDocument`, and `LimitExceeded` for
    too many entries, too many bytes or a bomb's ratio of packed to unpacked.
    """
    limits = limits or Limits()
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            entries = archive.infolist()
    except (zipfile.BadZipFile, NotImplementedError, ValueError, EOFError) as error:
        raise CorruptDocument(f"its ZIP directory can't be read: {error}") from error
    _check(entries, packed=len(data), limits=limits)
    return frozenset(entry.filename for entry in entries)


def _check(entries: list[zipfile.ZipInfo], *, packed: int, limits: Limits) -> None:
    declared = sum(entry.file_size for entry in entries)
    if len(entries) > limits.archive_entries:
        raise LimitExceeded(f"{len(entries):,} entries, {limits.archive_entries:,} are allowed")
    if declared > limits.archive_bytes:
        raise LimitExceeded(
            f"it unpacks to {declared:,} bytes, {limits.archive_bytes:,} are allowed"
        )
    if declared > limits.archive_ratio * packed:
        raise LimitExceeded(
            f"it unpacks to {declared // packed:,} times its size, "
            f"{limits.archive_ratio} times are allowed"
        )
    if any(entry.flag_bits & _ENCRYPTED for entry in entries):
        raise EncryptedDocument("a password is needed", hint="Save it without a password.")


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
    except (zipfile.BadZipFile, NotImplementedError, EOFError) as error:
        raise CorruptDocument(f"its ZIP can't be unpacked: {error}") from error


def _check_prologue(head: bytes, name: str) -> None:
    if b"<!DOCTYPE" in head.replace(b"\0", b""):
        raise CorruptDocument(f"{name} declares a document type, which no Office program writes")

"""What is inside a ZIP or an OLE file, the two wrappings Office documents come in."""

import io
import re

from stratal_ingest.errors import CorruptDocument, EncryptedDocument
from stratal_ingest.readers.archive import entry_names, member

BY_ZIP_SUFFIX = {
    ".docx": "docx",
    ".docm": "docx",
    ".dotx": "docx",
    ".pptx": "pptx",
    ".pptm": "pptx",
    ".ppsx": "pptx",
    ".potx": "pptx",
    ".xlsx": "xlsx",
    ".xlsm": "xlsx",
    ".xlsb": "xlsx",
    ".xltx": "xlsx",
    ".odt": "odt",
    ".ott": "odt",
    ".odp": "odp",
    ".otp": "odp",
    ".ods": "ods",
    ".ots": "ods",
    ".epub": "epub",
}
_MAIN_PART = {
    "docx": "word/document.xml",
    "pptx": "ppt/presentation.xml",
    "xlsx": "xl/workbook.xml",
    "epub": "META-INF/container.xml",
}
_CONTENT_TYPES = "[Content_Types].xml"
_OFFICE_TYPES = {  # as the main part is declared, whatever it is called
    format: re.compile(
        rb"(?i)(?:%s)\.(?:document|presentation|slideshow|sheet|template|addin)[\w.]{0,60}\.main"
        % programs
    )
    for format, programs in (
        ("docx", rb"wordprocessingml|ms-word"),
        ("pptx", rb"presentationml|ms-powerpoint"),
        ("xlsx", rb"spreadsheetml|ms-excel"),
    )
}
_OPEN_TYPES = {
    "opendocument.text": "odt",
    "opendocument.presentation": "odp",
    "opendocument.spreadsheet": "ods",
    "epub+zip": "epub",
}
_MIMETYPE = "mimetype"
_SMALL = 1 << 20  # bytes of a part that only says what the others are

# In an OLE file, the entry of its root that tells the program; another program's may lie deeper.
_ENCRYPTED = "EncryptedPackage"
_BY_ENTRY = {
    "__properties_version1.0": "msg",
    "WordDocument": "doc",
    "Workbook": "xls",
    "Book": "xls",
    "PowerPoint Document": "ppt",
}


def zip_format(data: bytes, suffix: str) -> str:
    """The format of the ZIP in `data`: `docx`, `epub`, ..., or `zip` for a mere archive.

    Raises what `archive.entry_names` raises, and `CorruptDocument` where the name promises a
    document that is not in it.
    """
    names = entry_names(data)
    found = _by_type(data, names)
    if found:
        return found
    for format, part in _MAIN_PART.items():
        if part in names:
            return format
    promised = BY_ZIP_SUFFIX.get(suffix)
    if promised and "content.xml" in names and promised.startswith("od"):
        return promised
    if promised:
        part = _MAIN_PART.get(promised, "content.xml")
        raise CorruptDocument(f"it is named {suffix} and holds no {part}")
    return "zip"


def _by_type(data: bytes, names: frozenset[str]) -> str:
    if _MIMETYPE in names:
        declared = member(data, _MIMETYPE, limit=_SMALL).decode("ascii", "replace")
        return next((format for mark, format in _OPEN_TYPES.items() if mark in declared), "")
    if _CONTENT_TYPES in names:
        declared_types = member(data, _CONTENT_TYPES, limit=_SMALL)
        found = (format for format, mark in _OFFICE_TYPES.items() if mark.search(declared_types))
        return next(found, "")
    return ""


def ole_format(data: bytes, suffix: str) -> str:
    """The format of the OLE file in `data`; empty for a program unknown here.

    Raises `EncryptedDocument` for an encrypted Office file.
    """
    entries = _root_entries(data)
    if _ENCRYPTED in entries:
        raise EncryptedDocument("a password is needed", hint="Save it without a password.")
    found = [format for entry, format in _BY_ENTRY.items() if entry in entries]
    return next((format for format in found if suffix == f".{format}"), found[0] if found else "")


def _root_entries(data: bytes) -> frozenset[str]:
    """The names at the root; where the directory is broken, those found anywhere in the bytes."""
    import olefile

    try:
        with olefile.OleFileIO(io.BytesIO(data)) as wrapping:
            return frozenset(path[0] for path in wrapping.listdir() if len(path) == 1)
    except (OSError, ValueError, IndexError, TypeError, AttributeError, RecursionError):
        names = (*_BY_ENTRY, _ENCRYPTED)
        return frozenset(name for name in names if name.encode("utf-16-le") in data)

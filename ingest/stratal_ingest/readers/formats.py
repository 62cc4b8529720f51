"""What kind of document some bytes are: by their content first, by the file's name second."""

import re
from pathlib import PurePath

from stratal_ingest.errors import CorruptDocument, EncryptedDocument, UnsupportedFormat
from stratal_ingest.readers.archive import entry_names
from stratal_ingest.readers.encoding import looks_binary, marked

READABLE = "PDF, DOCX, HTML, Markdown, CSV, TSV, JSON, NDJSON, reStructuredText, source code, text"

_PDF = re.compile(rb"(?:\A|[\r\n])\s{0,16}%PDF-\d")  # some producers put a line before it
_OLE = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"  # DOC, XLS, MSG, and every encrypted Office file
_ENCRYPTED_PACKAGE = "EncryptedPackage".encode("utf-16-le")
_ZIPS = (b"PK\x03\x04", b"PK\x05\x06", b"PK\x07\x08")

_BY_SUFFIX = {
    ".md": "markdown",
    ".markdown": "markdown",
    ".mdown": "markdown",
    ".html": "html",
    ".htm": "html",
    ".xhtml": "html",
    ".csv": "csv",
    ".tsv": "tsv",
    ".tab": "tsv",
    ".json": "json",
    ".ndjson": "ndjson",
    ".jsonl": "ndjson",
    ".rst": "rst",
    ".py": "python",
    ".pyi": "python",
}
_CODE = (
    {".bash", ".c", ".cc", ".cfg", ".conf", ".cpp", ".cs", ".css", ".dart", ".ex", ".go"}
    | {".h", ".hpp", ".hs", ".ini", ".java", ".js", ".jsx", ".kt", ".lua", ".m", ".php"}
    | {".pl", ".proto", ".ps1", ".r", ".rb", ".rs", ".scala", ".sh", ".sql", ".swift"}
    | {".toml", ".ts", ".tsx", ".vue", ".yaml", ".yml", ".zig"}
)
# Text on the outside, something else within: as plain text they would be mostly noise.
_NOT_PLAIN = {
    ".eml": "e-mail",
    ".mbox": "e-mail",
    ".ipynb": "notebook",
    ".rtf": "RTF",
    ".svg": "SVG",
    ".xml": "XML",
}
_DOCX_PART = "word/document.xml"
_OTHER_ZIPS = {
    "xl/": "Excel workbook",
    "ppt/": "PowerPoint presentation",
    "META-INF/container.xml": "EPUB",
    "content.xml": "OpenDocument",
}


def format_of(data: bytes, name: str) -> str:
    """The name of the format, such as `pdf` or `markdown`.

    Raises `UnsupportedFormat` listing what can be read; `CorruptDocument` and
    `EncryptedDocument` where the wrapping already tells.
    """
    if _PDF.search(data[:1024]):
        return "pdf"
    if data.startswith(_ZIPS):
        return _zipped(data, name)
    if data.startswith(_OLE):
        raise _ole(data)
    if looks_binary(data):
        raise unsupported("binary data")
    return _text_format(data, PurePath(name).suffix.lower())


def expected_format(name: str) -> str:
    """The format the file's name promises; empty where it promises none."""
    suffix = PurePath(name).suffix.lower()
    return {".pdf": "pdf", ".docx": "docx"}.get(suffix) or _BY_SUFFIX.get(suffix, "")


def unsupported(what: str) -> UnsupportedFormat:
    """The refusal of a kind of file nobody reads."""
    return UnsupportedFormat(f"{what} can't be read", hint=f"What can be read: {READABLE}.")


def _zipped(data: bytes, name: str) -> str:
    names = entry_names(data)
    if _DOCX_PART in names:
        return "docx"
    if name.lower().endswith(".docx"):
        raise CorruptDocument(f"it is named .docx and holds no {_DOCX_PART}")
    for mark, what in _OTHER_ZIPS.items():
        if any(entry.startswith(mark) for entry in names):
            raise unsupported(what)
    raise unsupported("ZIP archive")


def _ole(data: bytes) -> EncryptedDocument | UnsupportedFormat:
    if _ENCRYPTED_PACKAGE in data:
        return EncryptedDocument("a password is needed", hint="Save it without a password.")
    return unsupported("an old Office file (DOC, XLS, PPT, MSG)")


def _head(data: bytes) -> str:
    """The first 2,000 characters or so; enough to see a tag, whatever the encoding."""
    encoding = marked(data)
    return data[:4096].decode(encoding or "utf-8", "replace").replace("\0", "")


def _text_format(data: bytes, suffix: str) -> str:
    head = _head(data).lstrip("\ufeff \t\r\n").lower()
    if head.startswith(("<!doctype html", "<html")) or ("<html" in head and head[:5] == "<?xml"):
        return "html"
    if suffix in _NOT_PLAIN or head.startswith(("<?xml", "{\\rtf")):
        raise unsupported(_NOT_PLAIN.get(suffix, "XML or RTF"))
    return "code" if suffix in _CODE else _BY_SUFFIX.get(suffix, "text")

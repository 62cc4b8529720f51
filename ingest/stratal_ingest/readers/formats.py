"""What kind of document some bytes are: by their content first, by the file's name second."""

import re
from pathlib import PurePath

from stratal_ingest.errors import UnsupportedFormat
from stratal_ingest.readers.encoding import looks_binary, marked
from stratal_ingest.readers.wrapping import BY_ZIP_SUFFIX, ole_format, zip_format

READABLE = (
    "PDF, DOCX, DOC, PPTX, PPT, XLSX, XLS, ODT, ODP, ODS, RTF, EPUB, HTML, EML, MSG, mbox, "
    "Markdown, CSV, TSV, JSON, NDJSON, YAML, XML, reStructuredText, AsciiDoc, org, LaTeX, "
    "notebooks, subtitles, source code, text, and ZIP or TAR of these"
)

_PDF = re.compile(rb"(?:\A|[\r\n])\s{0,16}%PDF-\d")  # some producers put a line before it
_OLE = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"  # DOC, XLS, MSG, and every encrypted Office file
_ZIPS = (b"PK\x03\x04", b"PK\x05\x06", b"PK\x07\x08")
_TARS = {b"ustar": 257, b"\x1f\x8b\x08": 0, b"1AY&SY": 4, b"\xfd7zXZ\0": 0}  # a mark and its place

# Known and not read, so that the refusal can call them by their name.
_NO_READER = {
    b"\x89PNG": "a picture (PNG)",
    b"\xff\xd8\xff": "a picture (JPEG)",
    b"GIF8": "a picture (GIF)",
    b"II*\0": "a picture (TIFF)",
    b"MM\0*": "a picture (TIFF)",
    b"7z\xbc\xaf\x27\x1c": "a 7z archive",
    b"Rar!\x1a\x07": "a RAR archive",
    b"ID3": "a recording (MP3)",
    b"OggS": "a recording (Ogg)",
    b"\x7fELF": "a program",
    b"MZ": "a program",
    b"SQLite format 3\0": "a database (SQLite)",
    b"%!PS": "PostScript",
}
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
    ".yaml": "yaml",
    ".yml": "yaml",
    ".xml": "xml",
    ".svg": "xml",
    ".rss": "xml",
    ".atom": "xml",
    ".rst": "rst",
    ".org": "org",
    ".tex": "tex",
    ".latex": "tex",
    ".ltx": "tex",
    ".adoc": "asciidoc",
    ".asciidoc": "asciidoc",
    ".asc": "asciidoc",
    ".ipynb": "ipynb",
    ".srt": "srt",
    ".vtt": "vtt",
    ".eml": "eml",
    ".mht": "eml",
    ".mhtml": "eml",
    ".mbox": "mbox",
    ".rtf": "rtf",
    ".py": "python",
    ".pyi": "python",
}
_BINARY_SUFFIX = {
    ".pdf": "pdf",
    ".doc": "doc",
    ".xls": "xls",
    ".ppt": "ppt",
    ".msg": "msg",
    ".zip": "zip",
    ".tar": "tar",
    ".tgz": "tar",
    ".gz": "tar",
    ".bz2": "tar",
    ".xz": "tar",
}
_CODE = (
    {".bash", ".c", ".cc", ".cfg", ".conf", ".cpp", ".cs", ".css", ".dart", ".ex", ".go"}
    | {".h", ".hpp", ".hs", ".ini", ".java", ".js", ".jsx", ".kt", ".lua", ".m", ".php"}
    | {".pl", ".proto", ".ps1", ".r", ".rb", ".rs", ".scala", ".sh", ".sql", ".swift"}
    | {".toml", ".ts", ".tsx", ".vue", ".zig"}
)
_SUBTITLE = re.compile(r"\d+\s{1,4}\d+:\d\d:\d\d[,.]\d{3} --> ")
_HEADER = re.compile(rb"([A-Za-z][A-Za-z0-9-]{0,60}):")
# A note may begin with "From:" and "Date:" too; a mail that was sent has one of these as well.
_OF_MAIL = frozenset(
    {b"message-id", b"mime-version", b"received", b"return-path", b"delivered-to", b"x-mailer"}
)
_NEXT_MAIL = re.compile(rb"\r?\n\r?\nFrom [^\r\n]{1,200}\r?\n(?:>?From )?[A-Za-z][A-Za-z0-9-]*: ")


def format_of(data: bytes, name: str) -> str:
    """The name of the format, such as `pdf` or `markdown`; it may be one that has no reader.

    Raises `UnsupportedFormat` listing what can be read; `CorruptDocument`, `EncryptedDocument`
    and `LimitExceeded` where the wrapping already tells.
    """
    suffix = PurePath(name).suffix.lower()
    if _PDF.search(data[:1024]):
        return "pdf"
    if data.startswith(_ZIPS):
        return zip_format(data, suffix)
    if data.startswith(_OLE):
        return _ole(data, suffix)
    if any(data.startswith(mark, place) for mark, place in _TARS.items()):
        return "tar"
    mail = _mail_format(data, suffix)
    if mail:
        return mail
    if looks_binary(data):
        raise unsupported(_called(data))
    return _text_format(data, suffix)


def expected_format(name: str) -> str:
    """The format the file's name promises; empty where it promises none."""
    suffix = PurePath(name).suffix.lower()
    known = BY_ZIP_SUFFIX.get(suffix) or _BINARY_SUFFIX.get(suffix) or _BY_SUFFIX.get(suffix)
    return known or ("code" if suffix in _CODE else "")


def unsupported(what: str) -> UnsupportedFormat:
    """The refusal of a kind of file nobody reads."""
    return UnsupportedFormat(f"{what} can't be read", hint=f"What can be read: {READABLE}.")


def _ole(data: bytes, suffix: str) -> str:
    format = ole_format(data, suffix)
    if not format:
        raise unsupported("an OLE file of a kind unknown here")
    return format


def _called(data: bytes) -> str:
    return next((what for mark, what in _NO_READER.items() if data.startswith(mark)), "binary data")


def _mail_format(data: bytes, suffix: str) -> str:
    """`eml`, `mbox` or nothing; mails hold bytes in any encoding, so this comes before it."""
    head = data[:16_384].lstrip(b"\xef\xbb\xbf\r\n\t ")
    boxed = head.startswith(b"From ")
    if boxed:
        head = head.partition(b"\n")[2]
    names = set(_header_names(head))
    sent = bool(names & _OF_MAIL) and bool(names & {b"from", b"date", b"subject"})
    if boxed and names and (suffix in {".mbox", ".mbx"} or _NEXT_MAIL.search(data)):
        return "mbox"
    return "eml" if sent or (names and _BY_SUFFIX.get(suffix) == "eml") else ""


def _header_names(head: bytes) -> list[bytes]:
    """The lower-case names in the block of header lines `head` begins with."""
    names: list[bytes] = []
    for line in head.splitlines():
        found = _HEADER.match(line)
        if found:
            names.append(found[1].lower())
        elif not (names and line[:1] in {b" ", b"\t"}):
            break
    return names


def _head(data: bytes) -> str:
    """The first 2,000 characters or so; enough to see a tag, whatever the encoding."""
    encoding = marked(data)
    return data[:4096].decode(encoding or "utf-8", "replace").replace("\0", "")


def _text_format(data: bytes, suffix: str) -> str:
    head = _head(data).lstrip("\ufeff \t\r\n").lower()
    if head.startswith(("<!doctype html", "<html")) or ("<html" in head and head[:5] == "<?xml"):
        return "html"
    if head.startswith("{\\rtf"):
        return "rtf"
    if head.startswith("<?xml"):
        return "xml"
    if head.startswith("webvtt"):
        return "vtt"
    if _SUBTITLE.match(head):
        return "srt"
    return "code" if suffix in _CODE else _BY_SUFFIX.get(suffix, "text")

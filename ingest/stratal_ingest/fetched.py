"""What a web server sent, with a name that tells its format."""

import re
from dataclasses import dataclass
from email.message import Message
from urllib.parse import unquote, urlsplit

from stratal_ingest.readers.encoding import is_utf8, marked
from stratal_ingest.readers.formats import expected_format

_SUFFIX_OF = {
    "text/html": ".html",
    "application/xhtml+xml": ".html",
    "application/pdf": ".pdf",
    "text/markdown": ".md",
    "text/csv": ".csv",
    "text/tab-separated-values": ".tsv",
    "application/json": ".json",
    "application/x-ndjson": ".ndjson",
    "application/yaml": ".yaml",
    "application/xml": ".xml",
    "text/xml": ".xml",
    "text/vtt": ".vtt",
    "text/rtf": ".rtf",
    "application/rtf": ".rtf",
    "message/rfc822": ".eml",
    "application/epub+zip": ".epub",
    "application/zip": ".zip",
    "application/msword": ".doc",
    "application/vnd.openxmlformats-officedocument.wordprocessingml.document": ".docx",
    "application/vnd.openxmlformats-officedocument.presentationml.presentation": ".pptx",
    "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet": ".xlsx",
    "application/vnd.ms-excel": ".xls",
    "application/vnd.oasis.opendocument.text": ".odt",
    "application/vnd.oasis.opendocument.presentation": ".odp",
    "application/vnd.oasis.opendocument.spreadsheet": ".ods",
    "application/x-ipynb+json": ".ipynb",
}
_UNFIT = re.compile(r"[\x00-\x1f\x7f/\\]")
_MAX_NAME = 200  # characters


@dataclass(frozen=True, slots=True, kw_only=True)
class Fetched:
    """A document as it came from the web."""

    data: bytes
    name: str  # such as a file would have; a hint at the format
    url: str  # where it was in the end, without fragment
    media_type: str  # lower case, without parameters; empty where the server sent none


def fetched(data: bytes, headers: Message, url: str) -> Fetched:
    """The document in the body `data` of an answer with these `headers`."""
    media_type = headers.get_content_type() if headers.get("Content-Type") else ""
    charset = str(headers.get_param("charset") or "")
    text = media_type.startswith("text/") or media_type.endswith("xml")
    return Fetched(
        data=_in_utf8(data, charset) if charset and text else data,
        name=name_of(url, media_type),
        url=url,
        media_type=media_type,
    )


def name_of(url: str, media_type: str) -> str:
    """The last part of the path, with the suffix of the media type where it has another one.

    >>> name_of("https://example.org/a/page.php?id=1", "text/html")
    'page.php.html'
    """
    parts = urlsplit(url)
    last = _UNFIT.sub("", unquote(parts.path.rstrip("/").rpartition("/")[2]))[:_MAX_NAME]
    name = last or parts.hostname or "page"
    suffix = _SUFFIX_OF.get(media_type, "")
    told = expected_format(name) if last else ""
    return name + suffix if suffix and told != expected_format(f"a{suffix}") else name


def _in_utf8(data: bytes, charset: str) -> bytes:
    """`data` with a mark that tells its encoding, which otherwise only the header knew."""
    if marked(data) or is_utf8(data):
        return data
    try:
        return data.decode(charset).encode("utf-8-sig")
    except (LookupError, ValueError):
        return data

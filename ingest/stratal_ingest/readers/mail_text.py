"""The text in a mail's headers and parts, whatever encoded it."""

import binascii
import re
from email.errors import HeaderParseError, MessageError
from email.header import decode_header
from email.message import Message

from stratal_ingest.errors import UnsupportedFormat
from stratal_ingest.readers.encoding import decode

_BLANKS = re.compile(r"\s+")
_MAX_HEADER = 20_000  # characters; a longer one is an attack on the parser of headers
# Names in use that Python knows as something narrower, or not at all.
_CODECS = {
    "iso-8859-1": "cp1252",
    "latin1": "cp1252",
    "iso-8859-8-i": "iso8859-8",
    "gb2312": "gb18030",
    "gbk": "gb18030",
    "shift_jis": "cp932",
    "x-sjis": "cp932",
    "ks_c_5601-1987": "cp949",
    "euc-kr": "cp949",
    "x-mac-roman": "mac-roman",
    "utf8": "utf-8",
    "utf-8": "utf-8-sig",
    "cp-850": "cp850",
}
_GUESSED = frozenset({"", "us-ascii", "ascii", "unknown-8bit", "x-unknown", "default", "binary"})
# All that the standard library raises on headers and parts no mail program would write.
_BROKEN = (ValueError, LookupError, TypeError, AttributeError, AssertionError, MessageError)


def header(message: Message, name: str) -> str:
    """The value of a header on one line, encoded words decoded; empty where there is none."""
    lower = name.lower()
    try:
        raw = next((value for key, value in message.raw_items() if key.lower() == lower), "")
        # What is not ASCII was kept as surrogates, whatever its charset was.
        value = text_in(str(raw).encode("ascii", "surrogateescape")) if raw else ""
    except _BROKEN:
        value = ""
    return _BLANKS.sub(" ", decoded_words(value[:_MAX_HEADER])).strip()


def decoded_words(value: str) -> str:
    """`value` with its encoded words (RFC 2047) as text.

    >>> decoded_words("=?utf-8?q?caf=C3=A9?= au lait")
    'café au lait'
    """
    unfolded = value.replace("\r", "").replace("\n", "")
    if "=?" not in unfolded:
        return unfolded
    try:
        parts = decode_header(unfolded)
    except (HeaderParseError, ValueError, binascii.Error):
        return unfolded
    return "".join(
        part if isinstance(part, str) else text_in(part, charset or "") for part, charset in parts
    )


def text_in(data: bytes, charset: str = "") -> str:
    """`data` as text: in the charset it was declared in, or what it more likely is."""
    name = charset.strip().strip("'\"").lower()
    if name not in _GUESSED:
        try:
            return data.decode(_CODECS.get(name, name))
        except (LookupError, ValueError):
            pass  # a lie or an unknown name: the bytes have to tell
    try:
        return decode(data) if data else ""
    except UnsupportedFormat:
        return data.decode("utf-8", "replace")


def payload(part: Message) -> bytes:
    """The bytes of a part, its transfer encoding undone as far as that goes."""
    try:
        data = part.get_payload(decode=True)
        if isinstance(data, bytes):
            return data
        text = part.get_payload()
        return text.encode("utf-8", "surrogateescape") if isinstance(text, str) else b""
    except _BROKEN:
        return b""


def charset_of(part: Message) -> str:
    """The charset a part declares; empty without one."""
    try:
        return part.get_content_charset() or ""
    except _BROKEN:
        return ""


def parameter(part: Message, name: str) -> str:
    """A parameter of the part's Content-Type in lower case, such as `format`."""
    try:
        return str(part.get_param(name) or "").lower()
    except _BROKEN:
        return ""


def file_name(part: Message) -> str:
    """The name the part's file has (RFC 2231 or 2047); empty where it has none."""
    try:
        return " ".join(decoded_words(part.get_filename() or "").split())
    except _BROKEN:
        return ""


def unflowed(text: str, *, delete_space: bool = False) -> str:
    r"""`text` in `format=flowed` (RFC 3676) with its soft line breaks taken back.

    >>> unflowed("one \ntwo\n> a \n> b\n")
    'one two\n> a b'
    """
    lines: list[tuple[int, str, bool]] = []  # depth of quote, text, whether it goes on
    for line in text.splitlines():
        bare = line.lstrip(">")
        depth = len(line) - len(bare)
        bare = bare.removeprefix(" ")
        flows = bare.endswith(" ") and bare != "-- "
        if lines and lines[-1][2] and lines[-1][0] == depth and bare != "-- ":
            before = lines[-1][1][:-1] if delete_space else lines[-1][1]
            lines[-1] = (depth, before + bare, flows)
        else:
            lines.append((depth, bare, flows))
    return "\n".join(">" * depth + " " * bool(depth) + bare for depth, bare, _ in lines)

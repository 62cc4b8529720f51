"""Bytes to text: UTF-8 unless the bytes say otherwise."""

import codecs
import re

from stratal_ingest.errors import UnsupportedFormat

SAMPLE = 64 * 1024  # bytes looked at where an encoding has to be guessed
_MAX_CONTROL = 0.02  # share of control bytes above which it is not text
_MIN_NULS = 0.3  # share of NULs at odd or even places that makes it UTF-16
_MAX_WESTERN = 0.3  # share of bytes beyond ASCII in Western European text, short words too
_FOREIGN_RUN = re.compile(rb"[\xc0-\xff]{4}")  # a word of Cyrillic or Greek, never of French

# What web pages and spreadsheets still come in; a guess among all 90 takes Mac's for Windows'.
_IN_USE = (
    *("cp1252", "cp1250", "cp1251", "cp1253", "cp1254", "cp1255", "cp1256", "cp1257", "cp1258"),
    *("cp932", "euc_jp", "gb18030", "big5", "cp949", "koi8_r", "koi8_u", "cp874"),
    *("iso8859_2", "iso8859_5", "iso8859_7", "iso8859_9"),
)
_WESTERN = (
    "àáâãäåæçèéêëìíîïñòóôõöøùúûüÿßœÀÁÂÃÄÅÆÇÈÉÊËÌÍÎÏÑÒÓÔÕÖØÙÚÛÜŒ‘’“”«»¡¿–—…·•€£§©®°ªº\xa0"
).encode("cp1252")

# UTF-32 first: its little-endian mark begins with UTF-16's.
_MARKS = (
    (codecs.BOM_UTF8, "utf-8-sig"),
    (codecs.BOM_UTF32_LE, "utf-32"),
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)
_CONTROL = bytes({*range(0x20), 0x7F} - {0x09, 0x0A, 0x0B, 0x0C, 0x0D, 0x1B})


def decode(data: bytes) -> str:
    """The text in `data`.

    A byte order mark decides, then UTF-8, then a guess (Western European first).
    Raises `UnsupportedFormat` where the bytes are no text.

    >>> decode("naïve".encode("cp1252"))
    'naïve'
    """
    encoding = marked(data) or _utf16_without_mark(data)
    if encoding:
        return data.decode(encoding, "replace")
    if looks_binary(data):
        raise UnsupportedFormat("it holds binary data, not text")
    if is_utf8(data):
        return data.decode("utf-8")
    return data.decode(_guess(data), "replace")


def marked(data: bytes) -> str:
    """The encoding the byte order mark names; empty without one."""
    return next((encoding for mark, encoding in _MARKS if data.startswith(mark)), "")


def looks_binary(data: bytes) -> bool:
    """Whether `data` can't be text in any encoding of one byte or more a character."""
    if marked(data) or _utf16_without_mark(data):
        return False
    if b"\0" in data:
        return True
    if is_utf8(data):
        return False
    sample = data[:SAMPLE]
    return len(sample) - len(sample.translate(None, _CONTROL)) > _MAX_CONTROL * len(sample)


def is_utf8(data: bytes) -> bool:
    """Whether all of `data` is UTF-8; what is long and is, is hardly anything else."""
    try:
        data.decode("utf-8")
    except UnicodeDecodeError:
        return False
    return True


def _utf16_without_mark(data: bytes) -> str:
    sample = data[: SAMPLE if len(data) > SAMPLE else len(data) // 2 * 2]
    half = len(sample) // 2
    even, odd = sample[::2].count(0), sample[1::2].count(0)
    if not half or (odd and even) or odd + even <= _MIN_NULS * half:
        return ""
    encoding = "utf-16-le" if odd else "utf-16-be"
    text = sample.decode(encoding, "replace")
    strange = sum(not (character.isprintable() or character.isspace()) for character in text)
    return encoding if strange <= _MAX_CONTROL * len(text) else ""


def _guess(data: bytes) -> str:
    if _is_western(data[:SAMPLE]):
        return "cp1252"

    import charset_normalizer

    best = charset_normalizer.from_bytes(data[:SAMPLE], cp_isolation=list(_IN_USE)).best()
    if best is None:
        raise UnsupportedFormat("its encoding can't be told", hint="Save it as UTF-8.")
    return best.encoding


def _is_western(sample: bytes) -> bool:
    """Whether the few bytes beyond ASCII are all what Western European languages write."""
    high = sample.translate(None, bytes(range(0x80)))
    if len(high) > _MAX_WESTERN * len(sample) or _FOREIGN_RUN.search(sample):
        return False
    return not high.translate(None, _WESTERN)

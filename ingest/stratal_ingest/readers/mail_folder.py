"""mbox: the mails of a folder, each a document of its own."""

import re
from collections.abc import Iterator
from itertools import pairwise

from stratal_ingest.document import Enclosed, ReadDocument

_BEGIN = re.compile(rb"(?:\A|(?<=\n\n)|(?<=\n\r\n))From [^\r\n]{1,500}\r?\n")
_ESCAPED = re.compile(rb"^>(>*From )", re.MULTILINE)
_HEADER = re.compile(rb">?[A-Za-z][A-Za-z0-9-]{0,60}:|>From ")


class MailFolderReader:
    """Reads mbox files of any of the four ways there are to escape a `From ` line."""

    formats = ("mbox",)
    libraries = ("email.parser", "selectolax.lexbor", "charset_normalizer")

    def read(self, data: bytes, name: str) -> ReadDocument:
        """No text of its own; the mails are enclosed, numbered from 1."""
        mails = (
            Enclosed(name=f"{number}.eml", data=mail)
            for number, mail in enumerate(_mails(data.lstrip(b"\xef\xbb\xbf\r\n")), 1)
        )
        return ReadDocument(format="mbox", blocks=(), enclosed=tuple(mails))


def _mails(data: bytes) -> Iterator[bytes]:
    starts = [found.span() for found in _BEGIN.finditer(data) if _HEADER.match(data, found.end())]
    for (_, start), (end, _) in pairwise([*starts, (len(data), len(data))]):
        yield _ESCAPED.sub(rb"\1", data[start:end])

"""MSG: a mail as Outlook stores it, read from its properties ([MS-OXMSG])."""

import io
import struct
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from typing import Protocol

from stratal_ingest.document import Block, Enclosed, ReadDocument
from stratal_ingest.errors import CorruptDocument, DocumentError
from stratal_ingest.readers.hypertext import decode_page, read_page
from stratal_ingest.readers.mail import better, mail_document, plain_blocks
from stratal_ingest.readers.mail_text import text_in
from stratal_ingest.readers.outlook_text import unpacked_rtf

Path = tuple[str, ...]

# Identifiers of the properties read, [MS-OXPROPS].
_SUBJECT, _BODY, _HTML, _RTF = "0037", "1000", "1013", "1009"
_SENDER, _SENDER_ADDRESS, _SENDER_SMTP = "0C1A", "0C1F", "5D01"
_TO, _CC, _BCC = "0E04", "0E03", "0E02"
_NAME, _ADDRESS, _SMTP = "3001", "3003", "39FE"
_FILE, _SHORT_FILE, _DATA, _EMBEDDED = "3707", "3704", "37010102", "3701000D"
_SENT, _RECEIVED = 0x00390040, 0x0E060040
_CODE_PAGES = (0x3FFD0003, 0x3FDE0003)
_RECIPIENT_KIND = 0x0C150003
_UNICODE, _BYTES, _EIGHT_BIT = "001F", "0102", "001E"
_STREAM = "__substg1.0_"
_PROPERTIES = "__properties_version1.0"
_ENTRY = struct.Struct("<II8s")
_TOP, _INNER, _PART = 32, 24, 8  # bytes before the first entry: mail, mail in a mail, other parts
_EPOCH = datetime(1601, 1, 1, tzinfo=UTC)
_DEEPEST = 3  # mails in each other
_BROKEN_OLE = (OSError, ValueError, IndexError, TypeError, AttributeError, KeyError, struct.error)


class _Stream(Protocol):
    def read(self) -> bytes: ...


class _Ole(Protocol):
    """What is used of an `olefile.OleFileIO`, which has no types."""

    def listdir(self, *, streams: bool, storages: bool) -> list[list[str]]: ...
    def openstream(self, filename: list[str]) -> _Stream: ...


class OutlookReader:
    """Reads a mail saved by Outlook; a mail attached to it is read as part of it."""

    formats = ("msg",)
    libraries = ("olefile", "selectolax.lexbor", "charset_normalizer")

    def read(self, data: bytes, name: str) -> ReadDocument:
        """The headers, then the best body, under the subject; attachments are enclosed."""
        import olefile

        try:
            with olefile.OleFileIO(io.BytesIO(data)) as ole:
                document = _Folder.root(ole).document(depth=1)
        except DocumentError:
            raise
        except _BROKEN_OLE as error:
            raise CorruptDocument(f"its OLE structure is damaged: {error}") from error
        return replace(document, format="msg")


@dataclass(frozen=True, slots=True, kw_only=True)
class _Folder:
    """One storage of the file: a mail, a recipient or an attachment."""

    ole: _Ole
    path: Path
    streams: Mapping[Path, list[str]]  # every stream by its folded path, as it is called
    header: int  # bytes before the first fixed property

    @classmethod
    def root(cls, ole: _Ole) -> "_Folder":
        """The mail itself."""
        streams = {
            tuple(part.lower() for part in path): path
            for path in ole.listdir(streams=True, storages=False)
        }
        return cls(ole=ole, path=(), streams=streams, header=_TOP)

    def document(self, *, depth: int) -> ReadDocument:
        """The mail in this folder, with those attached to it."""
        blocks, enclosed = list(self._body()), list[Enclosed]()
        for part in self._inner("__attach_version1.0_"):
            mail = part.at(f"{_STREAM}{_EMBEDDED}".lower(), header=_INNER)
            if mail.exists and depth < _DEEPEST:
                inside = mail.document(depth=depth + 1)
                blocks += inside.blocks
                enclosed += inside.enclosed
            elif data := part.bytes_of(_DATA):
                enclosed.append(Enclosed(name=part.file_name, data=data))
        return mail_document(self._headers(), tuple(blocks), tuple(enclosed))

    def at(self, name: str, *, header: int) -> "_Folder":
        """The storage `name` in this one."""
        return replace(self, path=(*self.path, name), header=header)

    @property
    def exists(self) -> bool:
        """Whether there is anything in it."""
        return any(path[: len(self.path)] == self.path for path in self.streams)

    @property
    def file_name(self) -> str:
        """What an attachment is called."""
        return self.text(_FILE) or self.text(_SHORT_FILE) or self.text(_NAME) or "attachment"

    def bytes_of(self, tag: str) -> bytes:
        """A property's bytes; none where it is missing."""
        return self._stream(f"{_STREAM}{tag}".lower())

    def text(self, identifier: str) -> str:
        """A property's text, in Unicode or in the code page of the mail."""
        wide = self.bytes_of(identifier + _UNICODE)
        if wide:
            return wide.decode("utf-16-le", "replace").rstrip("\0")
        narrow = self.bytes_of(identifier + _EIGHT_BIT)
        return text_in(narrow.rstrip(b"\0"), self._charset()) if narrow else ""

    def _stream(self, name: str) -> bytes:
        stored = self.streams.get((*self.path, name))
        return self.ole.openstream(stored).read() if stored else b""

    def _inner(self, prefix: str) -> Iterator["_Folder"]:
        """The storages in this one whose names begin so, in the order of their numbers."""
        place = len(self.path)
        below = (path for path in self.streams if path[:place] == self.path)
        names = {path[place] for path in below if len(path) > place + 1}
        for name in sorted(name for name in names if name.startswith(prefix)):
            yield self.at(name, header=_PART)

    def _fixed(self) -> dict[int, bytes]:
        """The properties of fixed size: 8 bytes each, by their tag."""
        data = self._stream(_PROPERTIES)[self.header :]
        whole = len(data) // _ENTRY.size * _ENTRY.size
        return {tag: value for tag, _, value in _ENTRY.iter_unpack(data[:whole])}

    def _charset(self) -> str:
        top = replace(self, path=(), header=_TOP)._fixed()
        page = next((top[tag] for tag in _CODE_PAGES if tag in top), b"")
        number = int.from_bytes(page[:4], "little")
        return {65001: "utf-8", 0: ""}.get(number, f"cp{number}")

    def _headers(self) -> dict[str, str]:
        people = {_TO: self.text(_TO), _CC: self.text(_CC), _BCC: self.text(_BCC)}
        for part in self._inner("__recip_version1.0_"):
            kind = int.from_bytes(part._fixed().get(_RECIPIENT_KIND, b"\1")[:4], "little")
            self._add_person(people, {1: _TO, 2: _CC, 3: _BCC}.get(kind, _TO), part)
        sender = self.text(_SENDER_SMTP) or self.text(_SENDER_ADDRESS)
        found = {
            "From": _person(self.text(_SENDER), sender),
            "To": people[_TO],
            "Cc": people[_CC],
            "Bcc": people[_BCC],
            "Date": self._date(),
            "Subject": self.text(_SUBJECT),
        }
        return {name: " ".join(value.split()) for name, value in found.items()}

    @staticmethod
    def _add_person(people: dict[str, str], kind: str, part: "_Folder") -> None:
        """Put a recipient's address behind the name, or both where the list lacks them."""
        name, address = part.text(_NAME), part.text(_SMTP) or part.text(_ADDRESS)
        if address in people[kind] or "@" not in address:
            address = ""
        if name and name in people[kind]:
            shown = _person(name, address)
            people[kind] = people[kind].replace(name, shown, 1)
        elif name or address:
            people[kind] = "; ".join(filter(None, (people[kind], _person(name, address))))

    def _date(self) -> str:
        fixed = self._fixed()
        value = next((fixed[tag] for tag in (_SENT, _RECEIVED) if tag in fixed), b"")
        ticks = int.from_bytes(value, "little")  # of 100 ns
        try:
            moment = _EPOCH + timedelta(microseconds=ticks // 10)
        except OverflowError:
            return ""
        return f"{moment:%Y-%m-%d %H:%M} UTC" if ticks else ""

    def _body(self) -> tuple[Block, ...]:
        plain = plain_blocks(self.text(_BODY))
        page = self.bytes_of(_HTML + _BYTES)
        source = text_in(page, self._charset()) if page and self._charset() else decode_page(page)
        html = read_page(source or self.text(_HTML)).blocks
        found = better(plain, html)
        return found or _rich(self.bytes_of(_RTF + _BYTES))


def _person(name: str, address: str) -> str:
    return f"{name} <{address}>" if name and address and name != address else name or address


def _rich(packed: bytes) -> tuple[Block, ...]:
    if not packed:
        return ()
    from stratal_ingest.readers.rich_text import RichTextReader

    return RichTextReader().read(unpacked_rtf(packed), "body.rtf").blocks

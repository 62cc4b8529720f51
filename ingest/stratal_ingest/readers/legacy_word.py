"""DOC: the text of a Word 97 to 2003 file, found by its piece table.

Source: [MS-DOC], sections 2.4.1 (retrieving text), 2.5 (Fib), 2.9.38 (Clx), 2.9.73
(FcCompressed).
"""

import re
import struct
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import accumulate

from stratal_ingest.document import Block, BlockKind, Outline, ReadDocument
from stratal_ingest.errors import CorruptDocument, EncryptedDocument, UnsupportedFormat
from stratal_ingest.readers.legacy_styles import Look, Looks
from stratal_ingest.readers.ole import ole_title, streams_of
from stratal_ingest.readers.package import says_something, sensible_title
from stratal_ingest.readers.table import Row, row_of, table_lines

_WORD_97 = 0xA5EC
_ENCRYPTED, _SECOND_TABLE = 0x0100, 0x0200  # flags at byte 10
_COUNTS_AT, _PLACES_AT = 76, 154  # of the characters in each part; of the tables' places
_STYLES, _RUNS, _PARAGRAPHS, _PIECES = 1, 12, 13, 33  # which of those places
_COMPRESSED = 0x40000000
_PIECE_MARK, _MODIFIER_MARK = 2, 1
_HINT = "Save it as DOCX."
_FIELDS_WITHIN = 64  # open in one another

_FIELD_MARK = re.compile("[\x13\x14\x15]")  # begin, result, end; what is before it is a code
_DROPPED = "\x01"
_SPECIAL = {0x0B: "\n", 0x1E: "-", 0x1F: "", 0xA0: " "} | dict.fromkeys(
    (0x01, 0x02, 0x03, 0x04, 0x05, 0x06, 0x08, 0x28FF), ""
)
_PARAGRAPH = re.compile(r"[^\r\x07\x0c]*(?:[\r\x07\x0c]|\Z)")
# The parts behind the body in their order, by what introduces a paragraph of them: headers and
# boxes have no name.
_PARTS = ("Footnote", "", "Comment", "Endnote", "", "")


@dataclass(frozen=True, slots=True)
class _Piece:
    text: str
    start: int  # of its bytes in the document
    width: int  # bytes a character


class LegacyWordReader:
    """Reads DOC without Word: headings, paragraphs, lists, tables and notes."""

    formats = ("doc",)
    libraries = ("olefile",)

    def read(self, data: bytes, name: str) -> ReadDocument:
        """The body, then footnotes, comments, endnotes and boxes."""
        streams = streams_of(data, "WordDocument", "0Table", "1Table")
        document = streams.get("WordDocument", b"")
        table = streams.get("1Table" if _flags(document) & _SECOND_TABLE else "0Table", b"")
        pieces = list(_pieces(document, _placed(document, table, _PIECES)))
        looks = Looks(
            document,
            paragraphs=_placed(document, table, _PARAGRAPHS),
            runs=_placed(document, table, _RUNS),
            styles=_placed(document, table, _STYLES),
        )
        counts = struct.unpack_from("<3i4x4i", document, _COUNTS_AT)
        text = _Text(pieces, looks)
        blocks = tuple(_Walk(looks).blocks(text, [max(count, 0) for count in counts]))
        first = next((b.heading[0] for b in blocks if b.kind == BlockKind.HEADING), "")
        title = sensible_title(ole_title(data))
        return ReadDocument(format="doc", title=title or first, blocks=blocks)


def _flags(document: bytes) -> int:
    """The flags of the document; raises for those that can't be read."""
    if len(document) < _PLACES_AT + 8 * (_PIECES + 1):
        raise CorruptDocument(f"its document has {len(document)} bytes, too few for Word's header")
    if int.from_bytes(document[:2], "little") != _WORD_97:
        raise UnsupportedFormat("a document of Word 95 or older can't be read", hint=_HINT)
    flags = int.from_bytes(document[10:12], "little")
    if flags & _ENCRYPTED:
        raise EncryptedDocument("a password is needed", hint="Save it without a password.")
    return flags


def _placed(document: bytes, table: bytes, which: int) -> bytes:
    start, size = struct.unpack_from("<II", document, _PLACES_AT + 8 * which)
    return table[start : start + size]


def _pieces(document: bytes, complex_part: bytes) -> Iterator[_Piece]:
    """The text in the order it is read; a file saved fast keeps it in another."""
    at = 0
    while complex_part[at : at + 1] == bytes([_MODIFIER_MARK]):
        at += 3 + int.from_bytes(complex_part[at + 1 : at + 3], "little")
    if complex_part[at : at + 1] != bytes([_PIECE_MARK]):
        raise CorruptDocument("it holds no table of its text", hint=_HINT)
    size = int.from_bytes(complex_part[at + 1 : at + 5], "little")
    table = complex_part[at + 5 : at + 5 + size]
    count = max((len(table) - 4) // 12, 0)
    ends = struct.unpack_from(f"<{count + 1}I", table) if count else ()
    for place in range(count):
        (coded,) = struct.unpack_from("<I", table, 4 * (count + 1) + 8 * place + 2)
        yield _piece(document, coded, length=ends[place + 1] - ends[place])


def _piece(document: bytes, coded: int, *, length: int) -> _Piece:
    start = coded & (_COMPRESSED - 1)
    if length < 0 or length > len(document):
        raise CorruptDocument("the table of its text is damaged", hint=_HINT)
    if coded & _COMPRESSED:
        held = document[start // 2 : start // 2 + length]
        return _Piece(held.decode("cp1252", "replace"), start // 2, 1)
    held = document[start : start + 2 * length]
    units = struct.unpack(f"<{len(held) // 2}H", held[: len(held) // 2 * 2])
    # One character a unit, so that places can be counted; pairs are joined at the end.
    return _Piece("".join(map(chr, units)), start, 2)


class _Text:
    """The text of all parts, and where in the document each character lies."""

    def __init__(self, pieces: Sequence[_Piece], looks: Looks) -> None:
        self._pieces = pieces
        self._starts = list(accumulate((len(piece.text) for piece in pieces), initial=0))
        self.text = _without_codes("".join(_visible(piece, looks) for piece in pieces))

    def paragraphs(self, start: int, end: int) -> Iterator[tuple[str, str, int]]:
        """Each paragraph of a part: its text, its mark and the byte where the mark lies."""
        for match in _PARAGRAPH.finditer(self.text, start, end):
            if match[0]:
                mark = match[0][-1] if match[0][-1] in "\r\x07\x0c" else ""
                last = max(match.end() - 1, 0)
                words = match[0].removesuffix(mark).translate(_SPECIAL)
                joined = words.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")
                yield joined.strip(), mark, self._place(last)

    def _place(self, at: int) -> int:
        number = bisect_right(self._starts, at) - 1
        piece = self._pieces[min(number, len(self._pieces) - 1)]
        return piece.start + piece.width * (at - self._starts[number])


def _visible(piece: _Piece, looks: Looks) -> str:
    """The text of a piece; what is struck out or hidden is marked as dropped."""
    parts: list[str] = []
    at = 0
    for first, last in looks.unread(piece.start, piece.start + piece.width * len(piece.text)):
        begin, end = ((place - piece.start) // piece.width for place in (first, last))
        parts.append(piece.text[at:begin])
        parts.append(re.sub(r"[^\r\x07\x0c\x13-\x15]", _DROPPED, piece.text[begin:end]))
        at = end
    return "".join([*parts, piece.text[at:]])


def _without_codes(text: str) -> str:
    """`text`, as long as it was, with the codes of fields dropped and their results kept."""
    parts: list[str] = []
    codes: list[bool] = []  # for each open field whether its code is being read
    at = 0
    for mark in _FIELD_MARK.finditer(text):
        before = text[at : mark.start()]
        parts.append(_DROPPED * len(before) if any(codes) else before)
        parts.append(_DROPPED)
        at = mark.end()
        if mark[0] == "\x13" and len(codes) < _FIELDS_WITHIN:
            codes.append(True)
        elif codes and mark[0] == "\x14":
            codes[-1] = False
        elif codes and mark[0] == "\x15":
            codes.pop()
    return "".join([*parts, text[at:]])


class _Walk:
    def __init__(self, looks: Looks) -> None:
        self._looks = looks
        self._outline = Outline()
        self._cells: list[str] = []
        self._cell: list[str] = []  # paragraphs of the open cell
        self._rows: list[Row] = []
        self._items: list[str] = []

    def blocks(self, text: _Text, counts: Sequence[int]) -> Iterator[Block]:
        """The body, then what stands beside it."""
        starts = list(accumulate(counts, initial=0))
        for words, mark, place in text.paragraphs(0, starts[1]):
            yield from self._paragraph(words, mark, self._looks.paragraph(place))
        yield from self._closed()
        for name, start, end in zip(_PARTS, starts[1:], starts[2:], strict=False):
            for words in dict.fromkeys(words for words, _, _ in text.paragraphs(start, end)):
                if says_something(words):
                    yield Block(text=f"[{name}: {words}]" if name else words)

    def _paragraph(self, words: str, mark: str, look: Look) -> Iterator[Block]:
        if look.row_end:
            self._end_row()
        elif mark == "\x07":
            self._cells.append(" ".join([*self._cell, words]))
            self._cell.clear()
        elif look.table:
            self._cell.append(words)
        elif look.item >= 0 and look.level is None and words:
            yield from self._table()
            self._items.append(f"{'  ' * look.item}- {words}")
        elif words:
            yield from self._closed()
            yield self._written(words, look.level)

    def _written(self, words: str, level: int | None) -> Block:
        if level is None:
            return self._block(words, BlockKind.PROSE)
        self._outline.enter(level, " ".join(words.split()))
        return self._block(words, BlockKind.HEADING)

    def _end_row(self) -> None:
        row = row_of(self._cells)
        self._cells.clear()
        if row:
            self._rows.append(row)

    def _closed(self) -> Iterator[Block]:
        yield from self._table()
        if self._items:
            yield self._block("\n".join(self._items), BlockKind.PROSE)
            self._items.clear()

    def _table(self) -> Iterator[Block]:
        self._cells += self._cell  # a row that nothing ends
        self._cell.clear()
        self._end_row()
        if self._rows:
            if self._items:
                yield self._block("\n".join(self._items), BlockKind.PROSE)
                self._items.clear()
            yield self._block("\n".join(table_lines(self._rows)), BlockKind.TABLE)
            self._rows.clear()

    def _block(self, text: str, kind: BlockKind) -> Block:
        return Block(text=text, kind=kind, heading=self._outline.path)

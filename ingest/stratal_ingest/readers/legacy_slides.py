"""PPT: the text of a PowerPoint 97 to 2003 file, slide by slide.

Source: [MS-PPT], sections 2.3.1 (RecordHeader), 2.4.14.3 (SlideListWithTextContainer), 2.9.76
(TextHeaderAtom), 2.9.42 and 2.9.41 (TextCharsAtom, TextBytesAtom).
"""

import struct
from collections.abc import Iterator

from stratal_ingest.document import Block, BlockKind, ReadDocument
from stratal_ingest.errors import EmptyDocument
from stratal_ingest.readers.ole import ole_title, streams_of
from stratal_ingest.readers.package import sensible_title

_CONTAINER = 0xF
_SLIDE, _NOTES, _MASTER, _HANDOUT = 1006, 1008, 1016, 4041
_TEXT_LIST, _SLIDE_START, _KIND, _CHARACTERS, _BYTES = 4080, 1011, 3999, 4000, 4008
_TITLE_KINDS = frozenset({0, 6})  # a title in its usual place, and one in the centre
_UNREAD = frozenset({_MASTER, _HANDOUT})
_SLIDES = 0  # which of the three lists of texts; the others hold masters' and notes'
_DEEPEST = 32
_BREAKS = str.maketrans({"\r": "\n", "\x0b": " "})


class LegacySlidesReader:
    """Reads PPT without PowerPoint: the text in the outline, then that of boxes and notes."""

    formats = ("ppt",)
    libraries = ("olefile",)

    def read(self, data: bytes, name: str) -> ReadDocument:
        """The slides in the order they are shown, then what only lies on them."""
        held = streams_of(data, "PowerPoint Document").get("PowerPoint Document", b"")
        blocks = list(_outlined(held))
        pages = max((block.page for block in blocks), default=0)
        seen = {line for block in blocks for line in block.text.split("\n")}
        for text in _texts(held):
            if not seen.issuperset(text.split("\n")):
                seen.update(text.split("\n"))
                blocks.append(Block(text=text))
        if not blocks:
            raise EmptyDocument("there is no text in it")
        first = next((block.text for block in blocks if block.kind == BlockKind.HEADING), "")
        title = sensible_title(ole_title(data))
        return ReadDocument(format="ppt", title=title or first, blocks=tuple(blocks), pages=pages)


def _records(data: bytes, *, depth: int = 0) -> Iterator[tuple[int, int, bytes]]:
    """Type, instance and content of each record; containers come before what they hold."""
    at = 0
    while at + 8 <= len(data):
        start, kind, size = struct.unpack_from("<HHI", data, at)
        content = data[at + 8 : at + 8 + size]
        at += 8 + size
        yield kind, start >> 4, content
        if start & 0xF == _CONTAINER and depth < _DEEPEST and kind not in {_TEXT_LIST, *_UNREAD}:
            yield from _records(content, depth=depth + 1)


def _outlined(held: bytes) -> Iterator[Block]:
    """The texts of the outline, each slide under its title."""
    page, heading, title = 0, "", False
    lists = (c for kind, number, c in _records(held) if (kind, number) == (_TEXT_LIST, _SLIDES))
    for kind, _, content in (record for found in lists for record in _records(found)):
        if kind == _SLIDE_START:
            page, heading, title = page + 1, "", False
        elif kind == _KIND:
            title = int.from_bytes(content[:4], "little") in _TITLE_KINDS
        elif text := _text(kind, content):
            fresh = title and not heading
            heading = " ".join(text.split()) if fresh else heading
            path = (heading,) if heading else ()
            block = BlockKind.HEADING if fresh else BlockKind.PROSE
            yield Block(text=text, kind=block, heading=path, page=page)


def _texts(held: bytes) -> Iterator[str]:
    """The texts of the shapes themselves, and of the notes."""
    for kind, _, content in _records(held):
        if text := _text(kind, content):
            yield text


def _text(kind: int, content: bytes) -> str:
    encoding = {_CHARACTERS: "utf-16-le", _BYTES: "latin-1"}.get(kind)
    return content.decode(encoding, "replace").translate(_BREAKS).strip() if encoding else ""

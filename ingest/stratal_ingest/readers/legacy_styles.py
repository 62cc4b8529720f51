"""How the paragraphs of a Word 97 file look: styles, tables, lists, and what was struck out.

Source: [MS-DOC], sections 2.4.6 (determining properties), 2.9.271 (STSH), 2.9.175 (PapxFkp),
2.9.33 (ChpxFkp), 2.6 (single property modifiers).
"""

import struct
from bisect import bisect_right
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

_PAGE = 512  # bytes of a page of formatted runs
_TITLE_ID, _LAST_HEADING_ID = 62, 9  # of built-in styles, whatever they are called
_NO_STYLE = 0xFFF
_BODY_LEVEL = 9
_ROW_END, _IN_TABLE, _OUTLINE, _IN_LIST, _LIST_LEVEL = 0x2417, 0x2416, 0x2640, 0x460B, 0x260A
_STRUCK, _HIDDEN = 0x0800, 0x083C
_SIZES = {0: 1, 1: 1, 2: 2, 3: 4, 4: 2, 5: 2, 7: 3}  # of an operand, by the modifier's top bits
_TABLE_DEFINITION, _TABS = 0xD608, 0xC615
_MAX_TABS = 255


@dataclass(frozen=True, slots=True, kw_only=True)
class Look:
    """What is known of one paragraph."""

    level: int | None = None  # of a heading; 0 is the document's title
    row_end: bool = False
    table: bool = False
    item: int = -1  # depth in a list, from 0


@dataclass(frozen=True, slots=True, kw_only=True)
class _Runs:
    """Properties by where in the file they begin to hold."""

    starts: Sequence[int]
    styles: Sequence[int]
    properties: Sequence[Mapping[int, int]]

    def at(self, place: int) -> tuple[int, Mapping[int, int]]:
        found = bisect_right(self.starts, place) - 1
        return (self.styles[found], self.properties[found]) if found >= 0 else (0, {})


class Looks:
    """The looks of all paragraphs; of none where the file does not say."""

    def __init__(self, document: bytes, *, paragraphs: bytes, runs: bytes, styles: bytes) -> None:
        self._levels = _heading_levels(styles)
        self._paragraphs = _read_runs(document, paragraphs, with_style=True)
        self._runs = _read_runs(document, runs, with_style=False)

    def paragraph(self, place: int) -> Look:
        """The look of the paragraph whose mark lies at byte `place` of the document."""
        style, properties = self._paragraphs.at(place)
        level = self._levels.get(style)
        if _OUTLINE in properties:
            own = properties[_OUTLINE]
            level = own + 1 if own < _BODY_LEVEL else None
        listed = properties.get(_IN_LIST, 0) not in {0, 0xF801}
        return Look(
            level=level,
            row_end=bool(properties.get(_ROW_END, 0)),
            table=bool(properties.get(_IN_TABLE, 0)),
            item=min(properties.get(_LIST_LEVEL, 0), 8) if listed else -1,
        )

    def unread(self, start: int, end: int) -> Iterator[tuple[int, int]]:
        """The parts of bytes `start` to `end` that are struck out or hidden."""
        at = max(bisect_right(self._runs.starts, start) - 1, 0)
        for place in range(at, len(self._runs.starts)):
            begin = self._runs.starts[place]
            if begin >= end:
                return
            following = self._runs.starts[place + 1 : place + 2]
            properties = self._runs.properties[place]
            if properties.get(_STRUCK, 0) == 1 or properties.get(_HIDDEN, 0) == 1:
                yield max(begin, start), min(following[0] if following else end, end)


def _read_runs(document: bytes, table: bytes, *, with_style: bool) -> _Runs:
    count = max((len(table) - 4) // 8, 0)
    pages = struct.unpack_from(f"<{count}I", table, 4 * (count + 1)) if count else ()
    found: list[tuple[int, int, Mapping[int, int]]] = []
    for number in pages:
        page = document[(number & 0x3FFFFF) * _PAGE :][:_PAGE]
        if len(page) == _PAGE:
            found.extend(_page_runs(page, with_style=with_style))
    found.sort(key=lambda run: run[0])
    return _Runs(
        starts=[start for start, _, _ in found],
        styles=[style for _, style, _ in found],
        properties=[properties for _, _, properties in found],
    )


def _page_runs(page: bytes, *, with_style: bool) -> Iterator[tuple[int, int, Mapping[int, int]]]:
    count = page[-1]
    width = 13 if with_style else 1
    if 4 * (count + 1) + width * count > _PAGE:
        return
    starts = struct.unpack_from(f"<{count}I", page)
    for place, start in enumerate(starts):
        at = page[4 * (count + 1) + width * place] * 2
        if not at:
            yield start, 0, {}
            continue
        size, at = page[at], at + 1
        if with_style:
            size, at = (2 * page[at], at + 1) if not size else (2 * size - 1, at)
        style = int.from_bytes(page[at : at + 2], "little") if with_style else 0
        begin = at + 2 if with_style else at
        yield start, style, dict(_modifiers(page[begin : at + size]))


def _modifiers(data: bytes) -> Iterator[tuple[int, int]]:
    """Each modifier of a property with its operand, as a number."""
    at = 0
    while at + 2 <= len(data):
        code = int.from_bytes(data[at : at + 2], "little")
        at += 2
        size = _SIZES.get(code >> 13)
        if code == _TABLE_DEFINITION:
            size = int.from_bytes(data[at : at + 2], "little") + 1
        elif size is None:
            if at >= len(data) or (code == _TABS and data[at] == _MAX_TABS):
                return  # its length is written nowhere; it is the last one in practice
            size = data[at] + 1
        yield code, int.from_bytes(data[at : at + min(size, 4)], "little")
        at += size


def _heading_levels(sheet: bytes) -> dict[int, int]:
    """Heading level by the index of a style; styles based on a heading are headings too."""
    ids: dict[int, int] = {}
    bases: dict[int, int] = {}
    if len(sheet) < 4:
        return {}
    at = 2 + int.from_bytes(sheet[:2], "little")
    count = int.from_bytes(sheet[2:4], "little")
    for index in range(count):
        size = int.from_bytes(sheet[at : at + 2], "little")
        if size >= 4 and at + 6 <= len(sheet):
            ids[index] = int.from_bytes(sheet[at + 2 : at + 4], "little") & 0xFFF
            bases[index] = int.from_bytes(sheet[at + 4 : at + 6], "little") >> 4
        at += 2 + size + size % 2
    levels = {index: _level(index, ids, bases) for index in ids}
    return {index: level for index, level in levels.items() if level is not None}


def _level(index: int, ids: Mapping[int, int], bases: Mapping[int, int]) -> int | None:
    for _ in range(12):
        id = ids.get(index, _NO_STYLE)
        if id == _TITLE_ID:
            return 0
        if 1 <= id <= _LAST_HEADING_ID:
            return id
        index = bases.get(index, _NO_STYLE)
    return None

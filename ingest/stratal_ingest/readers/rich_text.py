"""RTF: headings by style, paragraphs, lists, tables and notes, in reading order."""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field, replace

from stratal_ingest.document import Block, BlockKind, Outline, ReadDocument
from stratal_ingest.errors import CorruptDocument
from stratal_ingest.readers.package import says_something, sensible_title
from stratal_ingest.readers.rtf_tokens import Kind, Token, tokens
from stratal_ingest.readers.rtf_words import DESTINATIONS, MARGINS, OPTIONAL, READ, SKIPPED
from stratal_ingest.readers.table import Row, row_of, table_lines

_HEADING = re.compile(r"heading (\d)", re.IGNORECASE)
_BODY_LEVEL = 9
_ITEM = re.compile(r"([•·▪◦‣*–-]|\(?\w{1,4}[.)])[ \xa0]?\t[ \t]*")  # a list made by hand
_ENDS = frozenset(["par", "sect", "page", "column"])


@dataclass(frozen=True, slots=True)
class _Run:
    """What holds for the text of a group."""

    to: str = ""  # the destination: empty for the body
    hidden: bool = False
    style: int = 0
    level: int | None = None  # set by hand, from 1
    table: bool = False


@dataclass(slots=True)
class _Reading:
    """What is being put together."""

    text: list[str] = field(default_factory=list)  # of the open paragraph
    cells: list[str] = field(default_factory=list)
    rows: list[Row] = field(default_factory=list)
    label: str = ""  # of the open paragraph, where it is a list's item
    items: list[str] = field(default_factory=list)
    aside: list[str] = field(default_factory=list)  # notes of the open paragraph
    margins: dict[str, list[str]] = field(default_factory=dict)
    names: dict[int, str] = field(default_factory=dict)  # of styles
    title: str = ""


class RichTextReader:
    """Reads RTF of any program; hidden text is left out, notes follow their paragraph."""

    formats = ("rtf",)
    libraries: tuple[str, ...] = ()

    def read(self, data: bytes, name: str) -> ReadDocument:
        """The headers, the body, the footers."""
        if not data.lstrip()[:5].startswith(b"{\\rt"):
            raise CorruptDocument("it does not begin as RTF does")
        walk = _Walk()
        body = list(walk.blocks(tokens(data)))
        blocks = (*walk.margin("header"), *body, *walk.margin("footer"))
        first = next((b.heading[0] for b in blocks if b.kind == BlockKind.HEADING), "")
        return ReadDocument(format="rtf", title=walk.title or first, blocks=blocks)


class _Walk:
    def __init__(self) -> None:
        self._run = _Run()
        self._outer: list[_Run] = []
        self._now = _Reading()
        self._outline = Outline()
        self._held: list[list[str]] = []  # the texts of the groups a note was opened in
        self._optional = False  # the last token was `\*`
        self._notes = 0

    @property
    def title(self) -> str:
        return sensible_title(self._now.title)

    def blocks(self, read: Iterator[Token]) -> Iterator[Block]:
        for token in read:
            if token.kind == Kind.OPEN:
                self._outer.append(self._run)
            elif token.kind == Kind.CLOSE:
                self._close()
            elif token.kind == Kind.TEXT:
                self._write(token.text)
            else:
                yield from self._word(token)
                self._optional = token.text == "*"
        opened = [text for held in self._held for text in held]  # of notes that nothing ends
        self._now.text = opened + self._now.text
        yield from self._paragraph()
        yield from self._list()
        yield from self._table()

    def margin(self, kind: str) -> Iterator[Block]:
        """What stands in the headers or footers, once; a bare page number is left out."""
        lines = (
            line.strip()
            for name, parts in self._now.margins.items()
            if name.startswith(kind)
            for line in "".join(parts).split("\n")
        )
        text = "\n".join(dict.fromkeys(filter(None, lines)))
        if says_something(text):
            yield Block(text=text)

    def _close(self) -> None:
        ended = self._run
        if self._outer:
            self._run = self._outer.pop()
        if ended.to in {"footnote", "annotation"} and self._run.to != ended.to:
            words = " ".join("".join(self._now.text).split())
            self._now.text = self._held.pop() if self._held else []
            self._notes += ended.to == "footnote"
            name = f"Footnote {self._notes}" if ended.to == "footnote" else "Comment"
            if words:
                self._now.aside.append(f"[{name}: {words}]")

    def _write(self, text: str) -> None:
        run, now = self._run, self._now
        if run.to == "stylesheet":
            name = text.rstrip(";").strip()
            now.names[run.style] = name if text.strip(";") else now.names.get(run.style, "")
        elif run.to in {"title", "info"}:
            now.title += text if run.to == "title" else ""
        elif run.to in MARGINS:
            now.margins.setdefault(run.to, []).append(text)
        elif run.to in {"listtext", "pntext"}:
            now.label += text
        elif run.to != "skip" and not run.hidden:
            now.text.append(text)

    def _word(self, token: Token) -> Iterator[Block]:
        word = token.text
        if self._run.to == "skip":
            return
        if word in DESTINATIONS or self._optional:
            self._enter(word)
        elif word in _ENDS or word in {"cell", "row", "nestcell", "nestrow"}:
            yield from self._end(word)
        else:
            self._format(word, token.number)

    def _enter(self, word: str) -> None:
        to = word
        unknown = self._optional and word not in READ | OPTIONAL
        if word in SKIPPED or word == "upr" or unknown:
            to = "skip"
        elif word in READ or word in {"cs", "ts"}:
            to = self._run.to
        if word in {"footnote", "annotation"} and to == word:
            self._held.append(self._now.text)
            self._now.text = []
        self._run = replace(self._run, to=to)

    def _format(self, word: str, number: int | None) -> None:
        on = number != 0
        if word == "pard":
            self._run = replace(self._run, style=0, level=None, table=False)
        elif word == "plain":
            self._run = replace(self._run, hidden=False)
        elif word in {"v", "deleted"}:
            self._run = replace(self._run, hidden=on)
        elif word == "intbl":
            self._run = replace(self._run, table=True)
        elif word == "s" and number is not None:
            self._run = replace(self._run, style=number)
        elif word == "outlinelevel" and number is not None:
            self._run = replace(self._run, level=number + 1 if number < _BODY_LEVEL else None)

    def _end(self, word: str) -> Iterator[Block]:
        now = self._now
        if self._run.to in MARGINS:
            now.margins.setdefault(self._run.to, []).append("\n")
        elif self._run.to in {"footnote", "annotation"} or word.startswith("nest"):
            now.text.append(" ")
        elif word == "cell":
            now.cells.append("".join(now.text))
            now.text.clear()
        elif word == "row":
            row = row_of(now.cells)
            if row:
                now.rows.append(row)
            now.cells.clear()
        elif self._run.table:
            now.text.append("\n")
        else:
            yield from self._table()
            yield from self._paragraph()

    def _paragraph(self) -> Iterator[Block]:
        now = self._now
        text, label = "".join(now.text).strip(), " ".join(now.label.split())
        now.text.clear()
        now.label = ""
        if not label and (item := _ITEM.match(text)):
            label, text = item[1], text[item.end() :]
        level = self._level()
        if text and label and level is None:
            mark = label if any(map(str.isalnum, label)) else "-"
            now.items.append(f"{mark} {text}")
        elif text:
            yield from self._list()
            yield from self._plain(f"{label} {text}".strip(), level)
        if now.aside:
            yield from self._list()
            yield from self._asides()

    def _plain(self, text: str, level: int | None) -> Iterator[Block]:
        if level is None:
            yield self._block(text, BlockKind.PROSE)
        else:
            self._outline.enter(level, " ".join(text.split()))
            yield self._block(text, BlockKind.HEADING)

    def _list(self) -> Iterator[Block]:
        if self._now.items:
            yield self._block("\n".join(self._now.items), BlockKind.PROSE)
            self._now.items.clear()

    def _level(self) -> int | None:
        if self._run.level is not None:
            return self._run.level
        name = self._now.names.get(self._run.style, "")
        found = _HEADING.match(name)
        return int(found[1]) if found else 0 if name.lower() == "title" else None

    def _table(self) -> Iterator[Block]:
        rows = self._now.rows
        if self._now.cells:  # a last row that nothing ends
            rows.append(row_of(self._now.cells))
            self._now.cells = []
        if rows:
            yield from self._list()
            yield self._block("\n".join(table_lines(rows)), BlockKind.TABLE)
            self._now.rows = []
            yield from self._asides()

    def _asides(self) -> Iterator[Block]:
        for text in self._now.aside:
            yield self._block(text, BlockKind.PROSE)
        self._now.aside.clear()

    def _block(self, text: str, kind: BlockKind) -> Block:
        return Block(text=text, kind=kind, heading=self._outline.path)

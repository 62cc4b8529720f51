"""reStructuredText: read by docutils with everything switched off that reaches out or runs."""

import re
import textwrap
from collections.abc import Iterator
from typing import Protocol, Self, cast

from stratal_ingest.document import Block, BlockKind, Outline, ReadDocument
from stratal_ingest.readers.encoding import decode
from stratal_ingest.readers.restructured_lines import blocks_by_lines
from stratal_ingest.readers.table import Row, row_of, table_lines

_SETTINGS = {
    "file_insertion_enabled": False,
    "raw_enabled": False,
    "_disable_config": True,
    "report_level": 5,  # a mistake is no part of the text
    "halt_level": 5,
    "warning_stream": False,
    "smart_quotes": False,
    "doctitle_xform": False,
    "line_length_limit": 1_000_000,
}
# What Sphinx adds, docutils shows as mistakes: a role, whose text is kept, and a directive.
_ROLE = re.compile(r"(?::[\w.+-]{1,40}){1,3}:`[~!]?([^`<>]{1,400}?)(?:\s*<[^`<>]{1,400}>)?`")
_DIRECTIVE = re.compile(r"\s*\.\. (?:\|[^|]*\| )?([\w:.+-]+)::[ \t]*([^\n]*)\n?(.*)", re.DOTALL)
_OPTIONS = re.compile(r"(?:[ \t]*:[\w -]+:[^\n]*\n|[ \t]*\n)*(?:[ \t]*:[\w -]+:[^\n]*\Z)?")
_NO_TEXT = frozenset({"include", "raw", "toctree", "literalinclude", "image", "figure", "meta"})
_LONGEST = 300_000  # characters: docutils reads some 45 kB a second
_DEEPEST = 4  # directives in one another that docutils does not know
_CODE = frozenset({"literal_block", "doctest_block", "math_block"})
_PROSE = frozenset({"paragraph", "line_block", "rubric", "caption", "attribution", "subtitle"})
_LISTS = {
    **{"bullet_list": "- ", "enumerated_list": "", "definition_list": "", "field_list": ""},
    **{"option_list": "", "docinfo": ""},
}
_NAMES = frozenset({"term", "field_name", "option_group"})
_UNREAD = frozenset({"comment", "substitution_definition", "target", "raw", "pending", "meta"})


class _Node(Protocol):
    """What is used of a node of docutils, which has no types of its own."""

    tagname: str
    children: list[Self]

    def astext(self) -> str:
        """The text in it."""
        ...

    def get(self, key: str, default: str) -> str:
        """One of its attributes."""
        ...


class RestructuredReader:
    """Reads the text only: no directive includes a file or runs a program."""

    formats = ("rst",)
    libraries = ("docutils.core", "docutils.parsers.rst")

    def read(self, data: bytes, name: str) -> ReadDocument:
        """Sections, paragraphs, lists, tables and literal blocks, in order."""
        blocks = tuple(_blocks(decode(data).removeprefix("\ufeff")))
        title = next((block.text for block in blocks if block.kind == BlockKind.HEADING), "")
        return ReadDocument(format="rst", title=title, blocks=blocks)


def _blocks(text: str) -> list[Block]:
    if len(text) <= _LONGEST:
        try:
            return list(_Walk().blocks(_tree(text), 0))
        except RecursionError:
            return list(blocks_by_lines(text))  # nested hundreds of levels deep
    return list(blocks_by_lines(text))


def _tree(text: str) -> _Node:
    from docutils.core import publish_doctree

    return cast(_Node, publish_doctree(text, settings_overrides=_SETTINGS))


class _Walk:
    def __init__(self) -> None:
        self._outline = Outline()
        self._lines: list[str] = []  # of the open list
        self._within = 0  # directives that are being read again

    def blocks(self, parent: _Node, level: int) -> Iterator[Block]:
        """What is in `parent`, a section of `level`, in order."""
        for node in parent.children:
            name = node.tagname
            if name in _LISTS:
                yield from self._list(node, 0)
                yield from self._closed()
            elif name in {"title", "subtitle"} and parent.tagname in {"section", "document"}:
                words = " ".join(_text(node).split())
                self._outline.enter(level, words)
                yield self._block(words, BlockKind.HEADING)
            elif name in {"section", "document"}:
                yield from self.blocks(node, level + 1)
            else:
                yield from self._body(node, level)

    def _body(self, node: _Node, level: int) -> Iterator[Block]:
        name = node.tagname
        if name in _PROSE or name == "title":
            yield self._block(_text(node), BlockKind.PROSE)
        elif name in _CODE:
            yield self._block(node.astext(), BlockKind.CODE)
        elif name == "table":
            yield from self._table(node)
        elif name == "image":
            alt = node.get("alt", "")
            yield self._block(f"[Image: {alt}]" if alt else "", BlockKind.PROSE)
        elif name in {"footnote", "citation"}:
            label = " ".join(" ".join(_text(child) for child in node.children).split())
            yield self._block(f"[{label}]", BlockKind.PROSE)
        elif name == "system_message":
            yield from self._mistake(node, level)
        elif name not in _UNREAD:
            yield from self.blocks(node, level)

    def _list(self, listed: _Node, depth: int) -> Iterator[Block]:
        """Lines of the items; code and tables among them are blocks of their own."""
        start = listed.get("start", "1")
        for number, item in enumerate(listed.children, int(start)):
            mark = f"{number}. " if listed.tagname == "enumerated_list" else _LISTS[listed.tagname]
            for part in item.children:
                if part.tagname == "system_message":
                    continue
                names = part.tagname in _NAMES
                inner = [part] if names or part.tagname in _PROSE | _LISTS.keys() else part.children
                for node in inner or [part]:
                    if node.tagname in _LISTS:
                        yield from self._list(node, min(depth + 1, 8))
                    elif names or node.tagname in _PROSE | {"#text"}:
                        said = " ".join(_text(node).split())
                        self._line(said, f"{'  ' * depth}{mark}", ends=names)
                        mark = "" if names else "  "
                    else:
                        yield from self._closed()
                        yield from self._body(node, 99)

    def _line(self, text: str, mark: str, *, ends: bool) -> None:
        """Put a line down; one that follows a name goes on in its line."""
        if self._lines and self._lines[-1].endswith(":\0"):
            self._lines[-1] = f"{self._lines[-1][:-1]} {text}"
        else:
            self._lines.append(f"{mark}{text}" + (":\0" if ends else ""))

    def _closed(self) -> Iterator[Block]:
        if self._lines:
            text = "\n".join(line.removesuffix("\0") for line in self._lines)
            yield self._block(text, BlockKind.PROSE)
            self._lines = []

    def _table(self, table: _Node) -> Iterator[Block]:
        for part in table.children:
            if part.tagname == "title":
                yield self._block(_text(part), BlockKind.PROSE)
        yield self._block("\n".join(table_lines(_rows(table))), BlockKind.TABLE)

    def _mistake(self, message: _Node, level: int) -> Iterator[Block]:
        """The source docutils could not read, read as text."""
        for node in message.children:
            if node.tagname != "literal_block":
                continue
            source = node.astext()
            directive = _DIRECTIVE.match(source)
            if not directive:
                yield self._block(_ROLE.sub(r"\1", source), BlockKind.PROSE)
            elif directive[1] not in _NO_TEXT and self._within < _DEEPEST:
                yield from self._directive(directive, level)

    def _directive(self, directive: re.Match[str], level: int) -> Iterator[Block]:
        name, said, rest = directive.groups()
        body = textwrap.dedent(_OPTIONS.sub("", rest, count=1))
        if "code" in name or name in {"prompt", "parsed-literal", "productionlist"}:
            yield self._block(body, BlockKind.CODE)
            return
        yield self._block(said, BlockKind.PROSE)
        self._within += 1
        yield from self.blocks(_tree(body), level)
        self._within -= 1

    def _block(self, text: str, kind: BlockKind) -> Block:
        return Block(text=text, kind=kind, heading=self._outline.path)


def _text(node: _Node) -> str:
    return _ROLE.sub(r"\1", node.astext())


def _rows(table: _Node) -> list[Row]:
    """The rows of the head and the body, a cell merged over columns in its first."""
    rows: list[Row] = []
    stack = [table]
    while stack:
        node = stack.pop()
        if node.tagname == "row":
            cells: list[str] = []
            for entry in node.children:
                cells.append(_text(entry))
                cells.extend("" for _ in range(int(entry.get("morecols", "0") or 0)))
            rows.append(row_of(cells))
        elif node.tagname not in {"entry", "title"}:
            stack.extend(reversed(node.children))
    return [row for row in rows if row]

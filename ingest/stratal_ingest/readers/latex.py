"""LaTeX: sections, paragraphs, lists, tables and listings; commands go, formulas stay."""

import re
from collections.abc import Iterator

from stratal_ingest.document import Block, BlockKind, Outline, ReadDocument
from stratal_ingest.readers.encoding import decode
from stratal_ingest.readers.latex_text import after_options, argument, plain, without_comments
from stratal_ingest.readers.table import Row, row_of, table_lines

_LEVELS = {
    **{"part": 1, "chapter": 2, "section": 3, "subsection": 4, "subsubsection": 5},
    **{"paragraph": 6, "subparagraph": 7, "title": 0, "frametitle": 6, "subtitle": 6},
}
_LISTS = frozenset({"itemize", "enumerate", "description", "thebibliography"})
_CODE = frozenset({"verbatim", "lstlisting", "minted", "alltt", "Verbatim", "code"})
_TABLES = frozenset({"tabular", "tabularx", "tabulary", "longtable", "tblr", "supertabular"})
_MATH = frozenset({"equation", "align", "gather", "multline", "eqnarray", "displaymath", "math"})
_UNREAD = frozenset({"tikzpicture", "comment", "filecontents", "pgfpicture", "picture", "CCSXML"})
_STRUCTURE = re.compile(
    r"\\(begin|end)\s*\{([A-Za-z]+)\*?\}"
    r"|\\(part|chapter|(?:sub){0,2}section|(?:sub)?paragraph|title|subtitle|frametitle)\*?(?=\s*[\[{])"
    r"|\\(item|bibitem)\b|\\(caption)\*?(?=\s*[\[{])|(\n[ \t]*\n\s*)"
)
_VERBATIM = re.compile(
    r"(\\begin\{(?:verbatim|lstlisting|minted|alltt|Verbatim)\*?\})(.*?)(\\end\{)", re.DOTALL
)
_PERCENT = "\ue000"  # stands for the % of code while comments are taken out
_PART = re.compile(r"\\(?:begin|end)\s*\{[^}]*\}|\\\\(?:\[[^\]]*\])?|\\.|[{}&]", re.DOTALL)
_RULES = re.compile(r"\\(?:hline|toprule|midrule|bottomrule|endhead|endfirsthead|endfoot)\b")


class LatexReader:
    """Reads LaTeX as text: nothing is included, no macro of the document is expanded."""

    formats = ("tex",)
    libraries: tuple[str, ...] = ("charset_normalizer",)

    def read(self, data: bytes, name: str) -> ReadDocument:
        """Headings, paragraphs and lists, tables and code, in order."""
        source = decode(data).removeprefix("\ufeff").replace("\r\n", "\n").replace("\r", "\n")
        guarded = _VERBATIM.sub(
            lambda found: f"{found[1]}{found[2].replace('%', _PERCENT)}{found[3]}", source
        )
        blocks = tuple(_Walk(_body(without_comments(guarded))).blocks())
        first = next((block.heading[0] for block in blocks if block.heading), "")
        return ReadDocument(format="tex", title=first, blocks=blocks)


def _body(source: str) -> str:
    """What is set, after the title a preamble may give."""
    preamble, begin, body = source.partition("\\begin{document}")
    if not begin:
        return source
    title = re.search(r"\\title\s*[\[{]", preamble)
    head = ""
    if title:
        words, _ = argument(preamble, after_options(preamble, title.end() - 1))
        head = f"\\title{{{words}}}"
    return head + body.partition("\\end{document}")[0]


class _Walk:
    def __init__(self, source: str) -> None:
        self._source = source
        self._at = 0
        self._outline = Outline()
        self._open: list[str] = []
        self._items: list[str] = []
        self._counts: list[int] = []  # of each open list; -1 where its items have no number
        self._mark = ""
        self._notes: list[str] = []

    def blocks(self) -> Iterator[Block]:
        while found := _STRUCTURE.search(self._source, self._at):
            self._open.append(self._source[self._at : found.start()])
            self._at = found.end()
            begin, environment, section, item, caption, _ = found.groups()
            if begin == "begin":
                yield from self._begin(environment)
            elif begin == "end":
                yield from self._end(environment)
            elif section:
                yield from self._section(section)
            elif item:
                yield from self._item()
            elif caption:
                yield from self._caption()
            else:
                yield from self._closed()
        self._open.append(self._source[self._at :])
        self._counts.clear()
        yield from self._closed()

    def _begin(self, name: str) -> Iterator[Block]:
        yield from self._closed()
        if name in _LISTS:
            self._counts.append(0 if name == "enumerate" else -1)
            self._at = after_options(self._source, self._at)
            if name == "thebibliography":
                _, self._at = argument(self._source, self._at)
        elif name in _CODE | _TABLES | _MATH | _UNREAD:
            begin = self._at
            body, self._at = _environment(self._source, begin, name)
            yield self._special(name, body)
        else:
            self._at = after_options(self._source, self._at)

    def _special(self, name: str, body: str) -> Block:
        if name in _CODE:
            code = body.replace(_PERCENT, "%")[after_options(body, 0) :]
            return self._block(code, BlockKind.CODE)
        if name in _TABLES:
            rows = list(_rows(body, self._notes))
            return self._block("\n".join(table_lines(rows)), BlockKind.TABLE)
        return self._block(body.strip() if name in _MATH else "", BlockKind.PROSE)

    def _end(self, name: str) -> Iterator[Block]:
        if name in _LISTS and self._counts:
            self._take()
            self._counts.pop()
            self._mark = ""
        yield from self._closed()

    def _section(self, name: str) -> Iterator[Block]:
        yield from self._closed()
        words = self._argument()
        if words:
            self._outline.enter(_LEVELS[name], words)
            yield self._block(words, BlockKind.HEADING)
            yield from self._aside()

    def _item(self) -> Iterator[Block]:
        if not self._counts:
            yield from self._closed()
            return
        self._take()
        label = _label(self._source, self._at)
        self._at = after_options(self._source, self._at)
        if self._counts[-1] >= 0:
            self._counts[-1] += 1
        number = f"{self._counts[-1]}." if self._counts[-1] > 0 else "-"
        words = plain(label, self._notes).strip()
        self._mark = f"{'  ' * min(len(self._counts) - 1, 8)}{number} " + (
            f"{words}: " if words else ""
        )

    def _caption(self) -> Iterator[Block]:
        yield from self._closed()
        yield self._block(self._argument(), BlockKind.PROSE)

    def _argument(self) -> str:
        self._at = after_options(self._source, self._at)
        held, self._at = argument(self._source, self._at)
        return " ".join(plain(held, self._notes).split())

    def _take(self) -> None:
        """The open text becomes an item of the list."""
        words = _lines(plain("".join(self._open), self._notes))
        self._open.clear()
        if words:
            self._items.append(f"{self._mark}{words}")
            self._mark = "  " * len(self._counts)

    def _closed(self) -> Iterator[Block]:
        if self._counts:
            self._take()
            return
        if self._items:
            yield self._block("\n".join(self._items), BlockKind.PROSE)
            self._items.clear()
        text = _lines(plain("".join(self._open), self._notes))
        self._open.clear()
        yield self._block(text, BlockKind.PROSE)
        yield from self._aside()

    def _aside(self) -> Iterator[Block]:
        for note in self._notes:
            yield self._block(f"[Footnote: {note}]" if note else "", BlockKind.PROSE)
        self._notes.clear()

    def _block(self, text: str, kind: BlockKind) -> Block:
        return Block(text=text, kind=kind, heading=self._outline.path)


def _lines(text: str) -> str:
    """`text` with the breaks of its lines, their edges trimmed."""
    return "\n".join(filter(None, (" ".join(line.split()) for line in text.split("\n"))))


def _label(source: str, at: int) -> str:
    found = re.compile(r"\s*\[([^\]]*)\]").match(source, at)
    return found[1] if found else ""


def _environment(source: str, start: int, name: str) -> tuple[str, int]:
    """The body of the environment that begins before `start`, and where the rest begins."""
    depth = 1
    for mark in re.compile(rf"\\(begin|end)\s*\{{{name}\*?\}}").finditer(source, start):
        depth += 1 if mark[1] == "begin" else -1
        if depth == 0:
            return source[start : mark.start()], mark.end()
    return source[start:], len(source)


def _rows(body: str, notes: list[str]) -> Iterator[Row]:
    """The rows of a table; breaks and signs inside of braces and inner tables part nothing."""
    at = after_options(body, 0)
    while (following := argument(body, at))[1] != at:  # its width and its columns
        at = after_options(body, following[1])
    cells: list[str] = []
    depth, start = 0, at
    for part in _PART.finditer(body, at):
        token = part[0]
        if token in "{}" or token.startswith(("\\begin", "\\end")):
            depth += 1 if token == "{" or token.startswith("\\begin") else -1
        elif depth <= 0 and (token == "&" or token.startswith("\\\\")):
            cells.append(_cell(body[start : part.start()], notes))
            start = part.end()
            if token != "&":
                yield row_of(cells)
                cells = []
    yield row_of([*cells, _cell(body[start:], notes)])


def _cell(source: str, notes: list[str]) -> str:
    return plain(_RULES.sub("", source), notes)

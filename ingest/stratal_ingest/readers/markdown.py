"""Markdown: headings as paths, fences and tables kept whole; one pass, line by line."""

import re
from collections.abc import Iterator

from stratal_ingest.document import Block, BlockKind, Outline, ReadDocument
from stratal_ingest.readers.encoding import decode

_HEADING = re.compile(r" {0,3}(#{1,6})(?:[ \t]+(\S.*))?$")
_CLOSING_HASHES = re.compile(r"[ \t]+#+$")
_FENCE = re.compile(r" {0,3}(`{3,}|~{3,})")
_UNDERLINE = re.compile(r" {0,3}(=+|-{2,})$")
_QUOTE = re.compile(r"(?:[ \t]{0,3}>)+[ \t]?")
_DIVIDER = re.compile(r"[ |:-]*-[ |:-]*$")
_TITLE_FIELD = re.compile(r"title:[ \t]*(\S.*)$", re.IGNORECASE)


class MarkdownReader:
    """Reads Markdown: emphasis and links stay as they are written, quote marks go."""

    formats = ("markdown",)
    libraries: tuple[str, ...] = ("charset_normalizer",)

    def read(self, data: bytes, name: str) -> ReadDocument:
        """Headings, paragraphs and lists, tables and code, in order."""
        lines = [line.rstrip() for line in decode(data).splitlines()]
        title, lines = _front_matter(lines)
        blocks = tuple(_Walk(lines).blocks())
        first = next((block.text for block in blocks if block.kind == BlockKind.HEADING), "")
        return ReadDocument(format="markdown", title=title or first, blocks=blocks)


def _front_matter(lines: list[str]) -> tuple[str, list[str]]:
    """The title named between `---` lines at the top, and the lines without the fences."""
    if not lines or lines[0] != "---" or "---" not in lines[1:]:
        return "", lines
    end = lines.index("---", 1)
    titles = [match[1].strip("\"'") for line in lines[1:end] if (match := _TITLE_FIELD.match(line))]
    return (titles or [""])[0], [*lines[1:end], "", *lines[end + 1 :]]


class _Walk:
    def __init__(self, lines: list[str]) -> None:
        self._lines = lines
        self._outline = Outline()
        self._open: list[str] = []  # lines of the paragraph being read

    def blocks(self) -> Iterator[Block]:
        at = 0
        while at < len(self._lines):
            line = self._lines[at]
            if fence := _FENCE.match(line):
                yield from self._close()
                end = self._fence_end(at, fence[1])
                yield self._block("\n".join(self._lines[at:end]), BlockKind.CODE)
                at = end
                continue
            if heading := self._heading(line):
                yield from self._close()
                yield self._enter(*heading)
            elif self._is_underline(line):
                yield self._enter(1 if "=" in line else 2, " ".join(self._take()))
            elif words := _QUOTE.sub("", line, count=1) if line.lstrip()[:1] == ">" else line:
                self._open.append(words)
            else:
                yield from self._close()
            at += 1
        yield from self._close()

    def _heading(self, line: str) -> tuple[int, str] | None:
        match = _HEADING.match(line)
        if not match:
            return None
        return len(match[1]), _CLOSING_HASHES.sub("", match[2] or "")

    def _is_underline(self, line: str) -> bool:
        """A line of `===` or `---` under one line of text makes that line a heading."""
        return len(self._open) == 1 and "|" not in self._open[0] and bool(_UNDERLINE.match(line))

    def _fence_end(self, start: int, fence: str) -> int:
        for at in range(start + 1, len(self._lines)):
            line = self._lines[at].strip()
            if line.startswith(fence) and not line.strip(fence[0]):
                return at + 1
        return len(self._lines)

    def _enter(self, level: int, title: str) -> Block:
        self._outline.enter(level, title)
        return self._block(title, BlockKind.HEADING)

    def _take(self) -> list[str]:
        lines, self._open = self._open, []
        return lines

    def _close(self) -> Iterator[Block]:
        lines = self._take()
        if lines:
            kind = BlockKind.TABLE if _is_table(lines) else BlockKind.PROSE
            yield self._block("\n".join(lines), kind)

    def _block(self, text: str, kind: BlockKind) -> Block:
        return Block(text=text, kind=kind, heading=self._outline.path)


def _is_table(lines: list[str]) -> bool:
    return len(lines) > 1 and "|" in lines[0] and bool(_DIVIDER.match(lines[1]))

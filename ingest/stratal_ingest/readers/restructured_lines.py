"""reStructuredText by its lines alone: what is too long or too deep for docutils."""

from collections.abc import Iterator

from stratal_ingest.document import Block, BlockKind, Outline
from stratal_ingest.readers.plain import paragraphs

_ADORNMENT = frozenset("=-~`:'\"^_*+#.<>")


def blocks_by_lines(text: str) -> Iterator[Block]:
    """Sections by their underlines, paragraphs and indented blocks, in order."""
    outline = Outline()
    levels: list[tuple[str, bool]] = []  # styles in the order they appear: the outermost first
    for part in paragraphs(text):
        lines = part.split("\n")
        while lines:
            heading = _heading(lines)
            if heading is None:
                end = _next_heading(lines)
                yield _body(lines[:end], outline.path)
                lines = lines[end:]
                continue
            title, style, taken = heading
            if style not in levels:
                levels.append(style)
            outline.enter(levels.index(style), title)
            yield Block(text=title, kind=BlockKind.HEADING, heading=outline.path)
            lines = lines[taken:]


def _next_heading(lines: list[str]) -> int:
    return next((at for at in range(1, len(lines)) if _heading(lines[at:])), len(lines))


def _heading(lines: list[str]) -> tuple[str, tuple[str, bool], int] | None:
    """The title, its style (character, overlined) and the lines it takes."""
    if len(lines) > 2 and _is_adornment(lines[0]) and lines[2] == lines[0]:
        return lines[1].strip(), (lines[0][0], True), 3
    if len(lines) > 1 and _is_adornment(lines[1]) and _may_be_title(lines[0], under=lines[1]):
        return lines[0].strip(), (lines[1][0], False), 2
    return None


def _may_be_title(line: str, *, under: str) -> bool:
    return not (line[0].isspace() or _is_adornment(line) or len(line) > len(under))


def _is_adornment(line: str) -> bool:
    return len(line) > 1 and line[0] in _ADORNMENT and line == line[0] * len(line)


def _body(lines: list[str], heading: tuple[str, ...]) -> Block:
    indented = all(line[0].isspace() for line in lines)
    grid = lines[0].startswith(("+-", "==")) and len(lines) > 2
    kind = BlockKind.TABLE if grid else BlockKind.CODE if indented else BlockKind.PROSE
    return Block(text="\n".join(lines), kind=kind, heading=heading)

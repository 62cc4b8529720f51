"""Source code: one block a definition."""

import ast
import re
from collections.abc import Iterator, Sequence

from stratal_ingest.document import Block, BlockKind, ReadDocument
from stratal_ingest.readers.encoding import decode

_MEMBER_LINES = 40  # a class longer than this is taken apart by its methods
_CLOSERS = tuple("})];")
_Definition = ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef
_DEFINES = re.compile(
    r"(?:(?:export|default|public|private|protected|internal|async|static|final|abstract|sealed|pub"
    r"(?:\([a-z]+\))?|unsafe|extern|inline|virtual|override|open|data|const) )*"
    r"(?:func|function\*?|fn|fun|def|class|type|struct|enum|interface|trait|impl|module|namespace|"
    r"record|object|protocol|extension|defmodule|sub|macro_rules!|mod|union|contract) "
    r"|(?:create|CREATE) (?:(?:or|OR) (?:replace|REPLACE) )?[A-Za-z]+ "
    r"|(?:export )?(?:const|let|var) \w+ = (?:async )?(?:function|\()"
)
_C_FUNCTION = re.compile(
    r"(?![\s#/*}]|(?:if|for|while|switch|return|else)\b)[\w:<>,&*~ \t\[\]]+\([^;]*$"
)


class PythonReader:
    """Reads Python by its syntax tree; what does not parse is read as any other code."""

    formats = ("python",)
    libraries: tuple[str, ...] = ("charset_normalizer",)

    def read(self, data: bytes, name: str) -> ReadDocument:
        """The definitions, and the statements between them, in order."""
        text = decode(data).removeprefix("\ufeff").replace("\r\n", "\n").replace("\r", "\n")
        try:
            tree = ast.parse(text)
        except (SyntaxError, ValueError, RecursionError, MemoryError):
            return ReadDocument(format="python", blocks=tuple(_unindented(text)))
        lines = text.split("\n")
        blocks = tuple(_statements(tree.body, lines, span=(1, len(lines)), path=()))
        return ReadDocument(format="python", blocks=blocks)


class CodeReader:
    """Reads other code and configuration: a blank line before an unindented one parts blocks."""

    formats = ("code",)
    libraries: tuple[str, ...] = ("charset_normalizer",)

    def read(self, data: bytes, name: str) -> ReadDocument:
        """The top-level pieces, in order."""
        return ReadDocument(format="code", blocks=tuple(_unindented(decode(data))))


def _statements(
    body: Sequence[ast.stmt], lines: list[str], *, span: tuple[int, int], path: tuple[str, ...]
) -> Iterator[Block]:
    """Blocks that cover the lines of `span` (1-based, both ends included)."""
    at, end = span
    for node in body:
        if not isinstance(node, _Definition):
            continue
        first = min([node.lineno, *(mark.lineno for mark in node.decorator_list)])
        last = node.end_lineno or node.lineno
        first = _with_comments(lines, first, floor=at)
        yield from _block(lines, at, first - 1, path)
        yield from _definition(node, lines, span=(first, last), path=path)
        at = max(at, last + 1)
    yield from _block(lines, at, end, path)


def _definition(
    node: _Definition, lines: list[str], *, span: tuple[int, int], path: tuple[str, ...]
) -> Iterator[Block]:
    inner = (*path, _signature(node))
    first, last = span
    if isinstance(node, ast.ClassDef) and last - first >= _MEMBER_LINES:
        yield from _statements(node.body, lines, span=span, path=inner)
    else:
        yield from _block(lines, first, last, inner)


def _signature(node: _Definition) -> str:
    return f"{'class' if isinstance(node, ast.ClassDef) else 'def'} {node.name}"


def _with_comments(lines: list[str], first: int, *, floor: int) -> int:
    """The line where the comment right above a definition begins."""
    while first > floor and lines[first - 2].lstrip().startswith("#"):
        first -= 1
    return first


def _block(lines: list[str], first: int, last: int, path: tuple[str, ...]) -> Iterator[Block]:
    text = "\n".join(lines[first - 1 : last]).strip("\n")
    if text.strip():
        yield Block(text=text, kind=BlockKind.CODE, heading=path)


def _unindented(text: str) -> Iterator[Block]:
    part: list[str] = []
    blank = False
    for line in text.splitlines():
        starts = bool(line) and not line[0].isspace() and not line.startswith(_CLOSERS)
        if part and starts and blank:
            yield _code(part)
            part = []
        part.append(line)
        blank = not line.strip()
    if any(line.strip() for line in part):
        yield _code(part)


def _code(lines: list[str]) -> Block:
    defines = next((line for line in lines if _DEFINES.match(line) or _C_FUNCTION.match(line)), "")
    name = defines.split("{")[0].split(" = ")[0].strip().rstrip(":")[:80]
    return Block(text="\n".join(lines), kind=BlockKind.CODE, heading=(name,) if name else ())

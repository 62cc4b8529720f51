"""Jupyter notebooks: Markdown cells as they are, code as code, what it printed after it."""

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import replace

from stratal_ingest.document import ReadDocument
from stratal_ingest.errors import CorruptDocument
from stratal_ingest.readers.encoding import decode
from stratal_ingest.readers.markdown import MarkdownReader

_LONGEST_OUTPUT = 2_000  # characters of one output: a log or a table printed whole says little
_TICKS = re.compile(r"`{3,}")


class NotebookReader:
    """Reads notebooks of the formats 3 and 4; pictures and widgets are left out."""

    formats = ("ipynb",)
    libraries: tuple[str, ...] = ("charset_normalizer",)

    def read(self, data: bytes, name: str) -> ReadDocument:
        """The cells in their order, under the headings of the Markdown among them."""
        try:
            notebook = json.loads(decode(data).removeprefix("\ufeff"))
        except (json.JSONDecodeError, RecursionError) as error:
            raise CorruptDocument(f"it is not a notebook: {error}") from error
        language = _language(notebook)
        parts = [part for cell in _cells(notebook) for part in _cell(cell, language)]
        read = MarkdownReader().read("\n\n".join(parts).encode("utf-8", "replace"), name)
        return replace(read, format="ipynb")


def _cells(notebook: object) -> Iterator[Mapping[str, object]]:
    sheets = _field(notebook, "worksheets")  # format 3
    holders = sheets if isinstance(sheets, list) else [notebook]
    found = [_field(holder, "cells") for holder in holders]
    if not any(isinstance(cells, list) for cells in found):
        raise CorruptDocument("it is not a notebook: it has no cells")
    for cells in found:
        for cell in cells if isinstance(cells, list) else ():
            if isinstance(cell, Mapping):
                yield cell


def _field(holder: object, name: str) -> object:
    return holder.get(name) if isinstance(holder, Mapping) else None


def _language(notebook: object) -> str:
    metadata = _field(notebook, "metadata")
    name = _field(_field(metadata, "language_info"), "name")
    name = name or _field(_field(metadata, "kernelspec"), "language")
    return name if isinstance(name, str) and name.isalnum() else ""


def _cell(cell: Mapping[str, object], language: str) -> Iterator[str]:
    source = _joined(cell.get("source") or cell.get("input"))
    kind = cell.get("cell_type")
    if kind == "code":
        yield _fenced(source, language)
        outputs = cell.get("outputs")
        for output in outputs if isinstance(outputs, list) else ():
            yield _fenced(_output(output), "output")
    elif kind == "heading":  # format 3
        level = cell.get("level")
        yield f"{'#' * (level if isinstance(level, int) and 0 < level < 7 else 1)} {source}"
    else:
        yield source if kind == "markdown" else _fenced(source, "")


def _output(output: object) -> str:
    """What an output shows as text; empty for pictures."""
    shown = _field(output, "data")
    held = shown if isinstance(shown, Mapping) else output
    names = ("text/markdown", "text/plain", "text/latex", "text")
    text = next((text for name in names if (text := _joined(_field(held, name)))), "")
    error = _field(output, "evalue")
    if isinstance(error, str):
        text = f"{_field(output, 'ename')}: {error}"
    if len(text) > _LONGEST_OUTPUT:
        text = f"{text[:_LONGEST_OUTPUT]}\n[{len(text) - _LONGEST_OUTPUT:,} characters more]"
    return text


def _joined(lines: object) -> str:
    if isinstance(lines, list):
        return "".join(line for line in lines if isinstance(line, str))
    return lines if isinstance(lines, str) else ""


def _fenced(text: str, language: str) -> str:
    """`text` between fences longer than any in it."""
    if not text.strip():
        return ""
    longest = max(map(len, _TICKS.findall(text)), default=2)
    fence = "`" * (longest + 1)
    return f"{fence}{language}\n{text.strip(chr(10))}\n{fence}"

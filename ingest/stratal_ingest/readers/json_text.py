"""JSON and NDJSON: one line a value, with the path that leads to it."""

import json
from collections.abc import Iterator, Mapping, Sequence

from stratal_ingest.document import Block, BlockKind, ReadDocument
from stratal_ingest.errors import CorruptDocument
from stratal_ingest.readers.encoding import decode


class JsonReader:
    """Reads JSON; a file of one JSON value a line is NDJSON."""

    formats = ("json", "ndjson")
    libraries: tuple[str, ...] = ("charset_normalizer",)

    def read(self, data: bytes, name: str) -> ReadDocument:
        """One block for each item of the outermost list or line of NDJSON."""
        text = decode(data)
        try:
            value, format = _parse(text.removeprefix("\ufeff"))
        except RecursionError as error:
            raise CorruptDocument("its values are nested too deep") from error
        items = value if isinstance(value, list) else [value]
        blocks = tuple(Block(text="\n".join(_lines(item)), kind=BlockKind.TABLE) for item in items)
        return ReadDocument(format=format, blocks=blocks)


def _parse(text: str) -> tuple[object, str]:
    try:
        return json.loads(text), "json"
    except json.JSONDecodeError as whole:
        lines = [line for line in text.splitlines() if line.strip()]
        if len(lines) < 2:
            raise CorruptDocument(f"it is not JSON: {whole}") from whole
    return [_parse_line(line, number) for number, line in enumerate(lines, 1)], "ndjson"


def _parse_line(line: str, number: int) -> object:
    try:
        return json.loads(line)
    except json.JSONDecodeError as error:
        raise CorruptDocument(f"its line {number} is not JSON: {error.msg}") from error


def _lines(value: object) -> Iterator[str]:
    """`path: value` for every leaf, in the order of the text; a stack, so depth costs nothing."""
    stack: list[tuple[str, object]] = [("", value)]
    while stack:
        path, item = stack.pop()
        children = _children(path, item)
        if children or (children is not None and not path):
            stack.extend(reversed(children))
        else:
            leaf = item if isinstance(item, str) else json.dumps(item, ensure_ascii=False)
            yield f"{path}: {leaf}" if path else leaf


def _is_numbers(items: Sequence[object]) -> bool:
    """A place, a vector, a series: one value rather than many."""
    return len(items) > 1 and all(type(item) in {int, float} for item in items)


def _children(path: str, item: object) -> Sequence[tuple[str, object]] | None:
    if isinstance(item, Mapping):
        return [(f"{path}.{key}" if path else str(key), child) for key, child in item.items()]
    if isinstance(item, list) and not _is_numbers(item):
        return [(f"{path}[{place}]", child) for place, child in enumerate(item)]
    return None

"""YAML: one line a value with the path that leads to it; comments stay where they stand."""

import re
from collections import deque
from collections.abc import Iterator
from typing import TYPE_CHECKING

from stratal_ingest.document import Block, BlockKind, ReadDocument
from stratal_ingest.errors import CorruptDocument, LimitExceeded
from stratal_ingest.readers.encoding import decode

if TYPE_CHECKING:
    from yaml import Node

_COMMENT = re.compile(r"[ \t]*#+[ \t]*(\S.*)")
_MOST_LINES = 500_000  # of values: a few aliases of aliases make billions
_DEEPEST = 200
_TOO_DEEP = "its values are nested too deep, or in themselves"


class YamlReader:
    """Reads YAML without making objects of it; values stay as they are written."""

    formats = ("yaml",)
    libraries = ("yaml",)

    def read(self, data: bytes, name: str) -> ReadDocument:
        """One block for each entry of the outermost mapping or list."""
        import yaml

        text = decode(data).removeprefix("\ufeff")
        loader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
        try:
            _check_depth(text)
            documents = list(yaml.compose_all(text, Loader=loader))
        except (yaml.YAMLError, RecursionError, ValueError) as error:
            raise CorruptDocument(f"it is not YAML: {' '.join(str(error).split())}") from error
        walk = _Walk(text)
        blocks = [block for node in documents for block in walk.blocks(node)]
        blocks.append(Block(text="\n".join(walk.comments(len(walk.lines))), kind=BlockKind.TABLE))
        return ReadDocument(format="yaml", blocks=tuple(blocks))


def _check_depth(text: str) -> None:
    """Raise `CorruptDocument` for what is nested so deep that composing it would crash."""
    import yaml

    depth = 0
    for event in yaml.parse(text, Loader=getattr(yaml, "CSafeLoader", yaml.SafeLoader)):
        if isinstance(event, yaml.CollectionStartEvent):
            depth += 1
        elif isinstance(event, yaml.CollectionEndEvent):
            depth -= 1
        if depth > _DEEPEST:
            raise CorruptDocument(_TOO_DEEP)


class _Walk:
    def __init__(self, text: str) -> None:
        self.lines = text.splitlines()
        self._comments = deque(
            (place, match[1])
            for place, line in enumerate(self.lines)
            if (match := _COMMENT.match(line))
        )
        self._left = _MOST_LINES

    def blocks(self, node: "Node") -> Iterator[Block]:
        for path, child in _children("", node) or [("", node)]:
            lines = list(self._lines(path, child))
            yield Block(text="\n".join(lines), kind=BlockKind.TABLE)

    def comments(self, line: int) -> Iterator[str]:
        """The comments above `line` that were not given yet."""
        while self._comments and self._comments[0][0] < line:
            yield f"# {self._comments.popleft()[1]}"

    def _lines(self, path: str, node: "Node") -> Iterator[str]:
        stack = [(path, node, 0)]
        while stack:
            path, node, depth = stack.pop()
            children = _children(path, node)
            if depth > _DEEPEST:
                raise CorruptDocument(_TOO_DEEP)
            if children:
                stack.extend((at, child, depth + 1) for at, child in reversed(children))
                continue
            yield from self._leaf(path, node)

    def _leaf(self, path: str, node: "Node") -> Iterator[str]:
        self._left -= 1
        if self._left < 0:
            raise LimitExceeded(f"its aliases stand for more than {_MOST_LINES:,} values")
        yield from self.comments(node.start_mark.line)
        while self._comments and self._comments[0][0] < node.end_mark.line:
            self._comments.popleft()  # a line of a text that begins with #
        value = node.value if isinstance(node.value, str) else ""
        yield f"{path}: {value.rstrip()}" if path else value


def _children(path: str, node: "Node") -> list[tuple[str, "Node"]]:
    """What a mapping or list holds, each with its path; empty for a value."""
    from yaml import MappingNode, SequenceNode

    if isinstance(node, MappingNode):
        return [(f"{path}.{_key(key)}" if path else _key(key), value) for key, value in node.value]
    if isinstance(node, SequenceNode):
        return [(f"{path}[{place}]", value) for place, value in enumerate(node.value)]
    return []


def _key(node: "Node") -> str:
    return node.value if isinstance(node.value, str) else "?"

"""YAML as skills of many products hold it: valid, or nearly so."""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

import yaml

LONGEST = 400  # characters of a nested value that is kept as text
# Fields whose lists would be lost if what is not YAML were taken for plain text.
STRUCTURED = frozenset({"steps", "parameters", "triggers", "enabled"})

_KEY = re.compile(r"""(?P<key>[^\W\d][\w .-]{0,60}?)[ \t]*:(?=[ \t]|$)""")
_INDENT = re.compile(r"^[ \t]+", re.MULTILINE)
_BLOCK = re.compile(r"[|>][-+0-9]{0,2}(?=\s|$)")


class NotYaml(ValueError):
    """The text is not YAML, and nobody can tell what was meant; says where."""


@dataclass(frozen=True, slots=True)
class Read:
    """The fields of a header, as they were written, and those that were no YAML."""

    values: Mapping[str, object]
    mended: tuple[str, ...] = ()


def read(header: str) -> Read:
    """The fields in YAML text; every scalar stays the text that was written.

    So version 1.10 is not 1.1. There are no merge keys and no tags, so a small file can't grow into
    a large one and makes no objects. Where the whole is not YAML each field is read for itself, and
    what is still none becomes plain text: `description: Use it when: ...` and
    `argument-hint: [a] [b]` are common. Raises `NotYaml`.
    """
    try:
        return Read(_fields(_loaded(header)))
    except NotYaml as error:
        values: dict[str, object] = {}
        mended: list[str] = []
        for key, source in sources(_INDENT.sub(_spaces, header)):
            try:
                values.update(_fields(_loaded(source)))
            except NotYaml:
                if not key or key in STRUCTURED:
                    raise error from None
                values[key] = _plain(source)
                mended.append(key)
        return Read(values, tuple(mended))


def sources(header: str) -> Iterator[tuple[str, str]]:
    """Each field of the top level and the lines it is written in; what is before has no name."""
    name, lines = "", list[str]()
    for line in header.splitlines():
        found = _KEY.match(line)
        if found:
            if lines:
                yield name, "\n".join(lines)
            name, lines = found["key"], []
        lines.append(line)
    if name or any(line.strip() for line in lines):
        yield name, "\n".join(lines)


def as_text(value: object) -> str:
    """A nested value on one line, cut after 400 characters: aliases may make it endless."""
    said = ""
    for piece in _pieces(value):
        said += piece
        if len(said) > LONGEST:
            return f"{said[:LONGEST]}…"
    return said


def _pieces(value: object) -> Iterator[str]:
    if isinstance(value, Mapping):
        yield "{"
        for number, (key, each) in enumerate(value.items()):
            yield f"{', ' if number else ''}{key}: "
            yield from _pieces(each)
        yield "}"
    elif isinstance(value, list):
        yield "["
        for number, each in enumerate(value):
            yield ", " if number else ""
            yield from _pieces(each)
        yield "]"
    else:
        yield str(value)


def _loaded(text: str) -> object:
    try:
        return yaml.load(text, Loader=yaml.BaseLoader)
    except (yaml.YAMLError, RecursionError, ValueError) as error:
        mark = getattr(error, "problem_mark", None)
        problem = getattr(error, "problem", None) or "it is nested too deeply or malformed"
        raise NotYaml(f"{problem} (line {mark.line + 2})" if mark else str(problem)) from error


def _fields(values: object) -> dict[str, object]:
    if values is None or values == "":
        return {}
    if not isinstance(values, Mapping):
        raise NotYaml("it holds no fields")
    return {str(key): value for key, value in values.items()}


def _spaces(indent: re.Match[str]) -> str:
    return indent[0].expandtabs(2)


def _plain(source: str) -> str:
    """What is written behind the name of a field, without the marks of a block or quotes."""
    text = source.partition(":")[2].strip()
    block = _BLOCK.match(text)
    if block:
        text = text[block.end() :].strip()
    quoted = len(text) > 1 and text[0] == text[-1] and text[0] in "\"'"
    return text[1:-1] if quoted else text

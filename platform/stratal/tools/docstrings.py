"""What a function's docstring says: of the function, and of each parameter."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from enum import Enum
from inspect import getdoc

_SECTION = re.compile(r"(?:Args|Arguments|Parameters):\s*")
_ENTRY = re.compile(r"\*{0,2}(\w+)\s*(?:\([^)]*\))?\s*:\s*(.*)")
_FIELD = re.compile(r":param(?:\s[^:]*?)?\s+\*{0,2}(\w+)\s*:\s*(.*)")
_TYPE = re.compile(r":type\s+\w+\s*:.*")


@dataclass(frozen=True, slots=True)
class Described:
    """The docstring without its parameters, and those by name."""

    text: str
    parameters: dict[str, str]


def described(function: object) -> Described:
    """What a function, or an object that is called, says of itself; empty where it is silent.

    Parameters are read as Google writes them (a section `Args:`) and as reST does (`:param x:`);
    what is no such line stays in the text.
    """
    kept: list[str] = []
    found: dict[str, list[str]] = {}
    said: list[str] | None = None  # of the parameter that the last line spoke of
    for line, place in _placed(getdoc(function) or ""):
        form = {_Place.ENTRY: _ENTRY, _Place.TEXT: _FIELD}.get(place)
        entry = form.fullmatch(line.strip()) if form else None
        if entry:
            said = found.setdefault(entry[1], [entry[2]])
        elif place is not _Place.TEXT or (said is not None and line.startswith((" ", "\t"))):
            (kept if said is None else said).append(line.strip())
        elif not _TYPE.fullmatch(line.strip()):
            said = None
            kept.append(line)
    parameters = {name: " ".join(part for part in parts if part) for name, parts in found.items()}
    return Described(re.sub(r"\n{3,}", "\n\n", "\n".join(kept)).strip(), parameters)


class _Place(Enum):
    """Where a line stands."""

    TEXT = 0  # outside of a section of parameters
    ENTRY = 1  # where a parameter begins
    MORE = 2  # further in


def _placed(text: str) -> Iterator[tuple[str, _Place]]:
    """Each line but the heads of sections, and where it stands."""
    depth: int | None = None  # how far the entries are set in; 0 before the first, None outside
    for line in text.splitlines():
        indent = len(line) - len(line.lstrip())
        if depth is None and _SECTION.fullmatch(line):
            depth = 0
        elif depth is None or (line.strip() and not indent):
            depth = None
            yield line, _Place.TEXT
        elif line.strip():
            depth = depth or indent
            yield line, _Place.ENTRY if indent <= depth else _Place.MORE

"""The words of a simulated year, read from the text files beside this one, and how they match."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import cache, lru_cache
from pathlib import Path

FOLDER = Path(__file__).parent
FAMILIES = 4  # of values: two seeds of different families share few words
_WORD = re.compile(r"[^\W_]+[+#]*")
_HEAD = re.compile(r"\[(.+)\]")


@dataclass(frozen=True, slots=True, kw_only=True)
class Value:
    """What a fact says: any of `forms` in a text means it; `extra` fills {w}."""

    text: str
    forms: tuple[str, ...]
    extra: str = ""
    until: datetime | None = None  # a plan is over by then, whether anybody says so or not

    def stands_in(self, text: str) -> bool:
        """Whether `text` names it, whatever the case, the accents' apostrophes and the stops."""
        padded = plain(text)
        return any(plain(form) in padded for form in self.forms)


@dataclass(frozen=True, slots=True, kw_only=True)
class Kind:
    """One kind of fact and how people speak of it."""

    name: str
    many: bool  # several hold at once
    changes: int  # in a year, at most
    lines: dict[str, tuple[str, ...]]  # by mark: + > = x ?

    def of(self, mark: str) -> tuple[str, ...]:
        """The lines of a mark; empty where there is none."""
        return self.lines.get(mark, ())


@dataclass(frozen=True, slots=True, kw_only=True)
class Chatter:
    """One message that says nothing of the user that lasts, and its answer."""

    category: str
    months: tuple[int, ...]  # empty: any
    text: str
    answer: str


@lru_cache(maxsize=20_000)
def plain(text: str) -> str:
    """`text` as it is compared: small letters and digits in words, a space at both ends.

    >>> plain("It's Barry’s C++!")
    ' its barrys c++ '
    """
    bare = text.casefold().replace("'", "").replace("’", "")
    return f" {' '.join(_WORD.findall(bare))} "


@cache
def kinds() -> tuple[Kind, ...]:
    """Every kind of fact, in the order of `facts.txt`."""
    found: list[Kind] = []
    for head, lines in _blocks("facts.txt"):
        name, how, changes = head.split()
        by_mark: dict[str, list[str]] = {}
        for line in lines:
            by_mark.setdefault(line[0], []).append(line[1:].strip())
        marked = {mark: tuple(some) for mark, some in by_mark.items()}
        found.append(Kind(name=name, many=how == "many", changes=int(changes), lines=marked))
    return tuple(found)


def chatter() -> list[Chatter]:
    """Everything of `noise.txt`, where a backslash and an n stand for a new line."""
    found: list[Chatter] = []
    for head, lines in _blocks("noise.txt"):
        category, *months = head.split()
        for line in lines:
            text, _, answer = line.replace("\\n", "\n").partition("||")
            found.append(
                Chatter(
                    category=category,
                    months=tuple(int(month) for month in months),
                    text=text.strip(),
                    answer=answer.strip() or "I see.",
                )
            )
    return found


def values(family: int) -> dict[str, tuple[Value, ...]]:
    """The values of one person by kind."""
    found: dict[str, tuple[Value, ...]] = {}
    for line in _lines(f"people/{family}.txt"):
        kind, _, listed = line.partition(":")
        found[kind] = tuple(_value(one.strip()) for one in listed.split(" | "))
    return found


def _value(text: str) -> Value:
    said, _, extra = text.partition(";")
    extra, *more = extra.split("~")
    first, *others = said.split("~")
    return Value(text=first, forms=(first, *others, *more), extra=extra)


@cache
def fillers(family: int) -> dict[str, tuple[str, ...]]:
    """What fills the braces of chatter, by name."""
    found: dict[str, tuple[str, ...]] = {}
    for line in _lines("words.txt"):
        name, _, listed = line.partition(":")
        found[name] = tuple(one.strip() for one in listed.split("|")[family].split(","))
    return found


def _blocks(name: str) -> Iterator[tuple[str, Sequence[str]]]:
    head, lines = "", list[str]()
    for line in _lines(name):
        found = _HEAD.fullmatch(line)
        if found is None:
            lines.append(line)
            continue
        if head:
            yield head, lines
        head, lines = found.group(1), []
    yield head, lines


def _lines(name: str) -> Iterator[str]:
    for line in (FOLDER / name).read_text(encoding="utf-8").splitlines():
        if line.strip() and not line.startswith("#"):
            yield line

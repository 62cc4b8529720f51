"""A stored ledger made whole again; `packing.py` says how it is written."""

import json
from collections.abc import Callable, Collection, Iterator, Mapping

from pydantic import JsonValue

from stratal.context.ledger import Ledger, checked, not_a_ledger
from stratal.context.packing import DIGEST, FORM, MEMORY, SCORED, SECTION
from stratal.errors import InputError

Texts = Callable[[Collection[str]], Mapping[str, str]]  # digests in, those that are there out


def unpack(text: str, texts: Texts) -> Ledger:
    """The ledger that was packed into `text`; `texts` is asked twice at most.

    Takes the JSON of a whole ledger as well. Raises `InputError` when `text` is neither, and when
    a text is gone, naming the part of the turn it belonged to.
    """
    packed = _object(_parsed(text))
    if "packed" not in packed:
        return checked(packed)
    if packed["packed"] != FORM:
        raise not_a_ledger(f"its form is {packed['packed']}, not {FORM}")
    return checked(_whole(packed, _Shelf(texts)))


def _whole(packed: dict[str, JsonValue], shelf: "_Shelf") -> dict[str, JsonValue]:
    """The JSON of the whole ledger: first what the JSON names, then what is named inside that."""
    shelf.fetch(packed)
    tools = shelf.inner(packed.get("tools"), "the tools")
    runs, candidates = _read_runs(packed, shelf), _read_candidates(packed, shelf)
    shelf.fetch([*(line for line, _ in runs), *(memory for memory, _ in candidates)])
    cached = {index for index in _list(packed.get("cached")) if isinstance(index, int)}
    rest = {name: value for name, value in packed.items() if name not in ("packed", "cached")}
    return {
        **rest,
        "sections": [_named(SECTION, row) for row in _list(packed.get("sections"))],
        "candidates": [
            _considered(memory, scored, shelf=shelf, number=number)
            for number, (memory, scored) in enumerate(candidates, 1)
        ],
        "messages": [
            {**_filled(line, shelf, number), "tokens": tokens, "cached": number - 1 in cached}
            for number, (line, tokens) in enumerate(runs, 1)
        ],
        "tools": tools,
    }


class _Shelf:
    """The texts that were asked for; one that is not there is told by the part it belonged to."""

    def __init__(self, texts: Texts) -> None:
        self._texts = texts
        self._found: dict[str, str] = {}

    def fetch(self, value: JsonValue) -> None:
        """Ask for all that `value` names."""
        wanted = set(_digests(value)) - self._found.keys()
        if wanted:
            self._found.update(self._texts(sorted(wanted)))

    def fill(self, value: JsonValue, part: str) -> JsonValue:
        """`value` with texts for digests."""
        if isinstance(value, list):
            return [self.fill(one, part) for one in value]
        if isinstance(value, dict):
            return {name: self.fill(one, part) for name, one in value.items()}
        if not isinstance(value, str) or not value.startswith(DIGEST):
            return value
        text = self._found.get(value.removeprefix(DIGEST))
        if text is None:
            raise InputError(
                f"the ledger can't be shown: the text of {part} is gone, it was erased",
                hint="What is left of a conversation: `stratal session show ID`.",
            )
        return text

    def inner(self, value: JsonValue, part: str) -> list[JsonValue]:
        """The list that is written in a text."""
        return _list(_parsed(self.fill(value, part)))


def _digests(value: JsonValue) -> Iterator[str]:
    if isinstance(value, str) and value.startswith(DIGEST):
        yield value.removeprefix(DIGEST)
    elif isinstance(value, list | dict):
        for one in value.values() if isinstance(value, dict) else value:
            yield from _digests(one)


def _read_runs(packed: dict[str, JsonValue], shelf: _Shelf) -> list[tuple[JsonValue, int]]:
    """Each line, its texts still to be filled in, with its tokens."""
    found: list[tuple[JsonValue, int]] = []
    for run in _list(packed.get("messages")):
        lines, tokens = _some(run, 2)
        part = f"message {len(found) + 1} and what follows it"
        counts = str(shelf.fill(tokens, part)).split()
        records = shelf.inner(lines, part)
        if len(counts) != len(records) or not all(count.isdecimal() for count in counts):
            raise not_a_ledger("tokens and messages do not go together")
        found += zip(records, map(int, counts), strict=True)
    return found


def _read_candidates(
    packed: dict[str, JsonValue], shelf: _Shelf
) -> list[tuple[JsonValue, list[JsonValue]]]:
    """Each memory, its texts still to be filled in, with what became of it."""
    rows = [_some(row, 1 + len(SCORED)) for row in _list(packed.get("candidates"))]
    return [
        (list(shelf.inner(row[0], f"candidate {number}")), row[1:])
        for number, row in enumerate(rows, 1)
    ]


def _considered(
    memory: JsonValue, scored: list[JsonValue], *, shelf: _Shelf, number: int
) -> JsonValue:
    values = _named(MEMORY, shelf.fill(memory, f"candidate {number}")) | _named(SCORED, scored)
    return {**values, "parts": {n: values.pop(n) for n in ("similarity", "confidence", "scope")}}


def _filled(line: JsonValue, shelf: _Shelf, number: int) -> dict[str, JsonValue]:
    role = _object(line).get("role")
    return _object(shelf.fill(line, f"message {number} ({role})"))


def _named(names: tuple[str, ...], row: JsonValue) -> dict[str, JsonValue]:
    return dict(zip(names, _some(row, len(names)), strict=True))


def _parsed(text: JsonValue) -> JsonValue:
    try:
        found: JsonValue = json.loads(text) if isinstance(text, str) else None
    except (json.JSONDecodeError, RecursionError) as error:
        raise not_a_ledger(str(error)) from error
    return found


def _object(value: JsonValue) -> dict[str, JsonValue]:
    if not isinstance(value, dict):
        raise not_a_ledger("an object is missing")
    return value


def _list(value: JsonValue) -> list[JsonValue]:
    if not isinstance(value, list):
        raise not_a_ledger("a list is missing")
    return value


def _some(value: JsonValue, length: int) -> list[JsonValue]:
    row = _list(value)
    if len(row) != length:
        raise not_a_ledger(f"a row has {len(row)} values, not {length}")
    return row

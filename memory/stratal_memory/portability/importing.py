"""The one way in for files: what they are is seen from what is in them. Read down."""

from collections.abc import Callable, Iterator
from itertools import chain
from pathlib import Path

from stratal_memory.errors import InputError
from stratal_memory.learning.gate import UNLEARNABLE
from stratal_memory.learning.remembering import TOGETHER
from stratal_memory.learning.statement import Statement
from stratal_memory.portability import chats, letta
from stratal_memory.portability.learning import statement_of, take_noted, take_past
from stratal_memory.portability.mem0 import LISTS, Mem0, is_mem0
from stratal_memory.portability.past import Item, Noted, Past
from stratal_memory.portability.reading import (
    Object,
    Piece,
    elements,
    lines,
    object_of,
    objects,
    opened,
    text_of,
)
from stratal_memory.portability.report import Imported, Refused, Source
from stratal_memory.portability.restoring import restore
from stratal_memory.store import Store

Read = Callable[[Object], Iterator[Item]]


def import_file(
    store: Store,
    path: Path,
    *,
    source: Source | None = None,
    of: str | None = None,
    dry_run: bool = False,
    on_row: Callable[[int], None] | None = None,
) -> Imported:
    """What became of every row of an export; without `source` the file tells whose it is.

    Conversations become sessions of the past, with their dates, and the gate learns from them;
    statements of another system's model are trusted as an assistant's. The same file again adds
    nothing. `of` names whose memory is meant, of mem0's users or of an export of ours that is
    another user's: it becomes the store's own.
    Raises `InputError` when the file can't be read or is nobody's export.
    """
    with opened(path) as file:
        pieces = _unpacked(
            lines(file) if _by_lines(path, source) else elements(file, called="item")
        )
        first = next(pieces, ("", Refused("the file is empty")))
        found = source or _source(first[1])
        if found is None:
            told = first[1] if isinstance(first[1], Refused) else "it looks like none of them"
            raise InputError(
                f"{path.name} is no export that is known: {told}",
                hint=f"Known are {', '.join(Source)}; name one with --format.",
            )
        rest = chain([first], pieces)
        if found is Source.STRATAL:
            return restore(store, rest, of=of, dry_run=dry_run, on_row=on_row)
        return _take(store, rest, found, of=of, dry_run=dry_run, on_row=on_row)


def _by_lines(path: Path, source: Source | None) -> bool:
    return source is Source.STRATAL or path.suffix.lower() in (".jsonl", ".ndjson")


def _unpacked(pieces: Iterator[Piece]) -> Iterator[Piece]:
    """The pieces, with a list inside an object (mem0's `results`) opened up."""
    for where, value in pieces:
        inner = object_of(value)
        name = next((one for one in LISTS if isinstance(inner.get(one), list)), None)
        if name is None or "record" in inner:
            yield where, value
            continue
        for number, one in enumerate(objects(inner[name]), 1):
            yield f"item {number}", one


def _source(value: object) -> Source | None:
    one = object_of(value)
    known: tuple[tuple[Source, bool], ...] = (
        (Source.STRATAL, text_of(one.get("record")) == "header"),
        (Source.CHATGPT, chats.is_chatgpt(one)),
        (Source.CLAUDE, chats.is_claude(one)),
        (Source.LETTA, letta.is_agent_file(one) or letta.is_passage(one)),
        (Source.MEM0, is_mem0(one)),
    )
    return next((source for source, fits in known if fits), None)


def _reader(source: Source, of: str | None) -> Read:
    if source is Source.CHATGPT:
        return chats.chatgpt
    if source is Source.CLAUDE:
        return chats.claude
    if source is Source.MEM0:
        return Mem0(of).read
    return lambda value: (
        letta.agent_file(value) if letta.is_agent_file(value) else letta.passage(value)
    )


def _take(
    store: Store,
    pieces: Iterator[Piece],
    source: Source,
    *,
    of: str | None,
    dry_run: bool,
    on_row: Callable[[int], None] | None,
) -> Imported:
    report = Imported(format=source.value)
    read = _reader(source, of)
    noted: list[tuple[str, Statement]] = []  # statements are embedded and written together
    for done, (where, value) in enumerate(pieces, 1):
        fields = object_of(value)
        try:
            if isinstance(value, Refused):
                raise value
            if not fields:
                raise Refused("it is no object")
            for item in read(fields):
                noted += _take_item(store, item, report, where=where, dry_run=dry_run)
        except Refused as error:
            report.refuse(where, fields.get("id") or fields.get("uuid"), str(error))
        if len(noted) >= TOGETHER:
            take_noted(store, noted, report, dry_run=dry_run)
            noted.clear()
        if on_row:
            on_row(done)
    take_noted(store, noted, report, dry_run=dry_run)
    return report


def _take_item(
    store: Store, item: Item, report: Imported, *, where: str, dry_run: bool
) -> list[tuple[str, Statement]]:
    """A conversation is taken, a statement given back; a bad one keeps no other waiting."""
    try:
        if isinstance(item, Past):
            take_past(store, item, report, dry_run=dry_run)
        elif isinstance(item, Noted):
            return [(where, statement_of(store, item, format=report.format))]
        else:
            report.skipped[item.reason] += 1
    except UNLEARNABLE as error:
        report.refuse(where, getattr(item, "id", ""), str(error))
    return []

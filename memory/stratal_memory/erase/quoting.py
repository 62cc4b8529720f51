"""Rows that stay and quote what goes: their words are blanked."""

import json
from collections.abc import Callable, Collection, Iterator, Sequence

from pydantic import JsonValue
from sqlalchemy import ColumnElement, Connection, Table, and_, delete, select, update

from stratal_memory.erase.derived import refresh
from stratal_memory.erase.doomed import Doomed, Span, pages
from stratal_memory.erase.removal import ERASED
from stratal_memory.erase.traces import SHORTEST, Traces
from stratal_memory.leaving_out import without_words
from stratal_memory.records import Form
from stratal_memory.text import content_hash, text_hash
from stratal_memory.truth import schema, schema_consolidation
from stratal_memory.truth.forgotten import words_in
from stratal_memory.truth.schema_tools import todos
from stratal_memory.truth.vectors import LIVE

WHOLE = 200  # characters; a shorter text is looked for whole, a longer one by its pieces
PIECE = 40  # characters


def pieces(texts: Collection[str]) -> set[str]:
    """What is looked for in rows that stay: whole statements, and pieces of long texts."""
    found: set[str] = set()
    for text in texts:
        parts = [text.strip()] if len(text) <= WHOLE else _cut(text)
        found |= {part for part in parts if len(part) >= SHORTEST and _tells(part)}
    return found


def _cut(text: str) -> Iterator[str]:
    for line in text.splitlines():  # recalled text is set in line by line
        bare = line.strip()
        for start in range(0, max(1, len(bare) - PIECE + 1), PIECE):
            yield bare[start : start + PIECE]


def _tells(part: str) -> bool:
    """Whether a piece says anything: a ruler of dashes stands in every document."""
    return len(set(part)) >= 6


def known_elsewhere(connection: Connection, wanted: set[str], doomed: Doomed) -> set[str]:
    """Those of `wanted` that memories say that stay: nobody's erase takes them from others."""
    traces = Traces(part.encode() for part in wanted)
    table = schema.memories
    found = connection.execute(
        select(table.c.id, table.c.text)
        .where(table.c.form.in_([Form.FACT, Form.CHUNK]))
        .execution_options(yield_per=1_000)
    )
    kept = (text.encode() for id, text in found if id not in doomed.memories)
    return {needle.decode() for needle in traces.held(kept)}


def blank(text: str, spans: Sequence[Span]) -> str:
    """`text` of the same length without the words of `spans`: other spans keep their place.

    >>> blank("I live in Lisbon now", [(0, 16)])
    '[erased]         now'
    """
    for start, end in spans:
        size = min(end, len(text)) - start
        text = text[:start] + f"{ERASED if size >= len(ERASED) else '…':<{size}}" + text[end:]
    return text


def spans_in(text: str, traces: Traces) -> list[Span]:
    """Where needles stand in `text`, in characters, joined where they touch."""
    data = text.encode("utf-8", "surrogatepass")
    found = sorted(
        (len(data[:at].decode()), len(data[: at + len(needle)].decode()))
        for at, needle in traces.find(data)
    )
    joined: list[Span] = []
    for start, end in found:
        if joined and start <= joined[-1][1]:
            joined[-1] = (joined[-1][0], max(end, joined[-1][1]))
        else:
            joined.append((start, end))
    return joined


def blank_messages(connection: Connection, doomed: Doomed) -> int:
    """Blank the spans of messages that stay, and the same words where they are quoted; how many."""
    table = schema.messages
    count = 0
    for id, spans in sorted(doomed.spans.items()):
        row = connection.execute(select(table).where(table.c.id == id)).first()
        if row is None or id in doomed.messages:
            continue
        text = blank(row.text, spans)
        values = {"text": text, "content_hash": content_hash(text), "opaque": "", "reasoning": ""}
        connection.execute(update(table).where(table.c.id == id).values(values))
        _blank_windows(connection, id, text)
        _blank_quotes(connection, id, spans)
        count += 1
    return count


def _blank_windows(connection: Connection, message: str, text: str) -> None:
    """The searchable windows of a message, as its text is now, and without what was forgotten."""
    words = words_in(connection, message)
    found = connection.execute(
        select(schema.evidence, schema.memories.c.status)
        .join(schema.memories, schema.memories.c.id == schema.evidence.c.memory)
        .where(schema.evidence.c.ref == message, schema.memories.c.form == Form.MESSAGE)
    ).all()
    for row in found:
        shown = without_words(text[row.start : row.end], words if row.status in LIVE else ())
        here = schema.memories.c.id == row.memory
        values = {"text": shown, "text_hash": text_hash(shown)}
        connection.execute(update(schema.memories).where(here).values(values))
        refresh(connection, row.memory)


def _blank_quotes(connection: Connection, message: str, spans: Sequence[Span]) -> None:
    """Other facts drawn from the same words stay, with where they were said and no quote."""
    table = schema.evidence
    for row in connection.execute(select(table).where(table.c.ref == message)).all():
        if row.quote and any(row.start < end and start < row.end for start, end in spans):
            here = (table.c.memory == row.memory) & (table.c.position == row.position)
            connection.execute(update(table).where(here).values(quote=""))
            refresh(connection, row.memory)


def add_quotes(
    connection: Connection, doomed: Doomed, traces: Traces, sessions: Collection[str]
) -> None:
    """Mark in `doomed.spans` what messages of `sessions` quote of what goes."""
    table = schema.messages
    for page in pages(sessions):
        found = connection.execute(select(table).where(table.c.session.in_(page)))
        for row in found.all():
            if row.id in doomed.messages:
                continue
            spans = spans_in(row.text, traces)
            doomed.spans.setdefault(row.id, []).extend(spans) if spans else None
            _blank_calls(connection, row.id, row.tool_calls, traces)
            hidden = (row.reasoning + row.opaque + row.media).encode("utf-8", "surrogatepass")
            if any(traces.find(hidden)):
                bare = {"reasoning": "", "opaque": "", "media": "[]"}
                connection.execute(update(table).where(table.c.id == row.id).values(bare))


def drop_todos(connection: Connection, traces: Traces, sessions: Collection[str]) -> int:
    """How many points of to-do lists in `sessions` went because they quote what goes."""
    count = 0
    for page in pages(sessions):
        for row in connection.execute(select(todos).where(todos.c.session.in_(page))).all():
            if any(traces.find(row.text.encode("utf-8", "surrogatepass"))):
                here = (todos.c.session == row.session) & (todos.c.position == row.position)
                count += connection.execute(delete(todos).where(here)).rowcount
    return count


def drop_attempts(connection: Connection, traces: Traces, sessions: Collection[str]) -> int:
    """How many beginnings of answers in `sessions` went because they quote what goes."""
    table = schema.turns
    count = 0
    for page in pages(sessions):
        here = table.c.session.in_(page) & table.c.attempt.is_not(None)
        for row in connection.execute(select(table).where(here)).all():
            if any(traces.find(row.attempt.encode("utf-8", "surrogatepass"))):
                one = update(table).where(table.c.id == row.id).values(attempt=None)
                count += connection.execute(one).rowcount
    return count


def _blank_calls(connection: Connection, id: str, calls: str, traces: Traces) -> None:
    if calls == "[]":
        return
    cleaned = json.dumps(cleaned_json(json.loads(calls), traces))
    if cleaned != calls:
        table = schema.messages
        connection.execute(update(table).where(table.c.id == id).values(tool_calls=cleaned))


def cleaned_json(value: JsonValue, traces: Traces) -> JsonValue:
    """`value` with every text in it blanked; JSON inside a text is read too."""
    if isinstance(value, str):
        inner = _inner(value)
        if inner is not None:
            cleaned = cleaned_json(inner, traces)
            return value if cleaned == inner else json.dumps(cleaned)
        return blank(value, spans_in(value, traces))
    if isinstance(value, list):
        return [cleaned_json(one, traces) for one in value]
    if isinstance(value, dict):
        return {name: cleaned_json(one, traces) for name, one in value.items()}
    return value


def _inner(text: str) -> JsonValue:
    if not text.lstrip().startswith(("{", "[")):
        return None
    try:
        found: JsonValue = json.loads(text)
    except (ValueError, RecursionError):
        return None
    return found if isinstance(found, dict | list) else None


def blank_log(
    connection: Connection, users: Collection[str], traces: Traces, refused: Callable[[str], bool]
) -> int:
    """Clean events and reports of `users`; how many events of refused candidates went whole."""
    table = schema.events
    gone = 0
    for row in connection.execute(select(table).where(table.c.user.in_(users))).all():
        detail = json.loads(row.detail)
        texts = [value for name, value in detail if name == "text"]
        here = table.c.seq == row.seq
        if row.kind.startswith("candidate.") and any(refused(text) for text in texts):
            gone += connection.execute(delete(table).where(here)).rowcount
            continue
        reason = blank(row.reason, spans_in(row.reason, traces))
        cleaned = json.dumps(cleaned_json(detail, traces))
        if (reason, cleaned) != (row.reason, json.dumps(detail)):
            values = {"reason": reason, "detail": cleaned}
            connection.execute(update(table).where(here).values(values))
    _blank_reports(connection, users, traces)
    return gone


def _blank_reports(connection: Connection, users: Collection[str], traces: Traces) -> None:
    runs = schema.runs
    mine = runs.c.user.in_(users)
    _blank_json(connection, runs, "report", mine, traces)
    made = schema_consolidation.run_changes
    _blank_json(connection, made, "change", made.c.run.in_(select(runs.c.id).where(mine)), traces)
    held = schema_consolidation.held
    for column in ("change", "operation"):
        _blank_json(connection, held, column, held.c.user.in_(users), traces)


def _blank_json(
    connection: Connection, table: Table, column: str, where: ColumnElement[bool], traces: Traces
) -> None:
    """Blank the words in a column of JSON, where it holds any."""
    key = list(table.primary_key.columns)
    for *place, text in connection.execute(select(*key, table.c[column]).where(where)).all():
        before = json.loads(text)
        cleaned = cleaned_json(before, traces)
        if cleaned != before:
            here = and_(*(one == value for one, value in zip(key, place, strict=True)))
            connection.execute(update(table).where(here).values({column: json.dumps(cleaned)}))

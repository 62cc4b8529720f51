"""Rows of the truth as JSON objects, and back; every column is checked on its way in."""

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum

from pydantic import JsonValue
from sqlalchemy import Boolean, Column, Float, Integer, RowMapping, Table

from stratal_memory.outcomes import Outcome
from stratal_memory.portability.reading import Object
from stratal_memory.portability.report import Refused
from stratal_memory.records import (
    Form,
    Kind,
    Media,
    MediaKind,
    Role,
    ScopeKind,
    Status,
    ToolCall,
    Trust,
    TurnState,
    Unread,
)
from stratal_memory.text import storable
from stratal_memory.truth import schema
from stratal_memory.truth.schema import Utc

Value = str | int | float | bool | bytes | datetime | None
VERSION = 1
FORMAT = "stratal-memory"


@dataclass(frozen=True, slots=True, kw_only=True)
class Spec:
    """How one kind of line stands to its table."""

    kind: str
    table: Table
    identity: tuple[str, ...] = ("id",)
    without: frozenset[str] = frozenset()  # columns made anew on the way in
    places: Mapping[str, str] = field(default_factory=dict[str, str])  # a row number → its name
    json: frozenset[str] = frozenset()  # columns that hold JSON text
    enums: Mapping[str, type[StrEnum]] = field(default_factory=dict[str, type[StrEnum]])

    def columns(self) -> list[Column[object]]:
        """Those that are written as they are."""
        return [one for one in self.table.c if one.name not in {*self.without, *self.places}]


# In the order of the file: what is named later was written before.
SPECS = (
    Spec(kind="session", table=schema.sessions, enums={"lowest_read": Trust}),
    Spec(
        kind="turn",
        table=schema.turns,
        without=frozenset({"owner", "ledger", "first_seq"}),
        enums={"state": TurnState},
    ),
    Spec(
        kind="message",
        table=schema.messages,
        without=frozenset({"seq", "content_hash"}),
        json=frozenset({"tool_calls", "media"}),
        enums={"role": Role},
    ),
    Spec(
        kind="summary",
        table=schema.summaries,
        without=frozenset({"seq"}),
        places={"first_seq": "first", "last_seq": "last"},
    ),
    Spec(
        kind="cut",
        table=schema.cuts,
        identity=("session", "at"),
        without=frozenset({"seq"}),
        places={"after": "after", "aged": "aged"},
    ),
    Spec(
        kind="document",
        table=schema.documents,
        json=frozenset({"refused"}),
        enums={"scope_kind": ScopeKind, "trust": Trust},
    ),
    Spec(
        kind="memory",
        table=schema.memories,
        without=frozenset({"seq", "text_hash"}),
        enums={
            "kind": Kind,
            "form": Form,
            "scope_kind": ScopeKind,
            "trust": Trust,
            "status": Status,
        },
    ),
    Spec(
        kind="recall",
        table=schema.recalls,
        identity=("turn", "memory"),
        enums={"outcome": Outcome},
    ),
    Spec(  # as history: how far it came, and who worked on it, is of the installation
        kind="run",
        table=schema.runs,
        without=frozenset({"agent", "state", "watermark", "wake", "owner", "lease_until", "fence"}),
        json=frozenset({"report"}),
    ),
    Spec(
        kind="event",
        table=schema.events,
        without=frozenset({"seq", "imported"}),
        json=frozenset({"detail"}),
    ),
)
BY_KIND = {spec.kind: spec for spec in SPECS}
EVIDENCE = Spec(
    kind="evidence",
    table=schema.evidence,
    without=frozenset({"memory", "position"}),
    enums={"trust": Trust},
)
CHUNK = Spec(
    kind="chunk",
    table=schema.chunks,
    without=frozenset({"memory"}),
    json=frozenset({"heading"}),
)
# Tables no line is made of, and why.
LEFT_OUT = {
    "procedures": "approved where they are used; `stratal skills export` takes one along",
    "procedure_outcomes": "of procedures of this installation",
    "procedure_episodes": "made anew from the messages",
    "approvals": "of the files of an installation",
    "todos": "what an agent was about to do belongs to an installation",
    "spaces": "who may use a project belongs to an installation",
    "grants": "who may use a project belongs to an installation",
    "evidence": "inside the line of its memory",
    "chunks": "inside the line of its memory",
    "ledger_texts": "accounts of requests belong to an installation",
    "calibrations": "of models, not of users",
    "generations": "of models, not of users",
    "vectors": "made anew from the texts",
    "outbox": "of the index",
    "run_steps": "of a run that is not over: it begins anew elsewhere",
    "run_changes": "of a run that is not over: it begins anew elsewhere",
    "held": "a run elsewhere proposes it again",
    "spending": "of the day and the installation",
    "slots": "of the timer",
    "schedules": "of the timer",
    "timers": "of the timer",
    "pauses": "of the timer",
    "usefulness": "counted anew from the recalls",
    "state": "of the index",
}


def written(spec: Spec, row: RowMapping) -> Object:
    """The fields of a row as JSON, in the order of the table."""
    return {one.name: _out(row[one.name], one.name in spec.json) for one in spec.columns()}


def _out(value: object, holds_json: bool) -> JsonValue:
    if holds_json and isinstance(value, str):
        found: JsonValue = json.loads(value)
        return found
    if isinstance(value, datetime):
        return value.isoformat()
    assert value is None or isinstance(value, str | int | float), type(value)
    return value


def read(spec: Spec, fields: Object, *, beside: frozenset[str] = frozenset()) -> dict[str, Value]:
    """The columns of a line. Raises `Refused` for a field that is missing, unknown or wrong.

    `beside` names fields that are no columns. A column added since the file was written has its
    default.
    """
    known = {one.name: one for one in spec.columns()}
    surplus = fields.keys() - known.keys() - beside - {"record"}
    if surplus:
        raise Refused(f"it has a field {min(surplus)[:40]!r} that nobody knows")
    return {
        name: _in(spec, column, fields[name])
        for name, column in known.items()
        if name in fields or _must(name, column)
    }


def _must(name: str, column: Column[object]) -> bool:
    if not column.nullable and column.default is None:
        raise Refused(f"its field {name!r} is missing")
    return False


def _in(spec: Spec, column: Column[object], value: JsonValue) -> Value:
    name = column.name
    if value is None:
        if not column.nullable:
            raise Refused(f"its field {name!r} is null")
        return None
    if name in spec.json:
        return _json_text(name, value)
    if isinstance(column.type, Utc):
        return _time(name, value)
    checked = _plain(column, value)
    empty = checked == "" and column.default is not None
    if name in spec.enums and not empty and checked not in tuple(spec.enums[name]):
        raise Refused(f"its field {name!r} is {str(checked)[:40]!r}, which is none of them")
    return checked


def _plain(column: Column[object], value: JsonValue) -> Value:
    kind = column.type
    if isinstance(kind, Boolean):
        fits = isinstance(value, bool)
    elif isinstance(kind, Integer):
        fits = isinstance(value, int) and not isinstance(value, bool) and abs(value) < 2**62
    elif isinstance(kind, Float):
        fits = isinstance(value, int | float) and not isinstance(value, bool)
    else:
        fits = isinstance(value, str)
    if not fits or isinstance(value, list | dict):
        raise Refused(f"its field {column.name!r} is of the wrong type")
    return storable(value) if isinstance(value, str) else value


def _time(name: str, value: JsonValue) -> datetime:
    try:
        found = datetime.fromisoformat(value if isinstance(value, str) else "")
        found.astimezone()
    except (ValueError, OverflowError) as error:
        raise Refused(f"its field {name!r} is no time") from error
    if found.tzinfo is None:
        raise Refused(f"its field {name!r} has no zone")
    return found


def _json_text(name: str, value: JsonValue) -> str:
    """JSON of a shape that can be read back."""
    try:
        if name == "tool_calls":
            _list(value, lambda one: ToolCall(**_texts(one)))
        elif name == "media":
            _list(value, _media)
        elif name == "detail":
            _list(value, _pair)
        elif name == "heading":
            _list(value, _text)
        elif name == "refused":
            _list(value, _unread)
    except (TypeError, ValueError, KeyError) as error:
        raise Refused(f"its field {name!r} has the wrong shape") from error
    return json.dumps(value)


def _list(value: JsonValue, check: Callable[[JsonValue], object]) -> None:
    if not isinstance(value, list):
        raise TypeError(type(value))
    for one in value:
        check(one)


def _text(value: JsonValue) -> str:
    if not isinstance(value, str):
        raise TypeError(type(value))
    return value


def _pair(value: JsonValue) -> None:
    if not isinstance(value, list) or len(value) != 2 or not all(isinstance(v, str) for v in value):
        raise TypeError(type(value))


def _unread(value: JsonValue) -> None:
    Unread(**_texts(value))


def _texts(value: JsonValue) -> dict[str, str]:
    if not isinstance(value, dict):
        raise TypeError(type(value))
    return {name: _text(one) for name, one in value.items()}


def _media(value: JsonValue) -> Media:
    if not isinstance(value, dict) or not isinstance(value.get("source"), str):
        raise TypeError(type(value))
    numbers = {name: value.get(name, 0) for name in ("width", "height", "pages", "seconds")}
    if not all(isinstance(one, int | float) for one in numbers.values()):
        raise TypeError(numbers)
    if set(value) - {"kind", "source", *numbers}:
        raise KeyError(value)
    return Media(kind=MediaKind(str(value.get("kind", "image"))), source=str(value["source"]))

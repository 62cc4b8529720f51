"""Values in one JSON form, and by it the digest of a request."""

import json
from dataclasses import MISSING, fields, is_dataclass
from datetime import datetime
from enum import Enum
from functools import cache

from pydantic import JsonValue

from stratal.context.request import Request
from stratal_memory.text import content_hash

# What no provider is given: where a message stands in the truth.
UNSENT = frozenset({"id", "seq", "created"})
_REQUIRED = object()


def sparse(value: object, *, without: frozenset[str] = frozenset()) -> JsonValue:
    """`value` as JSON with all that has its default left out; `without` names fields to skip.

    Takes dataclasses, tuples, enums, times, numbers, texts and None, one inside the other. A field
    that is added later with a default changes nothing that was written before.
    """
    if isinstance(value, Enum | datetime):
        return str(value.value) if isinstance(value, Enum) else value.isoformat()
    if value is None or isinstance(value, str | int | float):
        return value
    if isinstance(value, tuple):
        return [sparse(one, without=without) for one in value]
    kind: type = type(value)
    return {
        name: sparse(found, without=without)
        for name, default in _defaults(kind)
        if name not in without and (found := getattr(value, name)) != default
    }


def compact(value: JsonValue) -> str:
    """The shortest JSON text of `value`; ASCII, so that any text survives."""
    return json.dumps(value, separators=(",", ":"))


def request_digest(request: Request) -> str:
    """32 hex digits for all a provider is handed: roles, texts, calls, tools, marks, limits."""
    return content_hash(compact(sparse(request, without=UNSENT)))


@cache
def _defaults(kind: type) -> tuple[tuple[str, object], ...]:
    assert is_dataclass(kind), kind
    return tuple(
        (one.name, _REQUIRED if one.default is MISSING else one.default) for one in fields(kind)
    )

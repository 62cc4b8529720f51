"""Lines of an export as memory may hold them: without secrets, and as the privacy policy says."""

import re
from collections.abc import Callable
from functools import lru_cache

from pydantic import JsonValue

from stratal_memory.learning.privacy import Policy, hidden, without
from stratal_memory.learning.redaction import redact
from stratal_memory.portability.reading import Object, object_of, text_of
from stratal_memory.portability.report import Refused
from stratal_memory.records import Form
from stratal_memory.store import Store
from stratal_memory.text import storable

Clean = Callable[[str], str]
_ID = re.compile(r"(\b[a-z]{3}_[0-9a-f]{20}\b)")  # sixteen of its digits can look like a card's
_REDACTED = {  # of the history and of documents, as they are when they are written here
    "session": ("title",),
    "message": ("text", "reasoning"),
    "summary": ("text",),
    "cut": ("summary",),
    "document": ("title",),
}
_TOLD = ("before", "after", "reason")  # of the changes in the report of a run
_NO_TEXT = ("before", "session", "version", "events")  # of the detail of an event


class Cleaner:
    """Cleans line after line of one import; what is clean stays as it is, to the byte."""

    def __init__(self, store: Store) -> None:
        self._privacy = store.gate.privacy
        self._private = lru_cache(maxsize=4_096)(self._without)
        self._passages: set[str] = set()  # of documents, which keep e-mail addresses and the like

    def clean(self, kind: str, fields: Object) -> Object:
        """The fields of a line. Raises `Refused` for a memory that the policy blocks."""
        if kind == "memory":
            return self._memory(fields)
        if kind == "event":
            return self._event(fields)
        if kind == "run":
            return self._run(fields)
        made = _each(fields, _REDACTED.get(kind, ()), _redacted)
        return _message(made) if kind == "message" else made

    def _memory(self, fields: Object) -> Object:
        form = fields.get("form")
        if form == Form.SKILL:  # the text of a file, which is read again
            return fields
        if form == Form.CHUNK:
            self._passages.add(text_of(fields.get("id")))
        clean: Clean = _redacted if form == Form.CHUNK else self._allowed
        made = _each(fields, ("text", "value"), clean)
        if "evidence" not in fields:
            return made
        return {**made, "evidence": _all(fields["evidence"], ("quote",), clean)}

    def _event(self, fields: Object) -> Object:
        of_passage = text_of(fields.get("memory")) in self._passages
        clean: Clean = _redacted if of_passage else self._reason
        made = _each(fields, ("reason",), clean)
        detail = fields.get("detail")
        if not isinstance(detail, list):
            return made
        return {**made, "detail": [_pair(one, clean) for one in detail]}

    def _run(self, fields: Object) -> Object:
        report = object_of(fields.get("report"))
        if "changes" not in report:
            return fields
        changes = _all(report["changes"], _TOLD, self._reason)
        return {**fields, "report": {**report, "changes": changes}}

    def _without(self, text: str) -> str:
        return without(text, hidden(text, self._privacy))

    def _allowed(self, text: str) -> str:
        clean = self._private(text)
        if clean != text and any(one.policy is Policy.BLOCK for one in hidden(text, self._privacy)):
            raise Refused("the privacy policy blocks what it holds")
        return clean

    def _reason(self, text: str) -> str:
        """Ids stay: they are in the words of the log."""
        parts = _ID.split(text)
        return "".join(
            part if place % 2 else self._private(part) for place, part in enumerate(parts)
        )


def _redacted(text: str) -> str:
    return redact(text).text


def _each(fields: Object, names: tuple[str, ...], clean: Clean) -> Object:
    """The fields with those of the names cleaned; what is no text is refused later on."""
    made = {
        name: clean(storable(value)) for name in names if isinstance(value := fields.get(name), str)
    }
    return {**fields, **made}


def _pair(one: JsonValue, clean: Clean) -> JsonValue:
    if not isinstance(one, list) or len(one) != 2 or one[0] in _NO_TEXT:
        return one
    name, value = one
    return [name, clean(storable(value)) if isinstance(value, str) else value]


def _message(fields: Object) -> Object:
    """As an exchange keeps it: no secrets, and what is signed whole or not at all."""
    opaque = text_of(fields.get("opaque"))
    made = {**fields, "opaque": ""} if redact(opaque).kinds else fields
    if "tool_calls" not in fields:
        return made
    return {**made, "tool_calls": _all(fields["tool_calls"], ("arguments",), _redacted)}


def _all(value: JsonValue, names: tuple[str, ...], clean: Clean) -> JsonValue:
    """A list of objects with the fields of the names cleaned; anything else as it is."""
    if not isinstance(value, list):
        return value
    return [_each(one, names, clean) if isinstance(one, dict) else one for one in value]
